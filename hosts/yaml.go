package hosts

var yamlSyntax syntax
