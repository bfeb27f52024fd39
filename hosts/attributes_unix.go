//go:build unix

package hosts

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// facts are what a file must not lose, and os.FileInfo does not tell on every system.
type facts struct {
	uid, gid int
	links    uint64
}

func factsOf(_ *os.File, info fs.FileInfo) facts {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return facts{links: 1}
	}
	return facts{uid: int(st.Uid), gid: int(st.Gid), links: uint64(st.Nlink)}
}

// errOwner says that the new text would shut out who can use the old one.
var errOwner = errors.New("it belongs to another user or group, which could not be kept")

// dress gives a new file the owner, the extended attributes and the mode of another. The mode comes last: a change of
// the others may take bits of it.
func dress(f *os.File, like sight, target string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if mine := factsOf(f, info); mine.uid != like.facts.uid || mine.gid != like.facts.gid {
		if f.Chown(like.facts.uid, like.facts.gid) != nil {
			return errOwner
		}
	}
	if old, err := os.Open(target); err == nil {
		copyExtended(old, f)
		_ = old.Close()
	}
	return f.Chmod(like.info.Mode().Perm())
}
