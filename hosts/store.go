package hosts

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// Store is our own folder with what is needed to give files back. Its folders are 0700, its files 0600: they have
// the secrets that the config files have.
//
//	memos/KEY.json          what each wrap replaced, and what is being done at the moment
//	backups/KEY/TIME        the file before the first wrap; goes with the last
//	backups/KEY/kept-TIME   what another program wrote and what had to make way; stays
//	locks/KEY               held by who edits the file, and the word in the name of the temporary file
//
// KEY is a digest of the config file's path, links followed.
type Store struct {
	Dir string

	patience time.Duration           // how long a file is tried that others keep changing; 0 is the usual
	swap     func(a, b string) error // exchanges two files; nil is the system's way
	sync     func(folder string)     // puts a folder on the disk; nil is the system's way
}

var (
	// errBusy says that others keep the file from being edited.
	errBusy = errors.New("another program keeps writing it")
	// errAbsent says that there is no such file.
	errAbsent = errors.New("there is no such file")
	// errUnreadable says that a memo is broken. Unwrapping does not need it.
	errUnreadable = errors.New("it cannot be read")
)

const aside = ".unreadable-"

func fileKey(file string) string { return digest([]byte(file))[:32] }

// stamp names a file so that names sort by time.
func stamp() string { return time.Now().UTC().Format("20060102T150405.000000000Z") }

func (s Store) memoName(key string) string { return filepath.Join(s.Dir, "memos", key+".json") }
func (s Store) backupName(name string) string {
	return filepath.Join(s.Dir, "backups", filepath.FromSlash(name))
}
func (s Store) lockName(key string) string { return filepath.Join(s.Dir, "locks", key) }
func (s Store) storing(what string) string { return what + " in " + s.Dir }
func (s Store) failed(what string, e error) error {
	return &StoreError{about("keep", s.storing(what), e)}
}

// StoreError says that our own folder cannot be used. Unwrapping can do without it.
type StoreError struct{ error }

func (e *StoreError) Unwrap() error { return e.error }

// resolve gives the file itself, whatever links lead to it.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return path, err
	}
	file, err := filepath.EvalSymlinks(path)
	if err == nil {
		return file, nil
	}
	if info, lstatErr := os.Lstat(path); lstatErr == nil && info.Mode().IsRegular() {
		return path, nil // folders of Windows that are links of other kinds
	}
	if folder, folderErr := filepath.EvalSymlinks(filepath.Dir(path)); folderErr == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	return path, absent(err)
}

func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errAbsent
	}
	return err
}

// about tells of a failure at the file that a person knows, whichever of ours it was at.
func about(verb, file string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	if errors.As(err, &path) {
		err = path.Err
	} else if errors.As(err, &link) {
		err = link.Err
	}
	return fmt.Errorf("%s %s: %w", verb, file, err)
}

// Memo reads what is remembered of a file, without a lock. It is the zero memo when that is nothing, or cannot be read.
func (s Store) Memo(path string) (Memo, error) {
	file, _ := resolve(path)
	return s.memo(fileKey(file))
}

// Memos reads all that is remembered.
func (s Store) Memos() ([]Memo, error) {
	names, err := namesIn(filepath.Dir(s.memoName("")))
	if err != nil {
		return nil, s.failed("memos", err)
	}
	var memos []Memo
	for _, name := range names {
		key, ok := strings.CutSuffix(name, ".json")
		if !ok {
			continue
		}
		memo, err := s.memo(key)
		if err != nil {
			return memos, err
		}
		if len(memo.Wraps) > 0 {
			memos = append(memos, memo)
		}
	}
	return memos, nil
}

// namesIn lists a folder, if it is there.
func namesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, err
}

// Wrapped lists the files that have wraps as far as is remembered, wherever they are: the table need not know them.
func (s Store) Wrapped() []File {
	memos, _ := s.Memos() // what cannot be read has no file to show
	var files []File
	for _, memo := range memos {
		info, err := os.Stat(memo.File)
		if err != nil || !info.Mode().IsRegular() || memo.Shape.Format == "" {
			continue
		}
		host, known := Find(memo.Host)
		if !known {
			host = Host{ID: memo.Host, Label: memo.Host}
		}
		files = append(files, File{Host: host, Path: memo.File, Place: Place{Scope: User, Shape: &memo.Shape, Note: "wrapped from elsewhere"}})
	}
	return files
}

func (s Store) memo(key string) (Memo, error) {
	known, err := s.recall(key)
	if errors.Is(err, errUnreadable) {
		return Memo{}, nil
	}
	if err != nil {
		return Memo{}, s.failed("memo", err)
	}
	if known.Intent != nil {
		now, _ := look(known.File, nil)
		known.Memo = known.settled(now.data)
	}
	return s.shown(known.Memo), nil
}

// shown is a memo as others see it: with the path of the backup, if there is one.
func (s Store) shown(memo Memo) Memo {
	if memo.Backup != "" {
		memo.Backup = s.backupName(memo.Backup)
	}
	if _, err := os.Lstat(memo.Backup); err != nil {
		memo.Backup = ""
	}
	return memo
}

func (s Store) recall(key string) (record, error) {
	var known record
	data, err := os.ReadFile(s.memoName(key))
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return known, err
	}
	err = json.Unmarshal(data, &known)
	mangled := strings.ContainsRune(known.File, utf8.RuneError) // names need not be UTF-8, JSON is
	if err != nil || fileKey(known.File) != key && !mangled {
		return record{}, errUnreadable
	}
	return known, nil
}

// remember stores a memo. The folder is not synced: should the power fail, the memo is the older one, which is whole.
func (s Store) remember(key string, known record) error {
	data, err := json.Marshal(known)
	if err != nil {
		return err
	}
	name := s.memoName(key)
	if err := writeNew(name+newSuffix, data, os.O_TRUNC); err != nil {
		return err
	}
	return rename(name+newSuffix, name)
}

// forget removes a memo and its backup.
func (s Store) forget(key string, memo Memo) error {
	if err := s.removeBackup(memo.Backup); err != nil {
		return err
	}
	_ = os.Remove(s.backupName(key)) // fails when something is kept in it
	return remove(s.memoName(key))
}

func (s Store) removeBackup(name string) error {
	if name == "" {
		return nil
	}
	return remove(s.backupName(name))
}

func remove(name string) error {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil // a disk that cannot be written says something else
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// writeNew writes a file of the store. how is os.O_TRUNC or os.O_EXCL.
func writeNew(name string, data []byte, how int) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|how, 0o600)
	if err != nil {
		return err
	}
	return fill(f, data)
}

// fill writes a file, and closes it when it is on the disk.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// randomWord is for names that nobody is to guess.
func randomWord() string { return strings.ToLower(rand.Text()[:12]) }
