package reprise

import (
	"bytes"
	"strings"
	"testing"
)

// TestDriftOfPlaceholders: which number a masked secret has depends on those before it in the file, and is no change. Its kind is one.
func TestDriftOfPlaceholders(t *testing.T) {
	tool := func(secret string) *Surface {
		return offering(t, `{"name":"b","description":"send «redacted:`+secret+`» and x","inputSchema":{"properties":{"k":{"default":"«redacted:`+secret+`»"}}}}`)
	}
	wantBeginnings(t, Drift(tool("token:1"), tool("token:2")), "")
	wantBeginnings(t, Drift(tool("token:1"), tool("password:1")),
		"dangerous description: \ndangerous inputSchema.properties.k.default: ")
	other := offering(t, `{"name":"b","description":"send «redacted:token:1» and y"}`)
	if len(Drift(offering(t, `{"name":"b","description":"send «redacted:token:2» and x"}`), other)) != 1 {
		t.Error("another text is no change")
	}
	uri := func(n string) *Surface {
		return &Surface{Resources: Listing{Asked: true, Whole: true, Entries: []Listed{{"a:«redacted:token:" + n + "»", `{"uri":"a:«redacted:token:` + n + `»"}`}}}}
	}
	wantBeginnings(t, Drift(uri("1"), uri("7")), "")
}

// TestDriftOfDoubtfulDeclarations: a declaration that may be read in two ways declares nothing any more.
func TestDriftOfDoubtfulDeclarations(t *testing.T) {
	old := offering(t, `{"name":"a","annotations":{"readOnlyHint":true}}`)
	for _, now := range []string{
		`{"name":"a","annotations":{"readOnlyHint":false,"readOnlyHint":true}}`,
		`{"name":"a","annotations":{"readOnlyHint":true,"ReadOnlyHint":false}}`,
		`{"name":"a","annotations":{"readOnlyHint":true},"annotations":{"readOnlyHint":true}}`,
		`{"name":"a","Name":"b","annotations":{"readOnlyHint":true}}`,
		`{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":null}}`,
		`{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":"no"}}`,
	} {
		s := offering(t, now)
		want := SafetyOf(now).Safety != SafetyReadOnly
		if got := strings.Contains(found(Drift(old, s)), "dangerous annotations"); got != want {
			t.Errorf("%s: dangerous %v, want %v:\n%s", now, got, want, found(Drift(old, s)))
		}
		text, err := (&Contract{Surface: s}).Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadContract(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if list := Drift(back.Surface, s); len(list) > 0 {
			t.Errorf("its own contract says\n%s", found(list))
		}
	}
}

// TestDriftOfSeveralOfOneName: nobody knows which of them a client takes.
func TestDriftOfSeveralOfOneName(t *testing.T) {
	const harmless, other = `{"name":"a","annotations":{"readOnlyHint":true}}`, `{"name":"a","description":"x"}`
	for _, c := range []struct{ name, old, new, want string }{
		{"the same in another order", harmless + "," + other, other + "," + harmless, ""},
		{"twice the same", harmless, harmless + "," + harmless, ""},
		{"one more in front", harmless, other + "," + harmless, "dangerous : one more of this name"},
		{"one more behind", harmless, harmless + "," + other, "dangerous : one more of this name"},
		{"one gone", harmless + "," + other, other, "dangerous : one of several"},
		{"one is another one", harmless + "," + other, harmless + `,{"name":"a","description":"y"}`, "dangerous description: description changed"},
	} {
		t.Run(c.name, func(t *testing.T) { wantBeginnings(t, Drift(offering(t, c.old), offering(t, c.new)), c.want) })
	}
}
