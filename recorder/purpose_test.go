package recorder

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"reprise"
)

// TestASessionOfAReplayIsNeverLast, nor one of verify: while it is open, when it has ended, and after the kill of its process.
func TestASessionOfAReplayIsNeverLast(t *testing.T) {
	path := newPath(t)
	replay := startLive(t, path, func(s *reprise.Session) { s.Purpose = reprise.PurposeReplay })
	replay.send(reprise.ClientToServer, "{}\n")
	replay.end()
	if _, err := open(t, path).Find(context.Background(), "last"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a replay alone is last: %v", err)
	}
	work := startLive(t, path, nil)
	work.end()
	verify := startLive(t, path, func(s *reprise.Session) {
		s.Purpose, s.StartedAt = reprise.PurposeVerify, work.start.Add(time.Second)
	})
	db := open(t, path)
	if s := find(t, db, "last"); s.ID != work.session.ID || s.Purpose != "" {
		t.Errorf("last is %+v", s)
	}
	verify.end()
	for _, l := range []*live{replay, verify} {
		if s := find(t, open(t, path), l.session.ID); s.Purpose != l.session.Purpose {
			t.Errorf("%q is read back as %q", l.session.Purpose, s.Purpose)
		}
	}
	n := 0
	for range db.Sessions(context.Background(), nil) {
		n++
	}
	if n != 3 {
		t.Errorf("%d sessions are listed", n)
	}
}

// TestAHarvestIsLast: it is made to be looked at.
func TestAHarvestIsLast(t *testing.T) {
	path := newPath(t)
	work := startLive(t, path, nil)
	work.end()
	harvest := startLive(t, path, func(s *reprise.Session) {
		s.Purpose, s.StartedAt = reprise.PurposeHarvest, work.start.Add(time.Second)
	})
	harvest.end()
	check := startLive(t, path, func(s *reprise.Session) {
		s.Purpose, s.StartedAt = reprise.PurposeCheck, work.start.Add(2*time.Second)
	})
	check.end()
	if s := find(t, open(t, path), "last"); s.ID != harvest.session.ID || s.Purpose != reprise.PurposeHarvest {
		t.Errorf("last is %+v", s)
	}
}

// TestThePurposeIsInTheCapture, and a capture without one says nothing of it.
func TestThePurposeIsInTheCapture(t *testing.T) {
	for _, purpose := range []string{"", reprise.PurposeVerify} {
		path := newPath(t)
		l := startLive(t, path, func(s *reprise.Session) { s.Purpose = purpose })
		l.end()
		file := exported(t, open(t, path), l.session.ID)
		if bytes.Contains(file, []byte("purpose")) != (purpose != "") {
			t.Errorf("%q: %s", purpose, file)
		}
		other := open(t, newPath(t))
		header, items, err := reprise.ReadCapture(bytes.NewReader(file))
		if err == nil {
			err = other.Import(context.Background(), header, items)
		}
		if err != nil {
			t.Fatal(err)
		}
		if again := exported(t, other, l.session.ID); !bytes.Equal(again, file) {
			t.Errorf("%q: imported and exported it is\n%s, was\n%s", purpose, again, file)
		}
	}
}

func exported(t *testing.T, db *DB, id string) []byte {
	t.Helper()
	header, items, err := db.Capture(context.Background(), find(t, db, id))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := reprise.WriteCapture(&file, header, items); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
