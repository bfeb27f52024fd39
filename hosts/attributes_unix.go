//go:build unix

package hosts

import (
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

// dress gives a new file the owner, the extended attributes and the mode of another. The mode comes last: a change of
// the others may take bits of it.
func dress(f *os.File, like sight, target string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	mode, mine := like.info.Mode().Perm(), factsOf(f, info)
	if mine.uid != like.facts.uid || mine.gid != like.facts.gid {
		if f.Chown(like.facts.uid, like.facts.gid) != nil && mine.gid != like.facts.gid && f.Chown(-1, like.facts.gid) != nil {
			mode &= 0o707 | mode<<3&0o070 // a group that is not the file's may do what everybody may
		}
	}
	if old, err := os.Open(target); err == nil {
		copyExtended(old, f)
		_ = old.Close()
	}
	return f.Chmod(mode)
}
