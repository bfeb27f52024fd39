//go:build !cgo

package recorder

import (
	"context"
	"database/sql/driver"
	"errors"
)

// connector stands in where there is no cgo, and so no SQLite.
type connector struct{}

var errNoSQLite = errors.New("this build has no SQLite: build it with cgo")

func newConnector(string, string) driver.Connector { return connector{} }

func (connector) Connect(context.Context) (driver.Conn, error) { return nil, errNoSQLite }
func (connector) Driver() driver.Driver                        { return nil }
