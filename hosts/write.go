package hosts

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	usualPatience = 5 * time.Second
	lookAgain     = 50 * time.Millisecond
	longestPause  = 16 * time.Millisecond
)

// Edited is what came of an edit.
type Edited struct {
	Changed bool
	Backup  string   // the file as it was before the first wrap; "" when nothing is wrapped
	Kept    []string // what other programs wrote and what had to make way, after a kill above all: copies in the backups
	Window  bool     // the file system cannot exchange two files: a change in the instant before the rename could be lost
}

// changer gets a config file's bytes and what is remembered of it, and gives the new bytes. It may alter the memo's
// wraps. It may be called again, with newer bytes and the first memo.
type changer = func(src []byte, memo *Memo) ([]byte, error)

// Edit changes a config file. Programs that write it at the same time lose nothing; killed at any moment, it
// leaves the old file or the new one, and the next edit cleans up. When change gives what it got, nothing is
// written but the memo, if that was altered.
func (s Store) Edit(path string, change func(src []byte, memo *Memo) ([]byte, error)) (Edited, error) {
	file, err := resolve(path)
	if err == nil {
		var seen sight
		if seen, err = look(file, nil); passing(seen, err) { // before there are folders of ours
			time.Sleep(lookAgain)
			_, err = look(file, nil)
		}
	}
	if err != nil && !errors.Is(err, errChanged) {
		return Edited{}, about("edit", path, err)
	}
	e := &editing{Store: s, file: file, key: fileKey(file)}
	lock, word, err := s.hold(e.key)
	if err != nil {
		return Edited{}, about("edit", path, err)
	}
	defer lock.Close()
	e.word = word
	err = e.run(change)
	if now, _ := resolve(path); err == nil && e.changed && now != file {
		return s.Edit(path, change) // the path leads to another file since
	}
	memo := s.shown(e.record.Memo)
	return Edited{Changed: e.changed, Backup: memo.Backup, Kept: e.kept, Window: e.window}, err
}

// editing is one edit of one file, with the lock held.
type editing struct {
	Store
	file, key, word string

	record   record // what is known to be so
	intended record // what will be so once the file has its new text
	dirty    bool   // the stored memo is not the one that is known

	changed, window bool
	kept            []string
}

// temporary is the name of the new text beside the file. Names have at most 255 bytes.
func (e *editing) temporary() string {
	name := filepath.Base(e.file)
	return filepath.Join(filepath.Dir(e.file), "."+name[:min(len(name), 200)]+".reprise-"+e.word)
}

func (e *editing) run(change changer) error {
	err := e.begin()
	if err != nil {
		return err
	}
	patience := e.patience
	if patience == 0 {
		patience = usualPatience
	}
	pause := time.Millisecond // short at first: who has just written has a pause too
	for until := time.Now().Add(patience); ; pause = min(2*pause, longestPause) {
		if err = e.try(change); !errors.Is(err, errChanged) {
			return e.end(err)
		}
		if time.Now().After(until) {
			return e.end(about("edit", e.file, errBusy))
		}
		time.Sleep(rand.N(pause)) // out of step with whoever writes
	}
}

// begin reads the memo, and cleans up after a run that was killed.
func (e *editing) begin() (err error) {
	e.record, err = e.recall(e.key)
	if errors.Is(err, errUnreadable) {
		err = rename(e.memoName(e.key), e.memoName(e.key)+aside+stamp())
	}
	if err != nil {
		return e.failed("memo", err)
	}
	e.dirty = e.record.Intent != nil
	return e.cleanUp()
}

// end stores what is known, if that is not what is stored.
func (e *editing) end(err error) error {
	if !e.dirty {
		return err
	}
	if e.record.Intent != nil {
		now, lookErr := look(e.file, nil)
		if lookErr != nil {
			return err // whoever comes next will see
		}
		e.record = record{Memo: e.record.settled(now.data)}
	}
	if storeErr := e.store(); err == nil && storeErr != nil && !e.changed { // else what is stored says the same, with an intent
		err = e.failed("memo", storeErr)
	}
	return err
}

func (e *editing) store() error {
	e.record.File = e.file
	if len(e.record.Wraps) > 0 {
		return e.remember(e.key, e.record)
	}
	return e.forget(e.key, e.record.Memo)
}

// try makes one attempt. errChanged means that another program was faster.
func (e *editing) try(change changer) error {
	read, err := e.see()
	if err != nil {
		return err
	}
	known := e.record.settled(read.data)
	known.File = e.file
	wanted := e.shown(known)
	wanted.Wraps = slices.Clone(known.Wraps) // a change may alter them in place
	data, err := change(bytes.Clone(read.data), &wanted)
	next := known
	next.Wraps, next.Host, next.Shape = wanted.Wraps, wanted.Host, wanted.Shape
	if err != nil || bytes.Equal(data, read.data) {
		return e.leave(read, known, next, err)
	}
	return e.write(read, known, next, data)
}

// passing says whether a file may be another one in a moment: some programs remove it to write it, or give the old one another name.
func passing(s sight, err error) bool {
	return errors.Is(err, errAbsent) || err == nil && s.facts.links > 1
}

// see reads the file when nobody is writing it.
func (e *editing) see() (sight, error) {
	read, err := look(e.file, nil)
	for range 50 {
		if err != nil || read.quiet {
			break
		}
		time.Sleep(time.Millisecond)
		read, err = look(e.file, nil)
	}
	if passing(read, err) {
		time.Sleep(lookAgain)
		read, err = look(e.file, nil)
	}
	switch {
	case errors.Is(err, errChanged) || err == nil && !read.quiet:
		return read, errChanged
	case err == nil && read.facts.links > 1:
		err = ErrLinked
	}
	if err != nil {
		return read, about("edit", e.file, err)
	}
	return read, nil
}

// leave is for when there is nothing to write. What was judged may have been half a file.
func (e *editing) leave(read sight, known, next Memo, err error) error {
	if err != nil {
		time.Sleep(lookAgain)
	}
	if now, lookErr := look(e.file, nil); lookErr != nil || !now.quiet || !now.equals(read) {
		return errChanged
	}
	if err != nil {
		return err
	}
	e.dirty = e.dirty || !slices.EqualFunc(known.Wraps, next.Wraps, Wrap.equals)
	e.record = record{Memo: next}
	return nil
}

// write makes everything ready, puts the new text at the target, and reads it back.
func (e *editing) write(read sight, known, next Memo, data []byte) error {
	if len(known.Wraps) == 0 {
		if err := e.removeBackup(known.Backup); err != nil {
			return e.failed("backup", err)
		}
		next.Backup = e.key + "/" + stamp()
		known.Backup = next.Backup // it goes again if this comes to nothing
	}
	e.record = record{Memo: known}
	e.intended = record{Memo: next, Intent: &intent{Before: digest(read.data), After: digest(data), Was: known.Wraps}}
	e.dirty = true
	ours, err := e.ready(read, data)
	if err == nil {
		err = e.place(read, ours)
	}
	if err != nil {
		return err
	}
	e.changed = true
	if now, err := look(e.file, nil); err != nil || !now.equals(ours) {
		return errChanged
	}
	e.record = record{Memo: next}
	return nil
}

// ready puts the memo, the backup and the new text on the disk, at the same time: the longer it takes
// the likelier it is that another program writes the file.
func (e *editing) ready(read sight, data []byte) (ours sight, err error) {
	if _, err := os.Lstat(e.temporary()); err == nil {
		return ours, about("write", e.file, errBeside)
	}
	var memo, backup, text error
	var all sync.WaitGroup
	all.Go(func() { memo = e.remember(e.key, e.intended) })
	all.Go(func() { backup = e.backUp(read.data) })
	all.Go(func() { text = e.newText(read, data) })
	all.Wait()
	switch {
	case text != nil:
		err = about("write", e.file, text)
	case backup != nil:
		err = e.failed("backup", backup)
	case memo != nil:
		err = e.failed("memo", memo)
	}
	if err == nil {
		err = rename(e.temporary()+partSuffix, e.temporary())
	}
	if err == nil {
		ours, err = look(e.temporary(), nil)
	}
	if err != nil {
		err = errors.Join(err, remove(e.temporary()+partSuffix), remove(e.temporary()))
	}
	return ours, err
}

// backUp keeps the file as it is before the first wrap.
func (e *editing) backUp(data []byte) error {
	if len(e.record.Wraps) > 0 {
		return nil
	}
	return writeNew(e.backupName(e.intended.Backup), data, os.O_EXCL)
}

func (e *editing) newText(read sight, data []byte) error {
	f, err := os.OpenFile(e.temporary()+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := dress(f, read, e.file); err != nil {
		return errors.Join(err, f.Close())
	}
	return fill(f, data)
}
