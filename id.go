package reprise

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// NewID makes a session id: a UUIDv7 (RFC 9562), so that ids sort by time.
func NewID(now time.Time) (string, error) {
	var random [10]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("make session id: %w", err)
	}
	return sessionID(now, random[:]), nil
}

// DerivedID makes the id of a session that has none of its own: the same for the same start and digest of its content.
func DerivedID(started time.Time, digest []byte) string { return sessionID(started, digest) }

func sessionID(at time.Time, rest []byte) string {
	var b [16]byte
	copy(b[6:], rest)
	for i, ms := 5, at.UnixMilli(); i >= 0; i-- {
		b[i] = byte(ms)
		ms >>= 8
	}
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
