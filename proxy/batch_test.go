package proxy

import (
	"errors"
	"testing"
)

func TestBatchLine(t *testing.T) {
	for _, tt := range []struct {
		path string
		args []string
		want string
	}{
		{`C:\npm\npx.cmd`, nil, `""C:\npm\npx.cmd""`},
		{`C:\Program Files\npx.cmd`, []string{"-y", "@scope/name@1.0"}, `""C:\Program Files\npx.cmd" -y @scope/name@1.0"`},
		{`C:\100%\a.bat`, nil, `""C:\100%%cd:~,%\a.bat""`},
		{`x.cmd`, []string{""}, `""x.cmd" """`},
		{`x.cmd`, []string{"a b", "a&b", "a^b", "a|b", "a<b>c", "(a)", "!a!", "a,b;c=d"},
			`""x.cmd" "a b" "a&b" "a^b" "a|b" "a<b>c" "(a)" "!a!" "a,b;c=d""`},
		{`x.cmd`, []string{`{"a":"b"}`}, `""x.cmd" "{""a"":""b""}""`},
		{`x.cmd`, []string{`"&calc.exe`}, `""x.cmd" """&calc.exe""`},
		{`x.cmd`, []string{`%PATH%`, `100%`}, `""x.cmd" "%%cd:~,%PATH%%cd:~,%" "100%%cd:~,%""`},
		{`x.cmd`, []string{`C:\dir\`, `C:\d r\`, `a\"b`, `a\b`}, `""x.cmd" "C:\dir\\" "C:\d r\\" "a\\""b" a\b"`},
		{`x.cmd`, []string{"é🎉"}, `""x.cmd" "é🎉""`},
	} {
		got, err := batchLine(tt.path, tt.args)
		if want := "cmd.exe /e:ON /v:OFF /d /c " + tt.want; got != want || err != nil {
			t.Errorf("%s %q\n got %s, %v\nwant %s", tt.path, tt.args, got, err, want)
		}
	}
}

func TestBatchLineRefusesWhatCannotBeQuoted(t *testing.T) {
	for _, args := range [][]string{{"a\nb"}, {"a\rb"}, {"ok", "a\x00"}} {
		if line, err := batchLine("x.cmd", args); !errors.Is(err, errUnquotable) {
			t.Errorf("%q gave %s, %v", args, line, err)
		}
	}
	for _, path := range []string{`a"b.cmd`, `a\`} {
		if line, err := batchLine(path, nil); !errors.Is(err, errUnquotable) {
			t.Errorf("%q gave %s, %v", path, line, err)
		}
	}
}

func TestIsBatch(t *testing.T) {
	for path, want := range map[string]bool{
		`C:\npm\npx.cmd`: true, `x.BAT`: true, `x.cmd. .`: true,
		`x.exe`: false, `x.cmd.exe`: false, `cmd`: false, `C:\x.cmd\node.exe`: false,
	} {
		if got := isBatch(path); got != want {
			t.Errorf("isBatch(%q) = %v", path, got)
		}
	}
}
