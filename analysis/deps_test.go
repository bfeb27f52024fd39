package analysis

import (
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "golang.org/x/net/html"
)
