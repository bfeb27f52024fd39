package hosts

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

const lockPatience = 10 * time.Second

var errHeld = errors.New("another reprise is at it")

// hold waits until nobody else edits the file, and gives the word that our temporary files beside it have in their
// names. The lock's file has it, so that what a killed run left is found without a memo. It is never removed:
// somebody may be waiting for it.
func (s Store) hold(key string) (lock *os.File, word string, err error) {
	name := s.lockName(key)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, "", s.failed("a lock", err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, "", s.failed("a lock", err)
	}
	if err = waitFor(f); err == nil {
		word, err = wordOf(f)
	}
	if err != nil {
		_ = f.Close()
		if errors.Is(err, errHeld) {
			return nil, "", err
		}
		return nil, "", s.failed("a lock", err)
	}
	return f, word, nil
}

func waitFor(f *os.File) error {
	for until := time.Now().Add(lockPatience); ; time.Sleep(10 * time.Millisecond) {
		err := lockFile(f)
		if !errors.Is(err, errHeld) || time.Now().After(until) {
			return err
		}
	}
}

var lockWord = regexp.MustCompile(`^[a-z0-9]{12}$`)

// wordOf reads a lock's word, or gives it one.
func wordOf(f *os.File) (string, error) {
	data, err := io.ReadAll(io.LimitReader(f, 100))
	if err != nil || lockWord.Match(data) {
		return string(data), err
	}
	word := randomWord()
	if err := f.Truncate(0); err != nil {
		return "", err
	}
	_, err = f.WriteAt([]byte(word), 0)
	return word, err
}
