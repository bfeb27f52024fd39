package proxy

import (
	"os"
	"time"
)

// borrowed is one of the host's ends. Windows waits for each in a thread of its own.
type borrowed struct{ *os.File }

func borrow(f *os.File) *borrowed { return &borrowed{f} }

func (*borrowed) giveBack() {}

// interruptible says whether Close ends a pending Read.
func interruptible(*borrowed) bool { return false }

func (b *borrowed) readSoon(p []byte, _ time.Duration) (int, error) { return b.Read(p) }

func (b *borrowed) hangUp() { b.Close() }

func writeBlocking(f *os.File, b []byte) error {
	_, err := f.Write(b)
	return err
}
