package reprise

import (
	"crypto/sha256"
	"regexp"
	"testing"
	"time"
)

var uuidV7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestIDs(t *testing.T) {
	at := time.UnixMilli(0x0193a7b2c3d4)
	a, err := NewID(at)
	b, errB := NewID(at)
	if err != nil || errB != nil || a == b || !uuidV7.MatchString(a) || a[:13] != "0193a7b2-c3d4" {
		t.Errorf("new ids %q and %q, %v, %v", a, b, err, errB)
	}
	one, other := sha256.Sum256([]byte("one")), sha256.Sum256([]byte("other"))
	c := DerivedID(at, one[:])
	if !uuidV7.MatchString(c) || c[:13] != "0193a7b2-c3d4" || c != DerivedID(at, one[:]) || c == DerivedID(at, other[:]) {
		t.Errorf("derived id %q", c)
	}
}
