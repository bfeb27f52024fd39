package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures"
)

// captured makes a capture of a fixture.
func captured(t testing.TB, name string) *reprise.Capture {
	t.Helper()
	lines, err := fixtures.Capture(name)
	if err != nil {
		t.Fatal(err)
	}
	c := &reprise.Capture{Header: &reprise.CaptureHeader{Session: reprise.Session{ID: "s", Transport: "stdio"}}}
	end := &reprise.CaptureEnd{Ended: true, Ending: reprise.EndedByServer}
	for _, l := range lines {
		at := time.Duration(l.US) * time.Microsecond
		switch {
		case l.Dir == "c2s" || l.Dir == "s2c":
			d := reprise.ClientToServer
			if l.Dir == "s2c" {
				d = reprise.ServerToClient
			}
			data, eol := l.Raw, "\n"
			if strings.HasSuffix(data, "\r") {
				data, eol = strings.TrimSuffix(data, "\r"), "\r\n"
			}
			c.Items = append(c.Items, reprise.CaptureItem{Frame: &reprise.Frame{Seq: int64(len(c.Items) + 1), At: at, Direction: d,
				Data: []byte(data), EOL: eol, Size: int64(len(data))}})
		case l.Dir == "ctl" && !strings.HasPrefix(l.Raw, "exit"):
			end.Ending = reprise.EndedByClient
		}
		end.At = at
	}
	c.Items = append(c.Items, reprise.CaptureItem{End: end})
	return c
}

// framesOf gives the data of one side's frames.
func framesOf(c *reprise.Capture, d reprise.Direction) (all []string) {
	for f := range c.Frames() {
		if f.Direction == d {
			all = append(all, string(f.Data))
		}
	}
	return all
}

// played plays lines of a client's and gives what comes back, without line ends.
func played(s *Server, client []string) (sent []string, report Report) {
	r := s.newRun()
	take := func(lines []line) {
		for _, l := range lines {
			if !l.drop {
				sent = append(sent, strings.TrimRight(string(l.data), "\r\n"))
			}
		}
	}
	take(r.begin())
	for _, l := range client {
		take(r.receive([]byte(l)))
	}
	take(r.end())
	return sent, r.report
}

// TestEveryCaptureComesBack plays the recorded client to the server made of each capture: every recorded frame of the server
// comes back, byte for byte, and nothing else does.
func TestEveryCaptureComesBack(t *testing.T) {
	for _, name := range fixtures.Names() {
		t.Run(name, func(t *testing.T) {
			c := captured(t, name)
			sent, report := played(NewServer(c), framesOf(c, reprise.ClientToServer))
			want := framesOf(c, reprise.ServerToClient)
			slices.Sort(want)
			got := slices.Sorted(slices.Values(sent))
			if report.Lost > 0 {
				got = slices.DeleteFunc(got, func(l string) bool { return strings.Contains(l, fmt.Sprint(codeLost)) })
			}
			for _, l := range want {
				if i, found := slices.BinarySearch(got, l); found {
					got = slices.Delete(got, i, i+1)
				} else {
					t.Errorf("lost:  %.300s", l)
				}
			}
			for _, l := range got {
				t.Errorf("extra: %.300s", l)
			}
			if len(report.Misses) > 0 || len(report.Unused) > 0 {
				t.Errorf("misses %v, unused %v", report.Misses, report.Unused)
			}
		})
	}
}
