package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestS41_TheExpectationIsForTheJudgeAlone: it is in no report of any form.
func TestS41_TheExpectationIsForTheJudgeAlone(t *testing.T) {
	const secret = "names the oldest of them"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	script, err := os.ReadFile("testdata/analyze.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, capture, _ := strings.Cut(string(script), "-- run.capture.jsonl --\n")
	capture, _, _ = strings.Cut(capture, "-- ")
	session := write("run.capture.jsonl", capture)
	task := write("task.yaml", "task: Which issue is the oldest?\nbudget: 1\nanswer: ISS-4711\nexpectation: "+secret+"\n")
	files := map[string]string{"--html": "r.html", "--markdown": "r.md", "--junit": "r.xml", "--sarif": "r.sarif"}
	args := []string{"analyze", session, "--task", task}
	for flag, name := range files {
		files[flag] = filepath.Join(dir, name)
		args = append(args, flag, files[flag])
	}
	var out bytes.Buffer
	for _, more := range [][]string{nil, {"--json"}} {
		p := &program{stdin: strings.NewReader(""), stdout: &out, stderr: &out, now: time.Now, getenv: func(key string) string { return map[string]string{"REPRISE_DB": filepath.Join(dir, "reprise.db")}[key] }}
		if code := p.run(append(args, more...)); code != 0 {
			t.Fatalf("exit code %d: %s", code, out.String())
		}
	}
	texts := map[string]string{"screen": out.String()}
	for flag, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[flag] = string(data)
	}
	for name, text := range texts {
		if strings.Contains(text, secret) || !strings.Contains(text, "get_issue") {
			t.Errorf("%s: %.2000s", name, text)
		}
	}
}
