package recorder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// pausePath is the file whose presence pauses every recording of a database.
func pausePath(dbPath string) string { return dbPath + ".paused" }

// Paused says whether recording is paused.
func Paused(dbPath string) bool {
	_, err := os.Lstat(pausePath(dbPath))
	return err == nil
}

// Pause makes every proxy of this database stop recording within a second of traffic. Traffic goes on; what passes is counted as a gap.
func Pause(dbPath string) error {
	if err := os.MkdirAll(filepath.Dir(dbPath), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(pausePath(dbPath), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Resume undoes Pause.
func Resume(dbPath string) error {
	err := os.Remove(pausePath(dbPath))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
