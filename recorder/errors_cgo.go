//go:build cgo

package recorder

import (
	"errors"

	"github.com/mattn/go-sqlite3"
)

// busy says whether another connection holds the lock we need.
func busy(err error) bool {
	return hasCode(err, sqlite3.ErrBusy) || hasCode(err, sqlite3.ErrLocked)
}

// damaged says whether the file is no usable SQLite database.
func damaged(err error) bool {
	return hasCode(err, sqlite3.ErrCorrupt) || hasCode(err, sqlite3.ErrNotADB)
}

func hasCode(err error, code sqlite3.ErrNo) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == code
}
