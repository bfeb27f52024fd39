package replay

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"reprise"
)

func randomLine(r *rand.Rand, server bool) string {
	ids := []string{`1`, `"1"`, `2`, `3`, `4`, `1.0`, `null`, `"q"`, `100`, `"é"`, `-0`}
	id := ids[r.Intn(len(ids))]
	toks := []string{`1`, `"1"`, `"p"`, `null`, `{}`}
	tok := toks[r.Intn(len(toks))]
	meta := []string{``, `"_meta":{"progressToken":` + tok + `}`, `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`, `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}`, `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}`, `"_meta":3`}[r.Intn(6)]
	bits := []string{meta}
	more := []string{`"name":"a"`, `"name":"b"`, `"arguments":{}`, `"arguments":{"x":1,"y":{"z":["«redacted:api-key:1»",2]}}`, `"arguments":{"x":"«redacted:api-key:1» «redacted:api-key:2»"}`, `"cursor":"c"`, `"cursor":""`, `"cursor":null`, `"taskId":"T"`, `"task":{}`, `"requestState":"S"`, `"inputResponses":{"k":{}}`, `"requestId":` + id, `"progressToken":` + tok, `"level":"info"`, `"uri":"u"`, `"notifications":{"toolsListChanged":true}`, `"capabilities":{"sampling":{},"roots":{}}`, `"arguments":null`, `"arguments":[1,2]`, `"name":7`}
	for range r.Intn(4) {
		bits = append(bits, more[r.Intn(len(more))])
	}
	var kept []string
	for _, b := range bits {
		if b != "" {
			kept = append(kept, b)
		}
	}
	params := "{" + strings.Join(kept, ",") + "}"
	methods := []string{"tools/call", "tools/call", "tools/call", "tools/list", "initialize", "server/discover", "ping", "subscriptions/listen", "tasks/get", "tasks/result", "tasks/cancel", "resources/read", "logging/setLevel", "resources/subscribe", "completion/complete", "x/y"}
	sm := []string{"sampling/createMessage", "elicitation/create", "roots/list", "ping", "tasks/get"}
	notes := []string{"notifications/progress", "notifications/cancelled", "notifications/message", "notifications/tools/list_changed", "notifications/initialized", "notifications/subscriptions/acknowledged", "notifications/tasks/status", "notifications/tasks"}
	results := []string{`{}`, `{"tools":[],"nextCursor":"c"}`, `{"nextCursor":""}`, `{"task":{"taskId":"T","status":"working"}}`, `{"resultType":"input_required","requestState":"S","inputRequests":{"k":{}}}`, `{"capabilities":{"logging":{},"resources":{}},"protocolVersion":"2025-11-25"}`, `{"resultType":"task","taskId":"T","status":"working"}`, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}`, `3`, `null`, `"s"`}
	one := func() string {
		switch r.Intn(10) {
		case 0, 1, 2, 3:
			m := methods
			if server {
				m = sm
			}
			if server && r.Intn(3) > 0 {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, results[r.Intn(len(results))])
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, m[r.Intn(len(m))], params)
		case 4, 5, 6:
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, results[r.Intn(len(results))])
		case 7:
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"m"}}`, id)
		case 8:
			return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, notes[r.Intn(len(notes))], params)
		}
		return []string{"", "noise", "\ufeff{}", "[]", "[1]", "{", "\xff\xfe", `{"id":`, "42", `{"jsonrpc":"2.0","method":5}`}[r.Intn(10)]
	}
	l := one()
	switch r.Intn(12) {
	case 0:
		l = "[" + l + "," + one() + "]"
	case 1:
		l = l + one()
	case 2:
		b := []byte(l)
		if len(b) > 0 {
			b[r.Intn(len(b))] = byte(r.Intn(256))
		}
		l = strings.ReplaceAll(string(b), "\n", "")
	}
	return l
}

func TestServeRandom(t *testing.T) {
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		var lines, client []string
		for range 3 + r.Intn(30) {
			server := r.Intn(2) == 0
			l := randomLine(r, server)
			if server {
				lines = append(lines, "<"+l)
			} else {
				lines = append(lines, ">"+l)
				if r.Intn(5) > 0 {
					client = append(client, l)
				}
			}
		}
		for range r.Intn(10) {
			client = append(client, randomLine(r, false))
		}
		if r.Intn(3) == 0 {
			r.Shuffle(len(client), func(i, j int) { client[i], client[j] = client[j], client[i] })
		}
		end := []reprise.Ending{reprise.EndedByClient, reprise.EndedByServer, reprise.EndedBySignal}[r.Intn(3)]
		level := Levels()[r.Intn(4)]
		pol := Policies()[r.Intn(3)]
		faithful := r.Intn(2) == 0
		miss := []OnMiss{OnMissError, OnMissNearest}[r.Intn(2)]
		var ig *reprise.Ignore
		if r.Intn(3) == 0 {
			ig = &reprise.Ignore{}
			rule, _ := reprise.ParseIgnore("x")
			ig.Add(rule)
		}
		mk := func() *Server {
			s := NewServer(captureOf(t, end, lines...))
			s.Match, s.Exhausted, s.Faithful, s.OnMiss, s.Ignore = level, pol, faithful, miss, ig
			return s
		}
		func() {
			defer func() {
				if e := recover(); e != nil {
					t.Fatalf("seed %d: panic %v\n%s\n--\n%s", seed, e, strings.Join(lines, "\n"), strings.Join(client, "\n"))
				}
			}()
			s := mk()
			a, ra := played(s, client)
			b, rb := played(s, client)
			c, rc := played(mk(), client)
			if strings.Join(a, "\n") != strings.Join(b, "\n") || strings.Join(a, "\n") != strings.Join(c, "\n") {
				t.Errorf("seed %d: not the same\n%s\n--\n%s\n--\n%s\n--\n%s", seed, strings.Join(lines, "\n"), strings.Join(client, "\n"), strings.Join(a, "\n"), strings.Join(b, "\n"))
			}
			if fmt.Sprint(ra.Misses, ra.Unused) != fmt.Sprint(rb.Misses, rb.Unused) || fmt.Sprint(ra.Misses, ra.Unused) != fmt.Sprint(rc.Misses, rc.Unused) {
				t.Errorf("seed %d: not the same report", seed)
			}
			if seed%7 == 0 {
				d, _ := servedBy(s, client, true)
				e, _ := servedBy(s, client, false)
				want := strings.Split(strings.TrimRight(strings.Join(a, "\n"), "\n"), "\n")
				if fmt.Sprint(d) != fmt.Sprint(e) {
					t.Errorf("seed %d: chunks differ\n%s\n--\n%s\n--\n%s\n--\n%s", seed, strings.Join(lines, "\n"), strings.Join(client, "\n"), strings.Join(d, "\n"), strings.Join(e, "\n"))
				}
				_ = want
			}
			// a request is answered at most once
			count := map[string]int{}
			for _, l := range client {
				for _, m := range reprise.ReadMessages([]byte(l)) {
					if m.Kind == reprise.KindRequest {
						count[m.ID]++
					}
				}
			}
			for _, l := range a {
				for _, m := range reprise.ReadMessages([]byte(l)) {
					if m.Kind == reprise.KindResponse && count[m.ID] > 0 {
						if count[m.ID]--; count[m.ID] < 0 {
							t.Logf("seed %d: id %s answered too often", seed, m.ID)
						}
					}
				}
			}
		}()
		if t.Failed() {
			return
		}
	}
}
