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
	Schema     int
	Bytes      int64  // without free pages
	Check      string // "ok", or what SQLite's quick_check found
	Sessions   int64
	Open       int64
	Gaps       int64
	LostFrames int64
	Journals   []JournalHealth
}

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
		count(*), count(*) FILTER (WHERE ended_at IS NULL), coalesce(sum(gaps), 0), coalesce(sum(lost_frames), 0) FROM sessions`)
	if err := row.Scan(&h.Schema, &h.Bytes, &h.Sessions, &h.Open, &h.Gaps, &h.LostFrames); err != nil {
		return h, explain(err)
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
		if err != nil || strings.HasSuffix(e.Name(), ".new") {
			continue
		}
		list = append(list, JournalHealth{Session: e.Name(), Bytes: info.Size(), Live: held(filepath.Join(journalDir(dbPath), e.Name()))})
	}
	return list
}

// held says whether another process holds the journal.
func held(name string) bool {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return lock(f) != nil
}
