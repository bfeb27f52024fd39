package main

import (
	"slices"
	"strings"
	"testing"
)

// TestFingerprintsAreResolved: a beginning stands for the one that it begins, a whole one for itself.
func TestFingerprintsAreResolved(t *testing.T) {
	known := []string{"aaaa00000001", "aaaa00000002", "bbbb00000001"}
	for typed, want := range map[string]string{
		"bbbb":                        "bbbb00000001",
		"BBBB0":                       "bbbb00000001",
		"aaaa00000002":                "aaaa00000002",
		"cccc00000001":                "cccc00000001",
		"bbbb bbbb0 bbbb00000001":     "bbbb00000001",
		"bbbb cccc00000001":           "bbbb00000001 cccc00000001",
		"aaaa":                        "aaaa begins 2 findings",
		"cccc":                        "no finding begins with cccc",
		"bbbb cccc":                   "no finding begins with cccc",
		"bbb":                         `"bbb" is no fingerprint`,
		"bbbb000000010":               `"bbbb000000010" is no fingerprint`,
		"nope":                        `"nope" is no fingerprint`,
		"bbbb00000001\n":              `is no fingerprint`,
		strings.Repeat("bbbb", 1<<10): "is no fingerprint",
	} {
		words := strings.Split(typed, " ")
		refs, err := fingerprintRefs(words)
		var got []string
		if err == nil {
			got, err = resolve(refs, known, "")
		}
		if err == nil && !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q stands for %v, want %s", typed, got, want)
		}
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", typed, err, want)
		}
	}
}
