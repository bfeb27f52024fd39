package recorder

import (
	"context"
	"database/sql"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// applicationID marks our files ("RPRS"), so that we never write into a stranger's.
const applicationID = 0x52505253

// schemaNewest is the number of the newest migration.
const schemaNewest = 4

//go:embed migrations/*.sql
var migrations embed.FS

var (
	// ErrNewer is a database that a newer Reprise has written.
	ErrNewer = errors.New("the database was written by a newer Reprise: please upgrade")
	// ErrStranger is a SQLite file of another program.
	ErrStranger = errors.New("the file is not a Reprise database")
	// ErrDamaged is a file that SQLite can't read.
	ErrDamaged = errors.New("the database is damaged")
)

// DefaultPath is $REPRISE_DB, else reprise.db in the user's state directory.
func DefaultPath(getenv func(string) string) (string, error) {
	if path := getenv("REPRISE_DB"); path != "" {
		return filepath.Abs(path)
	}
	dir, err := stateDir(getenv)
	if err != nil {
		return "", fmt.Errorf("find state directory: %w", err)
	}
	return filepath.Join(dir, "reprise", "reprise.db"), nil
}

func stateDir(getenv func(string) string) (string, error) {
	switch {
	case runtime.GOOS == "windows":
		if dir := getenv("LOCALAPPDATA"); dir != "" {
			return dir, nil
		}
	case getenv("XDG_STATE_HOME") != "" && filepath.IsAbs(getenv("XDG_STATE_HOME")):
		return getenv("XDG_STATE_HOME"), nil
	}
	home, err := os.UserHomeDir()
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(home, "AppData", "Local"), err
	case "darwin":
		return filepath.Join(home, "Library", "Application Support"), err
	}
	return filepath.Join(home, ".local", "state"), err
}

// recognise refuses a file that is not ours to write into, before SQLite writes
// as much as a mark into it. It reads the header alone
// (https://sqlite.org/fileformat2.html#the_database_header).
func recognise(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return ErrStranger // to open a FIFO is to wait for a writer
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var h [100]byte
	n, err := io.ReadFull(f, h[:])
	switch {
	case n == 0:
		return nil // new
	case err != nil || string(h[:16]) != "SQLite format 3\x00":
		return fmt.Errorf("%w: it does not begin as SQLite's files do", ErrDamaged)
	}
	pages, version, id := binary.BigEndian.Uint32(h[28:]), binary.BigEndian.Uint32(h[60:]), binary.BigEndian.Uint32(h[68:])
	switch {
	case id == applicationID && version > schemaNewest:
		return ErrNewer
	case id != applicationID && (id != 0 || version != 0 || pages > 1):
		return ErrStranger // one page may be ours: made and not filled yet
	}
	return nil
}

// createFile makes the database file before SQLite would, for nobody else to read.
func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn spells a database for the driver, with the pragmas that every connection
// needs. The busy timeout is short: we retry ourselves.
func dsn(path, mode string) string {
	pragmas := url.Values{
		"mode": {mode}, "_busy_timeout": {"50"}, "_foreign_keys": {"on"}, "_synchronous": {"NORMAL"}, "_txlock": {"immediate"},
	}
	if mode == "rw" {
		pragmas.Set("_auto_vacuum", "incremental")
		pragmas.Set("_journal_mode", "WAL")
	}
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?" + pragmas.Encode()
}

// openWriter opens the database with one connection for writing and brings it to our schema.
func openWriter(ctx context.Context, path string) (*sql.DB, error) {
	if err := createFile(path); err != nil {
		return nil, fmt.Errorf("create database: %w", err)
	}
	if err := recognise(path); err != nil {
		return nil, err
	}
	db := sql.OpenDB(newConnector(dsn(path, "rw"), ""))
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db); err != nil {
		db.Close()
		return nil, explain(err)
	}
	return db, nil
}

// openReader opens the database for reading.
func openReader(path string) *sql.DB { return sql.OpenDB(newConnector(dsn(path, "ro"), "")) }

// openImmutable opens a database that nobody can write to, and that may be of an older version.
func openImmutable(path string) (*sql.DB, error) {
	name := dsn(path, "ro") + "&immutable=1"
	look := sql.OpenDB(newConnector(name, ""))
	defer look.Close()
	version, err := schemaVersion(context.Background(), look)
	if err != nil {
		return nil, explain(err)
	}
	var setup []byte
	if version < schemaNewest {
		if setup, err = migrations.ReadFile(fmt.Sprintf("migrations/%04d.sealed.sql", version)); err != nil {
			return nil, err
		}
	}
	return sql.OpenDB(newConnector(name, string(setup))), nil
}

func explain(err error) error {
	if damaged(err) {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return err
}

// migrate applies the migrations that the file has not seen, one transaction each.
func migrate(ctx context.Context, db *sql.DB) error {
	version, err := schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	if version > schemaNewest {
		return ErrNewer
	}
	for number := version + 1; number <= schemaNewest; number++ {
		if err := applyMigration(ctx, db, number); err != nil {
			return fmt.Errorf("migrate database to version %d: %w", number, err)
		}
	}
	return nil
}

// schemaVersion reads how many migrations the file has seen, and refuses a stranger's.
func schemaVersion(ctx context.Context, db queryer) (version int, err error) {
	var id, tables int
	row := db.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)`)
	if err := row.Scan(&id, &version, &tables); err != nil {
		return 0, err
	}
	if id != applicationID && (id != 0 || version != 0 || tables != 0) {
		return 0, ErrStranger
	}
	return version, nil
}

type queryer interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

func applyMigration(ctx context.Context, db *sql.DB, number int) error {
	text, err := migrations.ReadFile(fmt.Sprintf("migrations/%04d.sql", number))
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Another process may have been quicker.
	if version, err := schemaVersion(ctx, tx); err != nil || version >= number {
		return err
	}
	marks := fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, number)
	if _, err := tx.ExecContext(ctx, string(text)+marks); err != nil {
		return err
	}
	return tx.Commit()
}

// retry repeats f while another connection holds the database, until patience is over.
func retry(ctx context.Context, patience time.Duration, f func() error) error {
	end := time.Now().Add(patience)
	for {
		err := f()
		if err == nil || !busy(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
