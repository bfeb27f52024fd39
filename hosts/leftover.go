package hosts

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The names of files that are about to get another. A part was never at the target, and is always ours.
const (
	partSuffix = ".part"
	oldSuffix  = ".old" // for a moment on Windows
	newSuffix  = ".new" // of a memo that is being written
	keptPrefix = "kept-"
)

// cleanUp deals with what a killed run left: beside the target, and in the folder of backups. What is neither the text
// before that edit nor the one after it is somebody else's, and is kept.
func (e *editing) cleanUp() error {
	err := errors.Join(remove(e.temporary()+partSuffix), remove(e.memoName(e.key)+newSuffix))
	for _, name := range []string{e.temporary(), e.temporary() + oldSuffix} {
		if found, lookErr := look(name, nil); lookErr != nil {
			if !errors.Is(lookErr, errAbsent) {
				err = errors.Join(err, e.keep(name))
			}
		} else if e.isOurs(found.data) {
			err = errors.Join(err, remove(name))
		} else {
			err = errors.Join(err, e.keep(name))
		}
	}
	if err != nil {
		return about("clean up beside", e.file, err)
	}
	e.removeOrphans()
	return nil
}

func (e *editing) isOurs(data []byte) bool {
	sum := digest(data)
	return e.record.Intent != nil && (sum == e.record.Intent.Before || sum == e.record.Intent.After)
}

// errBeside says that another program's text lies where ours would have to.
var errBeside = errors.New("another version of it lies beside it, and cannot be moved into the backups")

// keep moves a file into the backups. Where that cannot be done it stays where it is, and nothing may be written there.
func (e *editing) keep(name string) error {
	kept := e.backupName(e.key + "/" + keptPrefix + stamp())
	found, err := look(name, nil)
	if err == nil {
		err = writeNew(kept, found.data, os.O_EXCL)
	}
	if err == nil {
		err = remove(name)
	}
	if err != nil {
		e.kept = append(e.kept, name)
		return errBeside
	}
	e.kept = append(e.kept, kept)
	return nil
}

// removeOrphans removes backups that no memo names: their run was killed before the edit. When a memo was ever
// broken, they may be more than that.
func (e *editing) removeOrphans() {
	memos, err := namesIn(filepath.Dir(e.memoName(e.key)))
	broken := func(name string) bool { return strings.HasPrefix(name, e.key+".json"+aside) }
	if err != nil || slices.ContainsFunc(memos, broken) {
		return
	}
	backups, _ := namesIn(e.backupName(e.key))
	for _, name := range backups {
		if full := e.key + "/" + name; full != e.record.Backup && !strings.HasPrefix(name, keptPrefix) {
			_ = e.removeBackup(full)
		}
	}
}
