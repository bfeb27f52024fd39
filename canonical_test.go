package reprise

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestCanonicalNumber(t *testing.T) {
	nines := strings.Repeat("9", 40)
	for _, tt := range []struct{ in, want string }{
		{"0", "0"}, {"-0", "0"}, {"0.000", "0"}, {"-0e5", "0"}, {"0e999999999999999999999", "0"},
		{"1", "1"}, {"1.0", "1"}, {"10e-1", "1"}, {"1e0", "1"}, {"1E+0", "1"}, {"0.1e1", "1"}, {"-1.0", "-1"},
		{"100", "100"}, {"1e2", "100"}, {"1.5", "1.5"}, {"15e-1", "1.5"}, {"0.00015e4", "1.5"}, {"-12.50", "-12.5"},
		{"0.001", "0.001"}, {"1e-3", "0.001"}, {"1e-6", "0.000001"}, {"1e-7", "1e-7"}, {"0.00000012", "12e-8"},
		{"9007199254740993", "9007199254740993"}, {"9007199254740993.0", "9007199254740993"},
		{"1e20", "100000000000000000000"}, {"1e21", "1e21"}, {"1000000000000000000000", "1e21"},
		{"0.1234567890123456789012345678901", "0.1234567890123456789012345678901"},
		{"1e999999999", "1e999999999"}, {"10e999999999", "1e1000000000"}, {"1E+0999999999", "1e999999999"}, {"0.1e1000000000", "1e999999999"},
		{"1e-999999999", "1e-999999999"}, {"0.1e-999999999", "1e-1000000000"},
		{"10e" + nines, "1e1" + strings.Repeat("0", 40)}, {"0.1e" + nines, "1e" + nines[1:] + "8"},
		{"0.1e1" + strings.Repeat("0", 40), "1e" + nines}, {"1e-" + nines, "1e-" + nines}, {"0.01e-" + nines, "1e-1" + strings.Repeat("0", 39) + "1"},
		{"100e-1" + strings.Repeat("0", 40), "1e-" + nines[1:] + "8"},
		{"10e999999999999999", "1e1000000000000000"}, {"0.1e1000000000000000", "1e999999999999999"}, // where addTo changes its ways
		{"", ""}, {"x", "x"}, {"01", "01"}, {"1.", "1."}, {`"1"`, `"1"`}, {"-", "-"}, {"true", "true"},
	} {
		if got := CanonicalNumber(tt.in); got != tt.want {
			t.Errorf("%.60s is %.60s, want %.60s", tt.in, got, tt.want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"scalars", ` [ true , false,null ,1.0, -0 , "a" ] `, `[true,false,null,1,0,"a"]`},
		{"empty", "[ { } , [ ] , \"\" ]", `[{},[],""]`},
		{"order of members", `{"b":{"d":1,"c":2},"a":[{"z":0,"y":0}],"":0}`, `{"":0,"a":[{"y":0,"z":0}],"b":{"c":2,"d":1}}`},
		{"order of elements counts", `[2,1]`, `[2,1]`},
		{"the last of duplicates", `{"a":1,"b":2,"a":3,"\u0061":4}`, `{"a":4,"b":2}`},
		{"out of order at all levels", `[{"b":{"d":{},"c":[{"f":1,"e":{"h":2,"g":3}},{"i":4}]},"a":{"k":5,"j":6}},{"m":7,"l":8}]`,
			`[{"a":{"j":6,"k":5},"b":{"c":[{"e":{"g":3,"h":2},"f":1},{"i":4}],"d":{}}},{"l":8,"m":7}]`},
		{"the last of duplicates, out of order", `{"b":{"z":1,"y":2},"a":0,"b":{"x":3,"w":{"v":4,"u":5}}}`, `{"a":0,"b":{"w":{"u":5,"v":4},"x":3}}`},
		{"duplicates in order", `{"a":1,"a":{"b":1}}`, `{"a":{"b":1}}`},
		{"escapes", `"\u0041\/\u002F\u00e9\u0022\u005c\u0008\u000C\u000a\u000d\u0009\u0001\u001F\u007f"`, "\"A//é\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u007f\""},
		{"short escapes stay", `"\"\\\b\f\n\r\t"`, `"\"\\\b\f\n\r\t"`},
		{"pairs", `"\ud83d\ude00\uD83D\uDE00"`, `"😀😀"`},
		{"half pairs", `"\uD83D\ud83d\ude00\uDE00x\ud83dx\ud83d\n"`, `"\ud83d😀\ude00x\ud83dx\ud83d\n"`},
		{"the replacement character is another", `"\ufffd"`, "\"\ufffd\""},
		{"bytes that are no UTF-8", "\"\xff\xc3\"", "\"\xff\xc3\""},
		{"types", `{"a":"1","b":1,"c":"true"}`, `{"a":"1","b":1,"c":"true"}`},
		{"names like structure", `{"}":"{","\"":"[","a,":":"}`, `{"\"":"[","a,":":","}":"{"}`},
		{"no JSON", `{"a":`, `{"a":`},
		{"two values", `1 2`, `1 2`},
		{"nothing", ``, ``},
		{"as deep as may be", strings.Repeat("[ ", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)},
		{"deeper", strings.Repeat("[ ", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), strings.Repeat("[ ", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Canonical(tt.in)); got != tt.want {
				t.Errorf("got %.200s, want %.200s", got, tt.want)
			}
		})
	}
}

// FuzzCanonical: the canonical text of a canonical text is the same, and so it is in any order of members and
// spelling of numbers.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1.0,{"d":"\u00e9","c":-0}],"a":1e999999999,"a":"\ud83d"}`, `[]`, `"\/"`, `{"":{"":{}}}`, "1e-9", `{"a":`, ""} {
		f.Add(seed, uint64(1))
	}
	f.Fuzz(func(t *testing.T, raw string, seed uint64) {
		once := Canonical(raw)
		if !gjson.Valid(raw) || depthOf([]byte(raw)) > MaxDepth {
			if string(once) != raw {
				t.Fatalf("%q is no JSON and became %q", raw, once)
			}
			return
		}
		if !gjson.ValidBytes(once) {
			t.Fatalf("%q became %q, which is no JSON", raw, once)
		}
		if twice := Canonical(string(once)); string(twice) != string(once) {
			t.Fatalf("%q became %q, then %q", raw, once, twice)
		}
		shuffled := respell(gjson.ParseBytes(once), rand.New(rand.NewPCG(seed, 0)))
		if got := Canonical(shuffled); string(got) != string(once) {
			t.Fatalf("%q became %q, and %q became %q", raw, once, shuffled, got)
		}
	})
}

// respell writes the same value otherwise: members shuffled, one of them given before with another value, blanks, numbers scaled.
func respell(v gjson.Result, random *rand.Rand) string {
	switch {
	case v.IsObject():
		var members []string
		v.ForEach(func(key, value gjson.Result) bool {
			members = append(members, key.Raw+" :\t"+respell(value, random))
			return true
		})
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		if len(members) > 0 {
			key, _, _ := strings.Cut(members[0], " :\t")
			members = append([]string{key + `:["other"]`}, members...)
		}
		return "{ " + strings.Join(members, "\n,") + " }"
	case v.IsArray():
		var elements []string
		v.ForEach(func(_, value gjson.Result) bool {
			elements = append(elements, respell(value, random))
			return true
		})
		return "[" + strings.Join(elements, " , ") + "\r]"
	case v.Type == gjson.Number && !strings.Contains(v.Raw, "e"):
		if n := random.IntN(3); n > 0 && v.Raw != "0" && !strings.Contains(v.Raw, ".") {
			return v.Raw + strings.Repeat("0", n) + "E-" + strconv.Itoa(n)
		}
		return v.Raw + "e+00"
	}
	return v.Raw
}
