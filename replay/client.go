package replay

import (
	"slices"
	"strings"

	"reprise"
)

// levels are the severities of log messages (RFC 5424), lowest first.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// hear takes what a request says of the client.
func (c *client) hear(a *asked) {
	switch a.method {
	case "initialize":
		a.read()
		c.capabilities = strings.Clone(a.member("capabilities").Raw)
	case "logging/setLevel":
		a.read()
		c.level = max(0, slices.Index(levels, a.member("level").Str))
	}
	c.quiet = a.meta(reprise.MetaPrefix+"protocolVersion").Exists() && !a.meta(reprise.MetaPrefix+"logLevel").Exists()
}

// wants says whether a message goes to the client: logs have to be asked for in the new era, and may be less than all in
// the old one.
func (c *client) wants(it *item) bool {
	if it.level == "" {
		return true
	}
	level := slices.Index(levels, it.level)
	return !c.quiet && (level < 0 || level >= c.level) // whether a level of the server's own is wanted nobody can say
}

// takes says whether a client with these capabilities takes requests of a method.
func takes(capabilities, method string) bool {
	capability := map[string]string{"sampling/createMessage": "sampling", "elicitation/create": "elicitation", "roots/list": "roots"}[method]
	return capability == "" || capabilities == "" || reprise.Member(capabilities, capability).Exists()
}
