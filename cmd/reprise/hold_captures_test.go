//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"reprise/fixtures"
	"reprise/fixtures/fixturetest"
	"reprise/recorder"
)

// TestHosts plays what real hosts and servers said to each other, on both sides
// of a recording, and wants of each call the end that a person has found.
func TestHosts(t *testing.T) {
	fixture, program := fixturetest.Bin(t, "fixture"), fixturetest.Bin(t, "reprise")
	for _, name := range fixtures.Names() {
		t.Run(name, func(t *testing.T) {
			path := newDB(t)
			client := exec.Command(fixture, "player", "-capture", name, "-side", "client", "--",
				program, "record", "--", fixture, "player", "-capture", name, "-side", "server")
			client.Env = append(os.Environ(), "REPRISE_DB="+path)
			out, _ := client.CombinedOutput() // it ends as the captured server did, or with
			if code := client.ProcessState.ExitCode(); code >= 2 && code <= 5 {
				t.Fatalf("the player failed (%d): %s", code, out)
			}
			want, err := fixtures.Expected(name)
			if err != nil {
				t.Fatal(err)
			}
			compareCalls(t, path, want)
		})
	}
}

func compareCalls(t *testing.T, path string, want []fixtures.Call) {
	t.Helper()
	db := openDB(t, path)
	s := lastSession(t, db)
	var got []fixtures.Call
	for e, err := range db.Entries(context.Background(), recorder.Query{Session: s.ID}) {
		if err != nil {
			t.Fatal(err)
		}
		c := e.Call
		got = append(got, fixtures.Call{Direction: c.Direction.String(), ID: c.ID, Method: c.Method, Name: c.Name,
			Status: string(c.Status), Code: c.Code, Late: c.Late})
	}
	if len(got) != len(want) || !s.Complete {
		t.Fatalf("%d calls, want %d; session = %+v", len(got), len(want), s)
	}
	for i, w := range want {
		g := got[i]
		if w.Status == "error" && (g.Code == nil || w.Code == nil || *g.Code != *w.Code) {
			t.Errorf("call %d: code %v, want %v", i+1, g.Code, w.Code)
		}
		g.Code, w.Code, w.Capture = nil, nil, ""
		if g != w {
			t.Errorf("call %d\n got %+v\nwant %+v", i+1, g, w)
		}
	}
}
