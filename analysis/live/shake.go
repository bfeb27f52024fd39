package live

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"reprise"
	"reprise/analysis"

	"github.com/tidwall/gjson"
)

// The versions that are asked for first, in either era.
const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
)

// shake begins the conversation. Every server that is not of the modern era alone understands initialize, and some of the
// others die of server/discover: so that comes second, when initialize was refused.
func (c *Client) shake(ctx context.Context) error {
	a, _ := c.initialize(ctx, legacyVersion)
	if a.Error != "" {
		if older := legacyAmong(supported(a.Error)); older != "" {
			a, _ = c.initialize(ctx, older)
		}
	}
	switch {
	case a.Trouble != "":
		return errors.New(a.Trouble)
	case a.Error != "":
		return c.discover(ctx, a)
	}
	c.Version = reprise.Member(a.Result, "protocolVersion").String()
	c.Instructions = reprise.Member(a.Result, "instructions").String()
	c.Peer = peerOf(reprise.Member(a.Result, "serverInfo"))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return nil
}

func (c *Client) initialize(ctx context.Context, version string) (analysis.Answer, []string) {
	return c.ask(ctx, "initialize", `{"protocolVersion":`+quote(version)+`,"capabilities":{},"clientInfo":`+c.info()+`}`)
}

func (c *Client) info() string {
	return `{"name":` + quote(c.Options.Client.Name) + `,"version":` + quote(c.Options.Client.Version) + `}`
}

// discover asks a server that has refused initialize whether it is of the modern era.
func (c *Client) discover(ctx context.Context, refused analysis.Answer) error {
	version := modernVersion
	if list := supported(refused.Error); len(list) > 0 && !slices.Contains(list, version) {
		version = slices.Max(list) // they are dates
	}
	const prefix = `"` + reprise.MetaPrefix
	c.meta = prefix + `protocolVersion":` + quote(version) + `,` + prefix + `clientCapabilities":{},` + prefix + `clientInfo":` + c.info()
	a, _ := c.ask(ctx, "server/discover", c.params(""))
	c.Version = version
	switch {
	case c.trouble != "":
		return errors.New(c.trouble)
	case a.Result != "":
		c.Instructions = reprise.Member(a.Result, "instructions").String()
		c.Peer = peerOf(reprise.Member(reprise.Member(a.Result, "_meta").Raw, reprise.MetaPrefix+"serverInfo"))
		return nil
	case slices.Contains(supported(refused.Error), version):
		return nil // it said so itself
	}
	return fmt.Errorf("the server refuses initialize: %s", short(said(refused.Error)))
}

// params are the members of a request's params, with the _meta of the era.
func (c *Client) params(members string) string {
	switch {
	case c.meta == "":
		return "{" + members + "}"
	case members != "":
		members += ","
	}
	return "{" + members + `"_meta":{` + c.meta + `}}`
}

// supported are the versions that an error names.
func supported(raw string) (list []string) {
	reprise.Member(reprise.Member(raw, "data").Raw, "supported").ForEach(func(_, v gjson.Result) bool {
		if v.Type == gjson.String {
			list = append(list, v.String())
		}
		return len(list) < 20
	})
	return list
}

// legacyAmong is the newest version with an initialize that is not the one asked for first, where no modern one is offered.
func legacyAmong(list []string) (newest string) {
	for _, v := range list {
		switch {
		case v >= modernVersion:
			return ""
		case v != legacyVersion:
			newest = max(newest, v)
		}
	}
	return newest
}

func peerOf(info gjson.Result) reprise.Peer {
	return reprise.Peer{Name: reprise.Member(info.Raw, "name").String(), Version: reprise.Member(info.Raw, "version").String()}
}
