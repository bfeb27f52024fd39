package replay

import (
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// unrecorded answers what no recorded call does: as the recorded server would have where that is certain, else it is a miss.
func (r *run) unrecorded(m *reprise.Message, a *asked) {
	result := ""
	switch {
	case m.Method == "ping":
		result = "{}"
	case m.Method == "logging/setLevel" && r.announced("logging"), strings.HasPrefix(m.Method, "resources/") && strings.HasSuffix(m.Method, "subscribe") && r.announced("resources"):
		result = "{}"
	case m.Method == "server/discover" && !r.tape.modern():
		r.refuse(strings.Clone(m.ID), -32601, "Method not found", "")
		return
	case m.Method == "server/discover":
		result = r.discovered()
	case m.Method == "initialize" && r.tape.modern():
		r.refuse(strings.Clone(m.ID), -32022, "Unsupported protocol version", r.versions(m))
		return
	case isList(m.Method) && r.pageOf(a) > 1:
		result = r.lastPage(m.Method)
		r.Log("the recorded client did not go beyond this page of " + m.Method + ": the list ends here")
	default:
		r.missed(m, a)
		return
	}
	r.report.Synthesized++
	b := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...)
	r.out = append(r.out, sending{data: append(append(append(b, `,"result":`...), result...), "}\n"...)})
}

// modern says whether the session was of the era without handshake.
func (t *tape) modern() bool {
	for _, c := range t.calls {
		if c.Method == "initialize" && c.answer != "" {
			return false
		}
	}
	for _, c := range t.calls {
		meta := reprise.Member(c.params, "_meta").Raw
		if c.answer != "" && reprise.Member(meta, reprise.MetaPrefix+"protocolVersion").Exists() {
			return true
		}
	}
	return false
}

// announced says whether the recorded server has a capability.
func (r *run) announced(capability string) bool {
	for _, c := range r.tape.calls {
		if isHandshake(c.Method) && reprise.Member(reprise.Member(c.answer, "capabilities").Raw, capability).Exists() {
			return true
		}
	}
	return false
}

// version is the protocol version that the recorded client asked for, as a JSON string.
func (t *tape) version() string {
	for _, c := range t.calls {
		meta := reprise.Member(c.params, "_meta").Raw
		if v := reprise.Member(meta, reprise.MetaPrefix+"protocolVersion"); v.Type == gjson.String {
			return v.Raw
		}
	}
	return `"2026-07-28"`
}

func (r *run) versions(m *reprise.Message) string {
	requested := reprise.Member(m.Params, "protocolVersion").Raw
	if requested == "" {
		requested = "null"
	}
	return `{"supported":[` + r.tape.version() + `],"requested":` + requested + `}`
}

// discovered is what a server of the new era has to answer, for a client of ours that asks where the recorded one did not.
func (r *run) discovered() string {
	var capabilities []string
	for _, kind := range []string{"tools", "prompts", "resources"} {
		for name := range r.index.named {
			if strings.HasPrefix(name, kind+"/") {
				capabilities = append(capabilities, `"`+kind+`":{}`)
				break
			}
		}
	}
	return `{"resultType":"complete","supportedVersions":[` + r.tape.version() + `],"capabilities":{` + strings.Join(capabilities, ",") +
		`},"ttlMs":0,"cacheScope":"private"}`
}

// lastPage is an empty page: the recorded client had stopped before it.
func (r *run) lastPage(method string) string {
	kind := map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources",
		"resources/templates/list": "resourceTemplates", "tasks/list": "tasks"}[method]
	if kind == "" {
		return "{}"
	}
	if r.tape.modern() {
		return `{"resultType":"complete","` + kind + `":[],"ttlMs":0,"cacheScope":"private"}`
	}
	return `{"` + kind + `":[]}`
}
