package reprise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Example secrets, put together so that no scanner takes this file for a leak.
var (
	github = "ghp_" + strings.Repeat("aB3d", 9)
	openai = "sk-" + "proj-" + strings.Repeat("Zx9_", 8)
	claude = "sk-" + "ant-api03-" + strings.Repeat("q7Rt", 6)
	amazon = "AKIA" + "IOSFODNN7EXAMPLE"
	google = "AIza" + strings.Repeat("Sy0-a", 7)
	slack  = "xoxb-" + "2345678901-" + "abcDEF123456"
	stripe = "sk_" + "live_" + strings.Repeat("4eC3", 6)
	npm    = "npm_" + strings.Repeat("a1B2", 9)
	gitlab = "glpat-" + strings.Repeat("xY_9", 5)
	jwt    = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "c2lnbmF0dXJlLXg"
	pem    = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\nAAAA==\n-----END RSA PRIVATE KEY-----"
)

func mask(r *Redactor, s string) string { return string(r.Mask([]byte(s))) }

func TestMaskText(t *testing.T) {
	tests := []struct{ text, want string }{
		{"use " + github + " now", "use «redacted:token:1» now"},
		{"(" + openai + ")", "(«redacted:api-key:1»)"},
		{claude, "«redacted:api-key:1»"},
		{amazon + ".", "«redacted:api-key:1»."},
		{google, "«redacted:api-key:1»"},
		{slack, "«redacted:token:1»"},
		{stripe, "«redacted:api-key:1»"},
		{npm, "«redacted:token:1»"},
		{gitlab, "«redacted:token:1»"},
		{jwt + ",", "«redacted:token:1»,"},
		{"key:\n" + pem + "\nend", "key:\n«redacted:private-key:1»\nend"},
		{pem[:50], "«redacted:private-key:1»"},
		{"Authorization: Bearer abc.def", "Authorization: Bearer «redacted:token:1»"},
		{"authorization: opaque one two\nnext", "authorization: «redacted:token:1»\nnext"},
		{"with bearer a1b2c3d4e5 it works", "with bearer «redacted:token:1» it works"},
		{"Basic dXNlcjpwYXNz!", "Basic «redacted:token:1»!"},
		{"Cookie: a=b; sid=1234\nx", "Cookie: «redacted:cookie:1»\nx"},
		{"mcp-session-id: 5f3c-11", "mcp-session-id: «redacted:session:1»"},
		{"postgres://me:p%40ss@db:5432/x", "postgres://me:«redacted:password:1»@db:5432/x"},
		{"https://" + github + "@github.com/a", "https://«redacted:token:1»@github.com/a"},
		{"https://h/cb?code=abc&state=x,y#z", "https://h/cb?code=«redacted:code:1»&state=«redacted:state:1»#z"},
		{"GET /sse?api_key=k1&page=2&X-Amz-Signature=ff", "GET /sse?api_key=«redacted:api-key:1»&page=2&X-Amz-Signature=«redacted:signature:1»"},
		{"OPENAI_API_KEY=abcd1 x", "OPENAI_API_KEY=«redacted:api-key:1» x"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = «redacted:api-key:1»"},
		{`{"password": "correct horse`, `{"password": "«redacted:password:1»`},
		{`got {"api_key":"abc","n":1} back`, `got {"api_key":"«redacted:api-key:1»","n":1} back`},
		{`got {\"api_key\":\"a\\\"bc\",\"n\":1} back`, `got {\"api_key\":\"«redacted:api-key:1»\",\"n\":1} back`},
		{"password: hunter2", "password: «redacted:password:1»"},
		{"Server=db;Password=pa55;Encrypt=1", "Server=db;Password=«redacted:password:1»;Encrypt=1"},
		// No secrets.
		{"task-management-overview-of-things-2", "task-management-overview-of-things-2"},
		{"the token: required by the server", "the token: required by the server"},
		{"const token = await getToken(1)", "const token = await getToken(1)"},
		{"token=getToken(1)", "token=getToken(1)"},
		{"basic authentication and bearer authentication", "basic authentication and bearer authentication"},
		{"api_key=${API_KEY} --token=$TOKEN password=<password>", "api_key=${API_KEY} --token=$TOKEN password=<password>"},
		{"http://localhost:8080/a?page=1&q=token", "http://localhost:8080/a?page=1&q=token"},
		{"nextPageToken=abcd1234 progressToken=abcd1234", "nextPageToken=abcd1234 progressToken=abcd1234"},
		{"https://user@host/ mailto:a@b.c", "https://user@host/ mailto:a@b.c"},
		{"", ""},
	}
	for _, tt := range tests {
		var r Redactor
		if got := mask(&r, tt.text); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestMaskJSON(t *testing.T) {
	tests := []struct{ frame, want string }{
		{`{ "b" : 1.50,"a":{"apiKey" :"x", "n":1e400}}`, `{ "b" : 1.50,"a":{"apiKey" :"«redacted:api-key:1»", "n":1e400}}`},
		{`{"Authorization":"Bearer abc","x-api-key":"k","set-cookie":["a=1","b=2"]}`,
			`{"Authorization":"Bearer «redacted:token:1»","x-api-key":"«redacted:api-key:1»","set-cookie":["«redacted:cookie:1»","«redacted:cookie:2»"]}`},
		{`{"text":"\u0041 ` + github + ` \"é\" 🎉 \ud83c\udf89 ` + github + `\n"}`, `{"text":"\u0041 «redacted:token:1» \"é\" 🎉 \ud83c\udf89 «redacted:token:1»\n"}`},
		{`{"text":"{\"password\":\"a\\\"b\",\"x\":\"\\u00e9\"}"}`, `{"text":"{\"password\":\"«redacted:password:1»\",\"x\":\"\\u00e9\"}"}`},
		{`{"text":"[{\"t\":\"{\\\"token\\\":\\\"deep\\\"}\"}]"}`, `{"text":"[{\"t\":\"{\\\"token\\\":\\\"«redacted:token:1»\\\"}\"}]"}`},
		{`{"text":"{\"a\":1}\n{\"secret\":\"s\"}"}`, `{"text":"{\"a\":1}\n{\"secret\":\"«redacted:secret:1»\"}"}`},
		{`{"env":[{"name":"DB_PASSWORD","value":"x"},{"name":"MODE","value":"y"}]}`, `{"env":[{"name":"DB_PASSWORD","value":"«redacted:password:1»"},{"name":"MODE","value":"y"}]}`},
		{`{"p\u0061ssword":"x"}`, `{"p\u0061ssword":"«redacted:password:1»"}`},
		{`{"` + github + `":1}`, `{"«redacted:token:1»":1}`},
		{`{"requestState":"abc"}{"requestState":"abc"}`, `{"requestState":"«redacted:state:1»"}{"requestState":"«redacted:state:1»"}`},
		{"\ufeff[{\"token\":\"x\"}]", "\ufeff[{\"token\":\"«redacted:token:1»\"}]"},
		{`{"token":"\ud800"}`, `{"token":"«redacted:token:1»"}`},
		// No secrets.
		{`{"password":{"type":"string"},"required":["password"],"token":7,"secret":null,"apiKey":""}`, ""},
		{`{"signature":"func f(a int)","pwd":"/home/me","auth":"none","key":"abc","progressToken":"abc","cursor":"abc","nextCursor":"abc","nextPageToken":"x"}`, ""},
		{`{"Authorization":"Bearer ${TOKEN}","password":"<your password>"}`, ""},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"token","arguments":{"max_tokens":"12"}}}`, ""},
	}
	for _, tt := range tests {
		var r Redactor
		want := tt.want
		if want == "" {
			want = tt.frame
		}
		if got := mask(&r, tt.frame); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.frame, got, want)
		}
	}
}

// A secret is known by its name in one place and masked everywhere, before it too.
func TestMaskIsConsistent(t *testing.T) {
	capture := []string{
		"starting with s3cr3t/\"value\n",
		`{"jsonrpc":"2.0","id":"s3cr3t/\"value","method":"a","params":{"text":"is s3cr3t/\"value","u":"https://h/?x=s3cr3t%2F%22value"}}`,
		`{"arguments":{"password":"s3cr3t\/\u0022value"}}`,
		`{"text":"{\"a\":\"s3cr3t/\\\"value\"}"}`,
		`{"text":"cut {\"a\":\"s3cr3t/\\\"value"}`,
		`{"text":"https://u:s3cr3t%2F%22value@h"}`,
	}
	var r Redactor
	for _, c := range capture {
		r.Learn([]byte(c))
	}
	for _, c := range capture {
		got := mask(&r, c)
		if strings.Contains(got, "s3cr3t") || strings.Count(got, "«redacted:password:1»") == 0 || strings.Contains(got, ":2»") {
			t.Errorf("%s\ngave %s", c, got)
		}
	}
	if r.Placeholders() != 1 {
		t.Errorf("%d placeholders, want 1", r.Placeholders())
	}
}

func TestShortAndPlainValuesStayElsewhere(t *testing.T) {
	var r Redactor
	r.Learn([]byte(`{"password":"a","token":"production","secret":"tools/call"}`))
	for _, s := range []string{"a banana", "the production server", `{"jsonrpc":"2.0","method":"tools/call"}`} {
		if got := mask(&r, s); got != s {
			t.Errorf("%s became %s", s, got)
		}
	}
}

func TestOwnRules(t *testing.T) {
	r := Redactor{
		Paths:    []string{"params.arguments.ssn", "result.*.0.x", "**.deep"},
		Patterns: []*regexp.Regexp{regexp.MustCompile(`ACME-\d+`), regexp.MustCompile(`user (\w+)`), regexp.MustCompile(`z*`)},
	}
	got := mask(&r, `{"params":{"arguments":{"ssn":123,"ok":"ACME-77 of user bob"},"ssn":"no"},"result":{"a":[{"x":["q",true,{"y":null}]},{"x":"no"}]},"d":{"deep":"w"}}`)
	want := `{"params":{"arguments":{"ssn":"«redacted:own:1»","ok":"«redacted:own:2» of user «redacted:own:3»"},"ssn":"no"},` +
		`"result":{"a":[{"x":["«redacted:own:4»","«redacted:own:5»",{"y":"«redacted:own:6»"}]},{"x":"no"}]},"d":{"deep":"«redacted:own:7»"}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := r.Unused(); !slices.Equal(got, []string{`/z*/`}) {
		t.Errorf("unused are %q", got)
	}
}

// Placeholders that came with the traffic are left alone, and not given to others.
func TestPlaceholdersThatWereThere(t *testing.T) {
	r := Redactor{Patterns: []*regexp.Regexp{regexp.MustCompile(`.+`)}}
	before := `{"token":"«redacted:token:1»","api_key":"\u00abredacted:api-key:1\u00bb"}`
	if got := mask(&r, before); got != `{"token":"«redacted:token:1»","api_key":"\u00abredacted:api-key:1\u00bb"}` {
		// The keys match the pattern of this test; the values must stay.
		if !strings.Contains(got, `:"«redacted:token:1»"`) || !strings.Contains(got, `:"\u00abredacted:api-key:1\u00bb"`) {
			t.Errorf("got %s", got)
		}
	}
	var other Redactor
	other.Learn([]byte(before))
	if got := mask(&other, `{"token":"new"}`); got != `{"token":"«redacted:token:2»"}` {
		t.Errorf("got %s", got)
	}
	if n := other.Placeholders(); n != 3 {
		t.Errorf("%d placeholders, want 3", n)
	}
}

func TestRedactorOfACapture(t *testing.T) {
	s := example()
	s.header.Redaction = ""
	s.header.Session.URL = "https://u:pa55word@h/"
	s.header.Extra = `{"token":"abc"}`
	s.frames = []Frame{newFrame(1, ClientToServer, `{"text":"`+github+`"}`, "\n"), newFrame(2, ClientToServer, `{"password":"pa55word"}`, "\n")}
	s.logs = []Chunk{{Data: []byte("key " + github[:9])}, {Data: []byte(github[9:] + "\n")}}
	s.lines = []CaptureLine{{After: 1, Text: []byte(`,"note":"pa55word"`)}, {After: 1, Text: []byte(`{"http":1,"request_headers":{"Mcp-Session-Id":"s"}}`)}}
	s.end = nil
	export := func(s *stored) string {
		t.Helper()
		var r Redactor
		h, items, err := r.Capture(&s.header, s.items())
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := WriteCapture(&b, h, items); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := `{"reprise":"capture","version":1,"session":{"id":"0193","host":"cursor","server":"tracker","url":"https://u:«redacted:password:1»@h/","transport":"stdio","started_at":"2026-11-30T10:00:00.123456789Z","complete":true},"redaction":{"rules":"default","placeholders":4},"token":"«redacted:token:1»"}
{"stderr":1,"t":0,"text":"key «redacted:token:2»\n"}
{"seq":1,"t":0.001000412,"dir":"c2s","frame":{"text":"«redacted:token:2»"},"note":"«redacted:password:1»"}
{"http":1,"request_headers":{"Mcp-Session-Id":"«redacted:session:1»"}}
{"seq":2,"t":0.002000824,"dir":"c2s","frame":{"password":"«redacted:password:1»"}}
`
	file := export(s)
	if file != want {
		t.Errorf("got\n%s\nwant\n%s", file, want)
	}
	again, err := importFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := export(again); got != file {
		t.Errorf("export, import, export gave\n%s", got)
	}
	again.frames[0].Data = []byte(`{"token":"fresh"}`)
	again.frames[0].Size = int64(len(again.frames[0].Data))
	if got := export(again); !strings.Contains(got, `"placeholders":5`) || !strings.Contains(got, `"«redacted:token:3»"`) {
		t.Errorf("a new secret gave\n%s", got)
	}
}

func TestRedactCommand(t *testing.T) {
	tests := []struct{ args, want []string }{
		{[]string{"npx", "-y", "srv", "--token", "abc", "--port", "1"}, []string{"npx", "-y", "srv", "--token", "«redacted:token:1»", "--port", "1"}},
		{[]string{"srv", "--api-key=X"}, []string{"srv", "--api-key=«redacted:api-key:1»"}},
		{[]string{"mcp-remote", "https://h/?token=t1", "--header", "Authorization: Bearer abc", "-H", "X-Api-Key:k"},
			[]string{"mcp-remote", "https://h/?token=«redacted:token:1»", "--header", "Authorization: Bearer «redacted:token:2»", "-H", "X-Api-Key:«redacted:api-key:1»"}},
		{[]string{"env", "DB_PASSWORD=x", "DEBUG=1", "srv"}, []string{"env", "DB_PASSWORD=«redacted:password:1»", "DEBUG=1", "srv"}},
		{[]string{"docker", "run", "-e", "GITHUB_TOKEN", "-e", "A=" + github}, []string{"docker", "run", "-e", "GITHUB_TOKEN", "-e", "A=«redacted:token:1»"}},
		{[]string{"srv", "postgres://u:p@h/db", "{\"apiKey\":\"abc\"}"}, []string{"srv", "postgres://u:«redacted:password:1»@h/db", "{\"apiKey\":\"«redacted:api-key:1»\"}"}},
		{[]string{"srv", "s3cr3t-value", "--password", "s3cr3t-value"}, []string{"srv", "«redacted:password:1»", "--password", "«redacted:password:1»"}},
		{[]string{"srv", "--token", "${TOKEN}", "--header", "Authorization:${AUTH}", "--token"}, []string{"srv", "--token", "${TOKEN}", "--header", "Authorization:${AUTH}", "--token"}},
		{[]string{"srv", "--token", "--verbose", `C:\a`, "/home/me/token", "", "="}, []string{"srv", "--token", "--verbose", `C:\a`, "/home/me/token", "", "="}},
		{nil, []string{}},
	}
	for _, tt := range tests {
		given := slices.Clone(tt.args)
		got := RedactCommand(tt.args)
		if !slices.Equal(got, tt.want) {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
		if again := RedactCommand(got); !slices.Equal(again, got) {
			t.Errorf("a second time gives %q", again)
		}
		if !slices.Equal(tt.args, given) {
			t.Error("the arguments were changed")
		}
	}
}

// bones is JSON text with the inside of its strings taken out.
func bones(text []byte) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		if text[i] == '"' {
			i += 1 + endOfString(string(text[i+1:]))
			b.WriteByte('"')
		}
	}
	return b.String()
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{
		`{"password":"a\\\"b\u0041","t":"{\"token\":\"x\"}","u":"https://u:p@h/?code=1"}`, "token: a1b2c3d4 Bearer a1b2c3d4e5", github + jwt + pem,
		`{"a":["` + github + `"],"name":"secret","value":"v"}{"b":1}`, "«redacted:token:1»«redacted:x", `{"a":"\ud800\udc00\ud800"}`, `{"token":"«redacted:a:1»b"}`,
		`password=\"a\\"b' secret='x`, "cookie: «redacted:cookie:1»; a", "\xff\xfe=token:\x00", `[[["sk-`, "api_key=abcd,api_key=api_key=abcd", "://:@", "x://a:@b", "--token=«",
	} {
		f.Add([]byte(s), "")
		f.Add([]byte(s), "a.?b")
	}
	f.Fuzz(func(t *testing.T, data []byte, pattern string) {
		var r Redactor
		if own, err := regexp.Compile(pattern); err == nil && pattern != "" && len(pattern) < 50 {
			r.Patterns = []*regexp.Regexp{own}
		}
		kept := bytes.Clone(data)
		r.Learn(data)
		masked := r.Mask(data)
		if !bytes.Equal(data, kept) {
			t.Fatal("the data was changed")
		}
		if json.Valid(data) {
			if !json.Valid(masked) || bones(masked) != bones(data) {
				t.Fatalf("%s\nbecame %s", data, masked)
			}
		}
		if again := r.Mask(masked); !bytes.Equal(again, masked) {
			t.Fatalf("%q\nbecame %q\nand then %q", data, masked, again)
		}
		fresh := Redactor{Patterns: r.Patterns}
		if again := fresh.Mask(masked); !bytes.Equal(again, masked) {
			t.Fatalf("%q\nbecame %q\nand then, for another redactor, %q", data, masked, again)
		}
		RedactCommand(strings.Fields(string(data)))
		RedactCommand([]string{string(data)})
	})
}

func BenchmarkRedactCommand(b *testing.B) {
	for name, args := range map[string][]string{
		"plain":  {"npx", "-y", "@modelcontextprotocol/server-filesystem", "/home/me/projects", "/tmp"},
		"secret": {"mcp-remote", "https://h/?token=abcdef123", "--header", "Authorization: Bearer abc", "--api-key=abcdef123"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				RedactCommand(args)
			}
		})
	}
}

func BenchmarkMask(b *testing.B) {
	var r Redactor
	for i := range 100 {
		r.Learn(fmt.Appendf(nil, `{"password":"s3cr3t-%d"}`, i))
	}
	data := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`{\"a\":\"some text: of a usual kind\"}, `, 1600) + `"}]}}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r.Mask(data)
	}
}
