//go:build !cgo

package recorder

// Without cgo there is no SQLite, and no error of its.

func busy(error) bool    { return false }
func damaged(error) bool { return false }
