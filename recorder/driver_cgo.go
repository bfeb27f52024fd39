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

func newConnector(dsn string) driver.Connector {
	return connector{dsn, &sqlite3.SQLiteDriver{ConnectHook: register}}
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.driver }
