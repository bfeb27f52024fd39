package recorder

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"reprise"
)

// A journal is the append-only file of one session:
//
//	header  "RPRSJNL1", lost frames 8, lost bytes 8, end: time 8, exit code 4, has one 1, how 1, taken in 1, zero 1, mark of the database 8; all little endian; zeros up to 64
//	record  kind 1, direction 1, flags 1, zero 1, length 4, time 8, stream 8,
//	        then length bytes, then zeros up to a multiple of 8
//	rest    zeros: a record's first eight bytes are written last
//
// What append came back from survives our death. The losses and the end stand
// at a fixed place too, so that they can be noted when no byte more fits on the disk.
const (
	journalMagic = "RPRSJNL1"
	headerSize   = 64
	takenAt      = 38
	markAt       = 40
	recordSize   = 24
	maxRecord    = 1 << 30
	overhang     = 512 << 10 // a record of a mapped journal is no longer
)

type recordKind byte

const (
	kindSession recordKind = 'S' // the session as JSON; always the first record
	kindChunk   recordKind = 'C' // bytes of a direction
	kindReduced recordKind = 'R' // metadata only: size 8, line end 1, skeleton
	kindLoss    recordKind = 'L' // a loss as JSON
)

const (
	flagWithheld  = 1
	flagTruncated = 2
)

// record is one entry of a journal.
type record struct {
	kind   recordKind
	dir    reprise.Direction
	flags  byte
	at     time.Duration
	stream int64
	data   []byte
}

// tag is the first eight bytes, which make it a record.
func (r *record) tag() uint64 {
	return uint64(r.kind) | uint64(r.dir)<<8 | uint64(r.flags)<<16 | uint64(len(r.data))<<32
}

// length is what it takes in the file.
func (r *record) length() int64 { return recordSize + aligned(len(r.data)) }

func aligned(n int) int64 { return int64(n+7) &^ 7 }

// journal is the writing end.
type journal struct {
	name string
	file *os.File
	size int64  // up to the end of the last record
	view mapped // where the system lets us write without a system call
}

// journalDir is where the sessions of a database that are not all in it yet have their journals.
func journalDir(dbPath string) string { return filepath.Join(filepath.Dir(dbPath), "journal") }

// createJournal makes the file under another name and renames it when it is
// locked: a journal that another process sees unlocked belongs to the dead.
func createJournal(dbPath, session string) (*journal, error) {
	dir := journalDir(dbPath)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, session)
	file, err := openShared(name+".new", true)
	if err != nil {
		return nil, err
	}
	j := &journal{name: name, file: file}
	if err := j.begin(markOf(dbPath)); err != nil {
		file.Close()
		os.Remove(name + ".new")
		return nil, err
	}
	return j, nil
}

// markOf tells the databases of one folder apart: each takes in its own journals.
func markOf(dbPath string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(filepath.Base(dbPath)))
	return h.Sum64()
}

func (j *journal) begin(mark uint64) error {
	if err := lock(j.file); err != nil {
		return fmt.Errorf("lock journal: %w", err)
	}
	var header [headerSize]byte
	copy(header[:], journalMagic)
	binary.LittleEndian.PutUint64(header[markAt:], mark)
	if _, err := j.file.Write(header[:]); err != nil {
		return err
	}
	j.size = headerSize
	return os.Rename(j.name+".new", j.name)
}

// append writes one record. After an error nothing of it is left.
func (j *journal) append(r *record) error {
	written, err := j.view.append(j.file, j.size, r)
	if !written && err == nil {
		err = j.write(r)
	}
	if err == nil {
		j.size += r.length()
	}
	return err
}

// write appends with one system call.
func (j *journal) write(r *record) error {
	var head [recordSize]byte
	binary.LittleEndian.PutUint64(head[:], r.tag())
	binary.LittleEndian.PutUint64(head[8:], uint64(r.at))
	binary.LittleEndian.PutUint64(head[16:], uint64(r.stream))
	n, err := writeAll(j.file, head[:], r.data, make([]byte, 7)[:aligned(len(r.data))-int64(len(r.data))])
	if int64(n) == r.length() {
		return nil
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	if n > 0 {
		_, back := j.file.Seek(j.size, io.SeekStart)
		err = errors.Join(err, back, j.file.Truncate(j.size))
	}
	return err
}

// close lets the journal go. Without a record behind it the file ends where its records do.
func (j *journal) close() {
	j.view.close()
	j.file.Truncate(j.size) // the zeros behind it are harmless
	j.file.Close()
}

// remove closes the journal when nothing of it is needed any more. Its name goes before
// its lock, or another process could take it for a dead session's.
func (j *journal) remove() {
	os.Remove(j.name)
	j.close()
}

// noteLoss writes the losses into the header, where no new block is needed.
func (j *journal) noteLoss(t tally) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(t.frames))
	j.file.WriteAt(binary.LittleEndian.AppendUint64(b, uint64(t.bytes)), int64(len(journalMagic)))
}

// endings are how the header numbers them; 0 is none.
var endings = []reprise.Ending{"", reprise.EndedByClient, reprise.EndedByServer, reprise.EndedBySignal, reprise.EndedByKill, reprise.NeverStarted}

// noteEnd writes the end into the header.
func (j *journal) noteEnd(e ending) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(e.At))
	code, has := 0, byte(0)
	if e.ExitCode != nil {
		code, has = *e.ExitCode, 1
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(code))
	j.file.WriteAt(append(b, has, byte(slices.Index(endings, e.Ending))), int64(len(journalMagic))+16)
}

// reader reads the records of a journal that may still grow.
type reader struct {
	file  io.ReaderAt
	limit int64  // where the records end, as far as is known
	off   int64  // of the next record
	buf   []byte // bytes of the file from off on, a part of mem
	mem   []byte
}

var errNotJournal = errors.New("not a journal")

// header reads what was noted: the losses, and the end or nil.
func (r *reader) header() (lost tally, end *ending, err error) {
	var h [headerSize]byte
	if _, err := r.file.ReadAt(h[:], 0); err != nil || string(h[:8]) != journalMagic {
		return tally{}, nil, errNotJournal
	}
	number := binary.LittleEndian.Uint64
	lost = tally{int64(number(h[8:])), int64(number(h[16:]))}
	how := int(h[37])
	if how == 0 || how >= len(endings) {
		return lost, nil, nil
	}
	end = &ending{At: time.Duration(number(h[24:])), Ending: endings[how]}
	if h[36] == 1 {
		code := int(int32(binary.LittleEndian.Uint32(h[32:])))
		end.ExitCode = &code
	}
	return lost, end, nil
}

// belongsTo says whether the journal is the database's. One that was cut short while it was made is anybody's.
func belongsTo(file io.ReaderAt, dbPath string) bool {
	var h [headerSize]byte
	if n, _ := file.ReadAt(h[:], 0); n < headerSize {
		return true
	}
	return binary.LittleEndian.Uint64(h[markAt:]) == markOf(dbPath)
}

// noteTaking says that a command is taking the journal in: another one that finds it locked can wait.
func noteTaking(file io.WriterAt) { file.WriteAt([]byte{1}, takenAt) }

func beingTaken(file io.ReaderAt) bool {
	var b [1]byte
	file.ReadAt(b[:], takenAt)
	return b[0] == 1
}

// hole says whether the zeros that were read as the end are a hole, as a stopped machine may
// leave it: something follows, further away than the one record that a kill can have cut.
func (r *reader) hole() bool {
	buf := make([]byte, readAhead)
	for off := max(r.off, headerSize) + recordSize + overhang; off < r.limit; off += int64(len(buf)) {
		n, err := r.file.ReadAt(buf[:min(int64(len(buf)), r.limit-off)], off)
		if len(bytes.TrimLeft(buf[:n], "\x00")) > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	return false
}

// next gives the next whole record, io.EOF where there is none yet, or errDamaged.
// Its data is valid until the next call.
func (r *reader) next() (record, error) {
	r.off = max(r.off, headerSize)
	if err := r.fill(recordSize); err != nil {
		return record{}, err
	}
	tag := binary.LittleEndian.Uint64(r.buf)
	if tag == 0 {
		return record{}, io.EOF
	}
	rec := record{
		kind: recordKind(tag), dir: reprise.Direction(tag >> 8), flags: byte(tag >> 16),
		at:     time.Duration(binary.LittleEndian.Uint64(r.buf[8:])),
		stream: int64(binary.LittleEndian.Uint64(r.buf[16:])),
	}
	n := int(tag >> 32)
	if !rec.plausible(n) {
		return record{}, errDamaged
	}
	whole := recordSize + int(aligned(n))
	if err := r.fill(whole); err != nil {
		return record{}, err
	}
	rec.data = r.buf[recordSize : recordSize+n]
	r.buf = r.buf[whole:]
	r.off += int64(whole)
	return rec, nil
}

// errDamaged is a journal that does not go on as ours do: the machine stopped, or somebody wrote into it.
var errDamaged = errors.New("journal is damaged")

func (r *record) plausible(n int) bool {
	switch r.kind {
	case kindSession, kindChunk, kindReduced, kindLoss:
		return r.dir <= reprise.ServerLog && n <= maxRecord && r.at >= 0
	}
	return false
}

const readAhead = 256 << 10

// fill makes r.buf hold n bytes at least, or returns io.EOF.
func (r *reader) fill(n int) error {
	if len(r.buf) >= n {
		return nil
	}
	if r.off+int64(n) > r.limit {
		return io.EOF
	}
	if cap(r.mem) < n || cap(r.mem) > 4*max(n, readAhead) {
		r.mem = make([]byte, max(n, readAhead))
	}
	kept := copy(r.mem, r.buf)
	want := min(int64(len(r.mem)), r.limit-r.off)
	got, err := r.file.ReadAt(r.mem[kept:want], r.off+int64(kept))
	r.buf = r.mem[:kept+got]
	if len(r.buf) >= n {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("read journal: %w", err)
}
