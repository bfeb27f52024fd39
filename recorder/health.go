package recorder

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
)

// Health is what `doctor` needs to know of a database.
type Health struct {
	Schema   int
	Bytes    int64  // without free pages
	Check    string // "ok", or what SQLite's quick_check found
	Sessions int64
	Open     int64
	Lost     Missing // what could not be kept
	Paused   Missing // what passed while recording was paused
	Journals []JournalHealth
}

// Missing counts gaps: the two directions of one stretch are one.
type Missing struct{ Gaps, Frames int64 }

// JournalHealth is a journal that is not in the database yet.
type JournalHealth struct {
	Session string
	Bytes   int64
	Live    bool // its proxy is running
}

// Health looks the database over.
func (db *DB) Health(ctx context.Context) (h Health, err error) {
	row := db.read.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size),
		count(*), count(*) FILTER (WHERE ended_at IS NULL AND NOT imported) FROM sessions`)
	if err := row.Scan(&h.Schema, &h.Bytes, &h.Sessions, &h.Open); err != nil {
		return h, explain(err)
	}
	for paused, m := range map[bool]*Missing{true: &h.Paused, false: &h.Lost} {
		row := db.read.QueryRowContext(ctx, `SELECT count(DISTINCT session_id || ' ' || at_ns || reason), coalesce(sum(frames), 0)
			FROM gaps WHERE (reason = ?) = ?`, errPaused.Error(), paused)
		if err := row.Scan(&m.Gaps, &m.Frames); err != nil {
			return h, explain(err)
		}
	}
	var found []string
	err = db.each(ctx, `SELECT quick_check FROM pragma_quick_check`, nil, func(rows *sql.Rows) (bool, error) {
		var line string
		err := rows.Scan(&line)
		found = append(found, line)
		return true, err
	})
	h.Check = strings.Join(found, "; ")
	h.Journals = Journals(db.path)
	return h, err
}

// Journals lists the journals beside a database, which may itself be damaged or gone.
func Journals(dbPath string) []JournalHealth {
	var list []JournalHealth
	entries, _ := os.ReadDir(journalDir(dbPath)) // none before the first session
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || strings.HasSuffix(e.Name(), ".new") || strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			continue
		}
		if ours, live := held(filepath.Join(journalDir(dbPath), e.Name()), dbPath); ours {
			list = append(list, JournalHealth{Session: e.Name(), Bytes: info.Size(), Live: live})
		}
	}
	return list
}

// held says whether the journal is the database's, and whether another process holds it.
func held(name, dbPath string) (ours, live bool) {
	f, err := openShared(name, false)
	if err != nil {
		return true, false
	}
	defer f.Close()
	return belongsTo(f, dbPath), lock(f) != nil
}
