package hosts

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// How a file is replaced without losing what another program writes at the same moment
//
// A rename would destroy what was written since the last look. So the new text and the file change places, in one
// step, and then we look at what came out:
//
//	beside it   target
//	new         read         before
//	read        new          the exchange. What came out is what was read: done
//	newer       new          what came out is something else: it goes back at once
//	new         newer        and we begin anew, from reading
//
// What comes out when it goes back has to be ours, untouched. If it is not, somebody wrote in that moment, and that is
// newer still. Programs write by rename, or into the file itself; in the latter case the content is right only
// when nobody has the file open for writing any more. Whoever asked for the file's place just before
// an exchange, and writes into it just after, is found by a second look some milliseconds later.

const (
	maxConfig         = 64 << 20
	mostRounds        = 50
	patienceForWriter = time.Second
)

var (
	// errChanged says that another program was faster.
	errChanged   = errors.New("it changed meanwhile")
	errIrregular = errors.New("it is not a regular file")
	errLarge     = errors.New("it is larger than 64 MiB")
	// ErrLinked refuses a file that has a second name.
	ErrLinked = errors.New("it has another name (a hard link), which would keep the old content")
)

// sight is a file as it was seen at one moment.
type sight struct {
	data  []byte
	info  fs.FileInfo
	facts facts
	quiet bool // nobody has it open for writing, as far as the system tells
}

// look reads a file, into room if that is large enough. It follows no link.
func look(name string, room []byte) (sight, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return sight{}, absent(err)
	}
	if !info.Mode().IsRegular() {
		return sight{}, errIrregular
	}
	f, err := openShared(name)
	if err != nil {
		return sight{}, absent(err)
	}
	defer f.Close()
	return lookAt(f, room)
}

func lookAt(f *os.File, room []byte) (s sight, err error) {
	if s.info, err = f.Stat(); err != nil {
		return s, err
	}
	if s.info.Size() > maxConfig {
		return s, errLarge
	}
	if int64(cap(room)) <= s.info.Size() {
		room = make([]byte, s.info.Size()+1)
	}
	room = room[:cap(room)]
	n, err := io.ReadFull(f, room)
	if err == nil {
		return s, errChanged // it grew
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return s, err
	}
	s.data, s.facts, s.quiet = room[:n], factsOf(f, s.info), quiet(f)
	return s, nil
}

// equals says whether two sights show the same text in the same dress.
func (s sight) equals(o sight) bool {
	return s.info != nil && o.info != nil && s.facts == o.facts && s.info.Mode() == o.info.Mode() && bytes.Equal(s.data, o.data)
}

// is says whether two sights show the same file, unchanged.
func (s sight) is(o sight) bool { return s.equals(o) && os.SameFile(s.info, o.info) }

// place puts the new text, which lies ready at e.temporary(), at the target. errChanged means that the
// target has what another program wrote, and that nothing lies beside it any more.
func (e *editing) place(read, ours sight) (err error) {
	room := make([]byte, len(read.data)+1)
	now, err := look(e.file, room)
	if err != nil || !now.quiet || !now.equals(read) || !unchanged(e.file, now.info) {
		return errors.Join(errChanged, remove(e.temporary()))
	}
	err = e.exchange()
	if out, outErr := os.Lstat(e.temporary()); err == nil && outErr == nil && !os.SameFile(out, now.info) {
		e.record = e.intended // somebody may have seen our text and gone on from it
		e.putBack(sight{}, ours, read, ours)
		return errChanged
	}
	came, same := e.came(read, room)
	switch happened := err == nil || came.info != nil && !came.is(ours); { // an error may be of what came after it
	case !happened && cannotExchange(err):
		return e.replace(read)
	case !happened:
		return errors.Join(e.notExchanged(err), remove(e.temporary()))
	case same:
		e.syncFolder()
		came, same = e.came(read, nil)
	}
	if e.record = e.intended; same { // if not, somebody may have seen our text and gone on from it
		return remove(e.temporary())
	}
	e.putBack(came, ours, read, ours)
	return errChanged
}

// came looks at what came out, and says whether it is what was read and nobody is at it.
func (e *editing) came(read sight, room []byte) (came sight, same bool) {
	came, err := look(e.temporary(), room)
	if err != nil {
		return sight{}, false
	}
	return came, came.quiet && came.equals(read)
}

// unchanged is the last look, and takes a microsecond: what is renamed to the target behind it comes out.
func unchanged(name string, seen fs.FileInfo) bool {
	now, err := os.Lstat(name)
	return err == nil && os.SameFile(now, seen) && now.Size() == seen.Size() && now.ModTime().Equal(seen.ModTime())
}

func (e *editing) exchange() error {
	if e.swap != nil {
		return e.swap(e.temporary(), e.file)
	}
	return swapFiles(e.temporary(), e.file)
}

// cannotExchange says that the file system has no such thing.
func cannotExchange(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

func (e *editing) notExchanged(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errChanged // somebody has removed the file, and may write it again
	}
	return about("write", e.file, err)
}

// replace is for where there is no exchange: what is written after this last look is lost.
func (e *editing) replace(read sight) error {
	e.window = true
	if now, err := look(e.file, nil); err != nil || !now.quiet || !now.equals(read) {
		return errors.Join(errChanged, remove(e.temporary()))
	}
	if err := rename(e.temporary(), e.file); err != nil {
		return errors.Join(about("write", e.file, err), remove(e.temporary()))
	}
	e.record = e.intended
	e.syncFolder()
	return nil
}

// putBack gives the target what another program wrote last. It starts with newest beside the target, and placed at
// it by us; newest need not have been read. Each round ends it but when somebody wrote in the microseconds since the exchange before.
func (e *editing) putBack(newest, placed sight, harmless ...sight) {
	for range mostRounds {
		if e.exchange() != nil {
			break // the target was removed, or worse
		}
		came, untouched := e.untouched(placed)
		if untouched {
			e.clear(came, harmless)
			return
		}
		if newest.info == nil {
			newest, _ = look(e.file, nil)
		}
		placed, newest = newest, came
	}
	_ = e.keep(e.temporary())
}

// untouched says whether what came out is what we had placed there. Somebody may have opened it meanwhile
// and not written yet.
func (e *editing) untouched(placed sight) (came sight, same bool) {
	for _, last := range []bool{false, true} {
		for until := time.Now().Add(patienceForWriter); ; time.Sleep(time.Millisecond) {
			came, _ = look(e.temporary(), nil)
			if !came.is(placed) {
				return came, false
			}
			if came.quiet || time.Now().After(until) {
				break
			}
		}
		if !last {
			e.syncFolder()
		}
	}
	return came, true
}

// clear removes what lies beside the target, unless that is somebody else's.
func (e *editing) clear(came sight, harmless []sight) {
	for _, s := range harmless {
		if bytes.Equal(came.data, s.data) {
			_ = remove(e.temporary())
			return
		}
	}
	_ = e.keep(e.temporary())
}

func (e *editing) syncFolder() {
	if e.sync != nil {
		e.sync(filepath.Dir(e.file))
		return
	}
	syncFolder(filepath.Dir(e.file))
}
