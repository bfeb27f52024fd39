package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"reprise"
)

// TestNewsIsToldOnce: what belongs to no call is extra when there was nothing of its kind; what comes when it suits the server is not.
func TestNewsIsToldOnce(t *testing.T) {
	const call = `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
	log := func(level string) string {
		return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + level + `","data":"x"}}`
	}
	said := func(method string) string { return `{"jsonrpc":"2.0","method":"` + method + `"}` }
	for _, c := range []struct {
		name, then string
		now        string
		want       reprise.Class // "" is silence
	}{
		{"another method", "", said("notifications/acme"), reprise.ClassExtra},
		{"the same method", said("notifications/acme"), said("notifications/acme"), ""},
		{"a log of an error", "", log("error"), reprise.ClassExtra},
		{"a log of an alert where there were others", log("info"), log("alert"), reprise.ClassExtra},
		{"a log of an error as there was", log("critical"), log("critical"), ""},
		{"a log", "", log("warning"), ""},
		{"a list that changes", "", said("notifications/resources/list_changed"), reprise.ClassVolatile},
		{"progress", "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}`, ""},
		{"a response to nothing", "", `{"jsonrpc":"2.0","id":77,"result":{}}`, reprise.ClassExtra},
		{"a response to nothing as there was", `{"jsonrpc":"2.0","id":78,"result":{}}`, `{"jsonrpc":"2.0","id":77,"result":{}}`, ""},
		{"noise", "", "listening on stdio", reprise.ClassExtra},
		{"noise as there was", "listening", "listening on stdio", ""},
		{"a blank line", "", "  ", ""},
		{"broken JSON-RPC", "", `{"jsonrpc":"2.0","meth`, reprise.ClassExtra},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := hello + call
			if c.then != "" {
				text = hello + "\n< " + c.then + call
			}
			p := &peer{on: func(m gjson.Result) []string {
				if m.Get("method").Str != "tools/call" {
					return nil
				}
				return []string{c.now, c.now, result(m, `{"content":[]}`)}
			}}
			v := verify(t, made(reprise.EndedByClient, text), p.run(t), quick())
			var got []*Verified
			for _, call := range v.Calls {
				if call.Kind != reprise.KindRequest && call.Seq == 0 {
					got = append(got, call)
				}
			}
			switch {
			case c.want == "" && (len(got) > 0 || v.Total().Failed()):
				t.Errorf("told:\n%s", table(v))
			case c.want != "" && (len(got) != 1 || got[0].Class != c.want || got[0].Live.Request != strings.TrimSpace(c.now) || !strings.Contains(got[0].Reason, "2 times")):
				t.Errorf("got %+v\n%s", got, table(v))
			}
		})
	}
}

func TestNewsIsIgnoredByRule(t *testing.T) {
	o := quick()
	o.Ignore = &reprise.Ignore{}
	for _, text := range []string{"noise:$", "notifications/acme:$"} {
		rule, err := reprise.ParseIgnore(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Ignore.Add(rule)
	}
	p := &peer{on: func(m gjson.Result) []string {
		if m.Get("method").Str != "initialize" {
			return nil
		}
		return append([]string{"a banner", `{"jsonrpc":"2.0","method":"notifications/acme"}`}, (&peer{}).usual(m)...)
	}}
	if v := verify(t, made(reprise.EndedByClient, hello), p.run(t), o); v.Total().Failed() || len(o.Ignore.Unused()) > 0 {
		t.Errorf("unused %s\n%s", o.Ignore.Unused(), table(v))
	}
}

// TestServerWithoutEnd: what a server sends without end does not fill the memory, nor does it wait for the time-out.
func TestServerWithoutEnd(t *testing.T) {
	const call = `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
	c := made(reprise.EndedByClient, hello+call)
	for _, method := range []string{"ping", "sampling/createMessage"} {
		p := &peer{on: func(m gjson.Result) []string {
			if m.Get("method").Str != "tools/call" {
				return nil
			}
			endless := make([]string, 2*maxAsked)
			for i := range endless {
				endless[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":%q}`, i, method)
			}
			return endless
		}}
		o := quick()
		o.Timeout = time.Hour
		v := verify(t, c, p.run(t), o)
		if v.Ended != EndedEndless || !v.Total().Failed() || v.Total().Extra > maxAsked {
			t.Errorf("%s: ended %q, %+v", method, v.Ended, v.Total())
		}
	}
	s, err := readScript(c)
	if err != nil {
		t.Fatal(err)
	}
	v := newVerifier(s, quick().orUsual())
	line := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"x":"` + strings.Repeat("x", 1<<20) + `"}}` + "\n")
	for range maxKept>>20 - 1 {
		v.hear(line)
	}
	if v.ended != "" {
		t.Errorf("ended too early: %s", v.ended)
	}
	kept := len(v.frames)
	for range 10 {
		v.hear(line)
	}
	if v.ended != EndedEndless || len(v.frames) > kept+2 {
		t.Errorf("ended %q, %d frames", v.ended, len(v.frames))
	}
}
