package reprise

import (
	"slices"
	"strings"
	"testing"
)

// These flags hold a secret on a command line, though their names are usual words elsewhere.
func TestRedactCommandFlags(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"srv --auth S", "srv --auth «redacted:token:1»"},
		{"srv --auth=S", "srv --auth=«redacted:token:1»"},
		{"srv --basic-auth u:S", "srv --basic-auth «redacted:token:1»"},
		{"srv --bearer S", "srv --bearer «redacted:token:1»"},
		{"srv --pat S", "srv --pat «redacted:token:1»"},
		{"srv --github-pat=S", "srv --github-pat=«redacted:token:1»"},
		{"srv --pass S -pass P", "srv --pass «redacted:password:1» -pass «redacted:password:2»"},
		{"srv --db-pass S", "srv --db-pass «redacted:password:1»"},
		{"docker -e DB_PASS=S -e ADO_PAT=P", "docker -e DB_PASS=«redacted:password:1» -e ADO_PAT=«redacted:token:1»"},
		{"srv --access-key-id S", "srv --access-key-id «redacted:api-key:1»"},
		{"srv --aws_access_key_id=S", "srv --aws_access_key_id=«redacted:api-key:1»"},
		{"srv --dsn u:S@tcp(h)/db", "srv --dsn u:«redacted:password:1»@tcp(h)/db"},
		{"srv --dsn u:a/b@c@tcp(h:1)/db?x=1", "srv --dsn u:«redacted:password:1»@tcp(h:1)/db?x=1"},
		{"srv --mysql-dsn=u:S@h", "srv --mysql-dsn=u:«redacted:password:1»@h"},
		{"srv --dsn postgres://u:S@h/db", "srv --dsn postgres://u:«redacted:password:1»@h/db"},
		{"srv --header=X-Api-Key:k", "srv --header=X-Api-Key:«redacted:api-key:1»"},
		{"srv --token='S'", "srv --token='«redacted:token:1»'"},
	} {
		if got := strings.Join(RedactCommand(strings.Fields(tt.args)), " "); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// A secret in a command line that stands in one text, or in a list inside of a list as a
// config file spells it, is a secret all the same.
func TestRedactCommandInOneText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"npx -y foo --token S", "npx -y foo --token «redacted:token:1»"},
		{"npx foo --token=S --port 1", "npx foo --token=«redacted:token:1» --port 1"},
		{"npx foo --api-key S --api-key S", "npx foo --api-key «redacted:api-key:1» --api-key «redacted:api-key:1»"},
		{"export A=1; exec npx foo --password S; echo done", "export A=1; exec npx foo --password «redacted:password:1»; echo done"},
		{"cd /srv && DB_PASS=S API_TOKEN=T npx foo", "cd /srv && DB_PASS=«redacted:password:1» API_TOKEN=«redacted:token:1» npx foo"},
		{`npx foo --pass "S T" --port 1`, `npx foo --pass "«redacted:password:1»" --port 1`},
		{`npx foo --pass='S T' --port 1`, `npx foo --pass='«redacted:password:1»' --port 1`},
		{`npx foo --pass "S`, `npx foo --pass "«redacted:password:1»`},
		{"npx foo\n  --pass \\\"S\\\"\n  --auth T", "npx foo\n  --pass \\\"«redacted:password:1»\\\"\n  --auth «redacted:token:1»"},
		{`bash -c "npx foo --token S"`, `bash -c "npx foo --token «redacted:token:1»"`},
		{`bash -c "sh -c \"npx foo --pass 'S T'\""`, `bash -c "sh -c \"npx foo --pass '«redacted:password:1»'\""`},
		{`"C:\Program Files\foo.exe" --token S`, `"C:\Program Files\foo.exe" --token «redacted:token:1»`},
		{`don't ask --token S`, `don't ask --token «redacted:token:1»`},
		{`curl -H 'X-Api-Key: S' h`, `curl -H 'X-Api-Key: «redacted:api-key:1»' h`},
		{`--stdio=npx foo --token S`, `--stdio=npx foo --token «redacted:token:1»`},
		{`npx gate --stdio="npx foo --token S"`, `npx gate --stdio="npx foo --token «redacted:token:1»"`},
		{`["--token","S"]`, `["--token","«redacted:token:1»"]`},
		{`[["--token", "S"], ["--pass=T"]]`, `[["--token", "«redacted:token:1»"], ["--pass=«redacted:password:1»"]]`},
		{`{"args":["-c","npx foo --pat \"S\""]}`, `{"args":["-c","npx foo --pat \"«redacted:token:1»\""]}`},
		{`--args=["--pat","S"]`, `--args=["--pat","«redacted:token:1»"]`},
	} {
		for _, before := range [][]string{nil, {"sh", "-c"}, {"cmd", "/c"}, {"srv", "--stdio"}} {
			got := RedactCommand(append(slices.Clone(before), tt.text))
			if got[len(before)] != tt.want {
				t.Errorf("after %q\ngot  %s\nwant %s", before, got[len(before)], tt.want)
			}
			if again := RedactCommand(got); !slices.Equal(again, got) {
				t.Errorf("%q\na second time gives %q", got, again)
			}
		}
	}
}

func TestRedactCommandKeeps(t *testing.T) {
	for _, args := range [][]string{
		{"srv", "--author", "Ann", "--path", "/tmp", "--pattern", "*.go", "--bypass", "x", "--passes", "2", "--key", "theme", "--patch", "p"},
		{"srv", "--auth-type", "oauth", "--auth", "oauth", "--auth=none", "--pass-through", "x", "--compat", "y"},
		{"srv", "--dsn", "file:test.db", "--dsn", "/data/a@b.db", "--dsn", "u@tcp(h:1)/db", "--dsn", "tcp(h:1)/db", "--dsn"},
		{"srv", "--pass", "$PASS", "--pat", "${PAT}", "--bearer", "<token>", "--auth", "%AUTH%"},
		{"srv", "--prompt", "list the pass rates: pass, auth and token of each; pass=5 bearer of news"},
		{"srv", "--prompt", "Explain what the --password option is, the --token flag, and password: how it's kept"},
		{"srv", "PASS: 5 tests", "pass=5", "auth=none", "a [b] {c}", "[1, 2]", `{"pass":1,"auth":"none"}`},
		{"npx foo --token $TOKEN --path /x --author 'Ann B' && echo --token; exec bar"},
		{"C:\\Program Files\\srv.exe", "C:\\my dir\\", "/home/me/a b", " ", "[", "[]", "'", `\"`, "= ", ": :", "- -"},
	} {
		if got := RedactCommand(args); !slices.Equal(got, args) {
			t.Errorf("got  %q\nwant %q", got, args)
		}
	}
}
