//go:build cgo

package recorder

import (
	"context"
	"database/sql/driver"

	"github.com/mattn/go-sqlite3"
)

// connector opens connections that know our functions, without registering a driver for the whole program.
type connector struct {
	dsn    string
	driver *sqlite3.SQLiteDriver
}

// newConnector takes what every connection executes first.
func newConnector(dsn, setup string) driver.Connector {
	return connector{dsn, &sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error { return prepare(conn, setup) }}}
}

func prepare(conn *sqlite3.SQLiteConn, setup string) error {
	// Each checkpoint waits for the disk twice; 16 MiB of log are worth one.
	if _, err := conn.Exec(`PRAGMA wal_autocheckpoint=4000;`+setup, nil); err != nil {
		return err
	}
	return register(conn)
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.driver }
