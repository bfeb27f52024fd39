package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"reprise"
	"reprise/recorder"
)

// TestTapedIsRecorded lets a client and a server of our own process talk, each side recorded once.
func TestTapedIsRecorded(t *testing.T) {
	for purpose, client := range map[string]bool{reprise.PurposeReplay: false, reprise.PurposeVerify: true} {
		t.Run(purpose, func(t *testing.T) {
			const calls = 500
			path := filepath.Join(t.TempDir(), "reprise.db")
			log, elapsed := tape(t, path, purpose)
			near, far := net.Pipe()
			var asks, answers io.ReadWriteCloser = near, far
			if client { // `verify` is the client, `replay` the server
				asks = tapeServer(near, log, elapsed)
			} else {
				answers = tapeClient(far, log, elapsed)
			}
			var work sync.WaitGroup
			work.Go(func() { answerPings(answers) })
			work.Go(func() {
				defer asks.Close()
				lines := bufio.NewReader(asks)
				for range calls { // while another goroutine writes
					if _, err := lines.ReadString('\n'); err != nil {
						t.Error(err)
						return
					}
				}
			})
			for i := range calls {
				fmt.Fprintf(asks, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
			}
			work.Wait()
			log.End(reprise.EndedByClient, nil, 10*time.Second)
			checkTaped(t, path, purpose, calls)
		})
	}
}

func tape(t *testing.T, path, purpose string) (*recorder.Recorder, func() time.Duration) {
	t.Helper()
	start := time.Now()
	elapsed := func() time.Duration { return time.Since(start) }
	id, err := reprise.NewID(start)
	if err != nil {
		t.Fatal(err)
	}
	s := reprise.Session{ID: id, Server: "pings", Transport: "stdio", StartedAt: start, Purpose: purpose}
	return recorder.Start(path, s, elapsed, func(w string) { t.Error(w) }), elapsed
}

// answerPings answers each line at once.
func answerPings(rw io.ReadWriter) {
	lines := bufio.NewScanner(rw)
	for i := 0; lines.Scan(); i++ {
		fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", i)
	}
}

func checkTaped(t *testing.T, path, purpose string, calls int64) {
	t.Helper()
	db, err := recorder.Open(context.Background(), path, recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	n := 0
	for s, err := range db.Sessions(context.Background(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if s.Purpose != purpose || s.Calls != calls || s.Frames != 2*calls || s.Orphans != 0 || !s.Complete {
			t.Errorf("session %+v", s)
		}
	}
	if n != 1 {
		t.Errorf("%d sessions", n)
	}
}
