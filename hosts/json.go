package hosts

var jsonSyntax syntax
