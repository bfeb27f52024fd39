package hosts

var tomlSyntax syntax
