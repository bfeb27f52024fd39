package reprise

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// NewID makes a session id: a UUIDv7 (RFC 9562), so that ids sort by time.
func NewID(now time.Time) (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[6:]); err != nil {
		return "", fmt.Errorf("make session id: %w", err)
	}
	for i, ms := 5, now.UnixMilli(); i >= 0; i-- {
		b[i] = byte(ms)
		ms >>= 8
	}
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], nil
}
