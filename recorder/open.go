package recorder

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"reprise"
)

// DB is the database as commands see it.
type DB struct {
	path   string
	read   *sql.DB
	sealed bool // it may not be written to
	// Waiting lists the sessions whose journals could not be taken in, with the reason.
	Waiting map[string]error
}

// Options of Open.
type Options struct {
	// Progress is told how much of a dead session's journal has been taken in. May be nil.
	Progress func(session string, done, total int64)
}

// Open opens the database at path for reading, and makes it when there is
// none. First it completes the sessions whose process is gone from their journals:
// that, and the schema, are all it writes. Journals that can't be taken in now stay, see DB.Waiting.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if file, err := os.OpenFile(path, os.O_RDWR, 0); errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return openSealed(path, err)
	} else if err == nil {
		file.Close()
	}
	w, err := openWriterPatiently(ctx, path)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	db := &DB{path: path, read: openReader(path), Waiting: map[string]error{}}
	db.completeAll(ctx, &store{w}, o)
	return db, nil
}

// openSealed opens a database that may not be written to, as it is: nothing is taken in.
func openSealed(path string, why error) (*DB, error) {
	if err := recognise(path); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	read, err := openImmutable(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db := &DB{path: path, read: read, sealed: true, Waiting: map[string]error{}}
	for _, j := range Journals(path) {
		db.Waiting[j.Session] = why
	}
	return db, nil
}

// Close closes the database.
func (db *DB) Close() error { return db.read.Close() }

// Path is the file.
func (db *DB) Path() string { return db.path }

func openWriterPatiently(ctx context.Context, path string) (w *sql.DB, err error) {
	err = retry(ctx, patience, func() error {
		w, err = openWriter(ctx, path)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return w, nil
}

// patience is how long commands wait for another process that holds the database.
const patience = 5 * time.Second

// completeAll takes in the journals of dead processes.
func (db *DB) completeAll(ctx context.Context, s *store, o Options) {
	entries, err := os.ReadDir(journalDir(db.path))
	if errors.Is(err, fs.ErrPermission) {
		db.Waiting["journal"] = err
		return
	} // any other error: there is none before the first session
	live := map[string]bool{}
	for _, e := range entries {
		id, unnamed := strings.CutSuffix(e.Name(), ".new")
		name := filepath.Join(journalDir(db.path), e.Name())
		switch {
		case strings.HasPrefix(id, ".") || e.IsDir():
			continue // not ours
		case unnamed:
			removeStale(name)
			continue
		}
		switch err := db.completeOne(ctx, s, name, o); {
		case errors.Is(err, errHeld):
			live[id] = true
		case err != nil:
			db.Waiting[id] = err
			live[id] = true
		}
	}
	db.completeLost(ctx, s, live)
}

// removeStale removes a journal whose maker died before it had a name.
func removeStale(name string) {
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > time.Minute {
		os.Remove(name)
	}
}

var errHeld = errors.New("the journal belongs to a live session")

// completeOne takes in one journal, if its lock is free, and removes it.
func (db *DB) completeOne(ctx context.Context, s *store, name string, o Options) error {
	file, err := openShared(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if !belongsTo(file, db.path) {
		return nil
	}
	for lock(file) != nil { // its owner lives, or another command is taking it in
		if !beingTaken(file) {
			return errHeld
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil // another command was quicker
	}
	noteTaking(file)
	err = takeIn(ctx, newFiller(s, file), file, func(done, total int64) { o.Progress(filepath.Base(name), done, total) })
	if err != nil {
		return err
	}
	return os.Remove(name)
}

// takeIn fills the database from a whole journal and ends its session.
func takeIn(ctx context.Context, f *filler, file *os.File, progress func(done, total int64)) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	lost, end, err := f.in.header()
	if err != nil && info.Size() < headerSize {
		return nil // killed while it was made: nothing has passed yet
	}
	if err != nil {
		return err
	}
	f.in.limit = info.Size()
	t := taking{filler: f}
	damaged := false
	for done := false; !done; progress(f.in.off, info.Size()) {
		err := retry(ctx, patience, func() (err error) {
			done, err = t.step(ctx)
			return err
		})
		if damaged = errors.Is(err, errDamaged); damaged {
			break
		}
		if err != nil {
			return err
		}
	}
	if damaged || f.in.hole() {
		f.damaged(info.Size())
	}
	f.untold(lost)
	if end == nil {
		end = &ending{At: f.at, Ending: reprise.EndedByKill}
	}
	return retry(ctx, patience, func() error { return t.finish(ctx, *end, always) })
}

// taking fills the database from a journal: facts, and what is derived from them.
type taking struct {
	*filler
	derivation *derivation // of what the filler has stored
}

// step does both in turn.
func (t *taking) step(ctx context.Context) (done bool, err error) {
	done, err = t.filler.step(ctx, time.Now().Add(slice))
	if err == nil && t.session != nil {
		_, err = t.derive(ctx).step(ctx, always)
	}
	return done && err == nil, err
}

func (t *taking) derive(ctx context.Context) *derivation {
	if t.derivation == nil {
		t.derivation = newDerivation(t.session.ID, t.store.db, t.store.transaction(ctx))
	}
	return t.derivation
}

// finish ends the session when all facts are stored and all is derived.
func (t *taking) finish(ctx context.Context, e ending, goOn func() bool) error {
	s, err := t.filler.finish(ctx, e)
	if err != nil || s == nil {
		return err
	}
	return t.derive(ctx).finish(ctx, s.Ending, goOn, func(run runner) error { return run.facts(s) })
}

// damaged notes that the rest of the journal can't be read.
func (f *filler) damaged(size int64) {
	f.framer.Flush(f.at)
	last := f.framer.Last()
	f.gap(reprise.Gap{From: last + 1, To: last, Bytes: size - f.in.off, At: f.at,
		Reason: fmt.Sprintf("the journal is damaged at byte %d", f.in.off)})
}

// untold notes the losses that the header knows of and no record tells.
func (f *filler) untold(lost tally) {
	for _, g := range f.gaps {
		lost.frames, lost.bytes = lost.frames-g.Frames, lost.bytes-g.Bytes
	}
	if lost.bytes <= 0 {
		return
	}
	f.framer.Flush(f.at)
	last, frames := f.framer.Last(), max(lost.frames, 0)
	f.gap(reprise.Gap{From: last + 1, To: last + frames, Frames: frames, Bytes: lost.bytes, At: f.at,
		Reason: "the journal could not be written"})
}

// completeLost ends the sessions that are open in the database and have no journal: somebody deleted it.
func (db *DB) completeLost(ctx context.Context, s *store, live map[string]bool) {
	rows, err := s.db.QueryContext(ctx, `SELECT id FROM sessions WHERE ended_at IS NULL AND NOT imported`)
	if err != nil {
		return
	}
	var lost []string
	for rows.Next() {
		var id string
		if rows.Scan(&id) == nil && !live[id] {
			lost = append(lost, id)
		}
	}
	rows.Close()
	for _, id := range lost {
		if _, err := os.Stat(filepath.Join(journalDir(db.path), id)); err == nil {
			continue // it began a moment ago
		}
		if err := db.endWithoutJournal(ctx, s, id); err != nil {
			db.Waiting[id] = err
		}
	}
}

// endWithoutJournal ends a session at its last frame, with a gap behind it.
func (db *DB) endWithoutJournal(ctx context.Context, s *store, id string) error {
	const last = `coalesce((SELECT max(at_ns) FROM frames WHERE session_id=?1), 0)`
	return s.inTx(ctx, func(run runner) error {
		// Nobody else writes now. Its own process may have ended it a moment ago, and removed the journal.
		session, err := db.Find(ctx, id)
		if err != nil || !session.EndedAt.IsZero() {
			return err
		}
		if err := run(`INSERT INTO gaps SELECT ?1, 1+(SELECT count(*) FROM gaps WHERE session_id=?1), 1+coalesce(max(seq), 0), coalesce(max(seq), 0),
			0, 0, `+last+`, 'the journal is missing' FROM frames WHERE session_id=?1`, id); err != nil {
			return err
		}
		session.Ending = reprise.EndedByKill
		if err := run(`UPDATE sessions SET ended_at=started_at+`+last+`, ending=?2, complete=0, gaps=gaps+1 WHERE id=?1`, id, string(session.Ending)); err != nil {
			return err
		}
		return db.rederive(ctx, run, session)
	})
}
