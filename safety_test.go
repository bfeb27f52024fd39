package reprise

import (
	"strings"
	"testing"
)

// TestSafety: what a server declares of a tool is what stands there, and anything odd about it means unknown.
func TestSafety(t *testing.T) {
	for _, c := range []struct {
		tool   string
		want   Safety
		reason string // a part of it
	}{
		{`{"name":"a","annotations":{"readOnlyHint":true}}`, SafetyReadOnly, "readOnlyHint: true"},
		{`{"annotations":{"readOnlyHint":true,"destructiveHint":false}}`, SafetyReadOnly, "readOnlyHint: true"},
		{`{"annotations":{"readOnlyHint":true,"destructiveHint":null}}`, SafetyReadOnly, "readOnlyHint: true"},
		{`{"annotations":{"readOnlyHint":false,"readOnlyHint":true}}`, SafetyUnknown, "twice"},
		{`{"annotations":{"readOnlyHint":true,"ReadOnlyHint":false}}`, SafetyUnknown, "another case"},
		{`{"annotations":{"readOnlyHint":true},"Annotations":{}}`, SafetyUnknown, "another case"},
		{`{"annotations":{"readOnlyHint":true,"destructiveHint":true}}`, SafetyUnknown, "readOnlyHint: true and destructiveHint: true"},
		{`{"annotations":{"readOnlyHint":true,"destructiveHint":"true"}}`, SafetyUnknown, "a string"},
		{`{"annotations":{"readOnlyHint":true,"destructiveHint":1}}`, SafetyUnknown, "a number"},
		{`{"annotations":{"destructiveHint":true}}`, SafetyDestructive, "destructiveHint: true"},
		{`{"annotations":{"readOnlyHint":false,"destructiveHint":true}}`, SafetyDestructive, "destructiveHint: true"},
		{`{"annotations":{"readOnlyHint":null,"destructiveHint":true}}`, SafetyDestructive, "destructiveHint: true"},
		{`{"annotations":{"destructiveHint":false}}`, SafetyUnknown, "it writes"},
		{`{"annotations":{"readOnlyHint":false,"destructiveHint":false}}`, SafetyUnknown, "it writes"},
		{`{"annotations":{"readOnlyHint":false}}`, SafetyUnknown, "it writes"},
		{`{"annotations":{"destructiveHint":null}}`, SafetyUnknown, "null"},
		{`{"annotations":{"readOnlyHint":null}}`, SafetyUnknown, "null"},
		{`{"annotations":{"readOnlyHint":"true"}}`, SafetyUnknown, "a string"},
		{`{"annotations":{"readOnlyHint":1}}`, SafetyUnknown, "a number"},
		{`{"annotations":{"readOnlyHint":[true]}}`, SafetyUnknown, "a list"},
		{`{"annotations":{"READONLYHINT":true}}`, SafetyUnknown, "declares nothing"},
		{`{"annotations":{"idempotentHint":true}}`, SafetyUnknown, "declares nothing"},
		{`{"annotations":{}}`, SafetyUnknown, "declares nothing"},
		{`{"annotations":null}`, SafetyUnknown, "null"},
		{`{"annotations":[{"readOnlyHint":true}]}`, SafetyUnknown, "a list"},
		{`{"readOnlyHint":true}`, SafetyUnknown, "declares nothing"},
		{`{"_meta":{"annotations":{"readOnlyHint":true}}}`, SafetyUnknown, "declares nothing"},
		{`{}`, SafetyUnknown, "declares nothing"},
		{`[]`, SafetyUnknown, "declares nothing"},
		{`{"annotations":{"readOnlyHint":true}`, SafetyUnknown, "no valid JSON"},
		{strings.Repeat("[", 100_000), SafetyUnknown, "no valid JSON"},
		{``, SafetyUnknown, "no list of tools"},
	} {
		got := SafetyOf(c.tool)
		if got.Safety != c.want || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%.80s: %s (%s), want %s (…%s…)", c.tool, got.Safety, got.Reason, c.want, c.reason)
		}
		if advised := got.Advice != ""; advised != (c.want != SafetyReadOnly) {
			t.Errorf("%.80s: the advice is %q", c.tool, got.Advice)
		}
		both := strings.Contains(c.reason, " and destructiveHint")
		if got.Contradictory != both {
			t.Errorf("%.80s: contradictory is %v", c.tool, got.Contradictory)
		}
	}
}

// TestSafetyIgnoresNames: list_and_purge reads like a question, and get_ is no promise.
func TestSafetyIgnoresNames(t *testing.T) {
	for _, name := range []string{"list_and_purge", "get_issue", "delete_everything", "read", ""} {
		for _, rest := range []string{`}`, `,"annotations":{"readOnlyHint":true}}`, `,"annotations":{"destructiveHint":true}}`} {
			named, plain := `{"name":"`+name+`","title":"`+name+`","description":"Only reads."`+rest, `{"name":"x"`+rest
			if got, want := SafetyOf(named), SafetyOf(plain); got != want {
				t.Errorf("%s: %+v, and without the name %+v", named, got, want)
			}
		}
	}
}
