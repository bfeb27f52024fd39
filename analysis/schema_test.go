package analysis

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func compiled(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := CompileSchema(raw)
	if err != nil {
		t.Fatalf("compile %.200s: %v", raw, err)
	}
	return s
}

func TestSchemaTellsWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}`, `{}`, "id is missing (required)"},
		{`{"type":"object","required":["id"]}`, ``, "id is missing (required)"},
		{`{"properties":{"id":{"type":"integer"}}}`, `{"id":"x"}`, "id is a string (“x”), not an integer (type)"},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer"}`, `1.5`, "it is a number (1.5), not an integer (type)"},
		{`{"maximum":9007199254740992}`, `9007199254740993`, "it is 9007199254740993, more than 9007199254740992 (maximum)"},
		{`{"maximum":9007199254740993}`, `9007199254740993`, ""},
		{`{"properties":{"r":{"enum":["us-east-1","eu-west-1"]}}}`, `{"r":"us-west-3"}`, "r is “us-west-3”, which is none of “us-east-1”, “eu-west-1” (enum)"},
		{`{"items":{"properties":{"id":{"type":"string"}}}}`, `[{"id":"a"},{"id":1},{"id":2}]`,
			"[1].id is a number (1), not a string (type); [2].id is a number (2), not a string (type)"},
		{`{"items":{"type":"string"}}`, `[0,1,2,3,4,5,6,7,8,9,10]`, ""},
		{`{"additionalProperties":false}`, `{"odd key":1}`, `["odd key"] is not among the properties that the schema allows (additionalProperties)`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, "it is a number (1), not a string or null (anyOf)"},
		{`{"type":"string"}`, `{"a":1,"a":2}`, "it is an object, not a string (type)"},
		{`{"properties":{"a":{"const":2}}}`, `{"a":1,"a":2}`, ""},
		{`false`, `1`, "it may not be there (false)"},
		{`true`, `1`, ""},
		{`{}`, `1`, ""},
	} {
		var got []string
		for _, p := range compiled(t, c.schema).Check(c.value) {
			got = append(got, fmt.Sprintf("%s (%s)", p, p.Keyword))
		}
		if c.want == "" && strings.HasPrefix(c.value, "[0,1") {
			if len(got) != 11 || !strings.HasPrefix(got[10], "[10] ") || !strings.HasPrefix(got[2], "[2] ") {
				t.Errorf("elements are not in order: %q", got)
			}
			continue
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s of %s:\n got %s\nwant %s", c.schema, c.value, text, c.want)
		}
	}
}

func TestS22_LenientlyRead(t *testing.T) {
	for _, c := range []struct {
		schema, value string
		fits          bool
	}{
		{`{"type":"object","x-order":3,"nullable":true,"discriminator":{"propertyName":"k"},"example":{}}`, `{}`, true},
		{`{"type":"string","format":"no-such-format"}`, `"x"`, true},
		{`{"type":"string","format":"email"}`, `"no mail"`, true},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","format":"email"}`, `"no mail"`, true},
		{`{"$schema":"https://example.com/my-dialect","type":"string"}`, `"x"`, true},
		{`{"$schema":"http://json-schema.org/draft-03/schema#","type":"string"}`, `1`, false},
		{`{"$schema":7,"type":"string"}`, `"x"`, true},
		{`{"$vocabulary":{"https://example.com/odd":true},"type":"string"}`, `"x"`, true},
		{`{"type":"string","pattern":"^(?!x)y"}`, `"x"`, true},
		{`{"type":"string","pattern":"(["}`, `"x"`, true},
		{`{"type":"string","pattern":"^a+$"}`, `"b"`, false},
		{`{"type":"string","pattern":"^\\u0061+\\/$"}`, `"aa/"`, true},
		{`{"type":"string","pattern":"^\\S+$"}`, `"a\u00a0b"`, true}, // JavaScript says no, Go yes
		{`{"not":{"pattern":"^(?!x)y"}}`, `"x"`, true},
		{`{"patternProperties":{"^(?!x-)":{"type":"string"}},"additionalProperties":false}`, `{"n":1}`, true},
		{`{"$id":"my tool","type":"string"}`, `"x"`, true},
		{`{"minimum":0,"exclusiveMinimum":true}`, `0`, false}, // draft 4, which it does not name
		{`{"items":[{"type":"string"}]}`, `[1]`, false},       // draft 7
		{`{"$defs":{"dead":{"$ref":"https://example.com/x.json"}},"type":"string"}`, `"x"`, true},
		{`{"definitions":{"n":{"type":"object","properties":{"n":{"$ref":"#/definitions/n"}},"required":["v"]}},"$ref":"#/definitions/n"}`,
			`{"v":1,"n":{"v":1,"n":{"v":2}}}`, true},
		{`{"definitions":{"n":{"type":"object","properties":{"n":{"$ref":"#/definitions/n"}},"required":["v"]}},"$ref":"#/definitions/n"}`,
			`{"v":1,"n":{"v":1,"n":{}}}`, false},
		{`{"components":{"schemas":{"A":{"type":"string"}}},"properties":{"a":{"$ref":"#/components/schemas/A"}}}`, `{"a":1}`, false},
	} {
		problems, err := compiled(t, c.schema).Try(c.value)
		if err != nil || (len(problems) == 0) != c.fits {
			t.Errorf("%s of %s: %v %v", c.schema, c.value, problems, err)
		}
	}
}

func TestSchemaCheckedStrictly(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"format":"email"}`, `"no mail"`, "it is “no mail”, which is no “email”"},
		{`{"format":"email"}`, `"a@example.com"`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","format":"date"}`, `"1.1."`, "it is “1.1.”, which is no “date”"},
		{`{"format":"phone"}`, `"x"`, ""},
		{`{"pattern":"^(?!x)"}`, `"x"`, "it is “x”, which does not match “^(?!x)”"},
	} {
		var got []string
		for _, p := range compiled(t, c.schema).CheckStrictly(c.value) {
			got = append(got, p.String())
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s of %s: %s, want %s", c.schema, c.value, text, c.want)
		}
	}
}

func TestSchemaRefused(t *testing.T) {
	for schema, want := range map[string]string{
		`{"$ref":"https://example.com/x.json#/a"}`:   "“https://example.com/x.json#/a”",
		`{"properties":{"a":{"$ref":"other.json"}}}`: "“other.json”",
		`{"$ref":"file:///etc/passwd"}`:              "“file:///etc/passwd”",
		`{"$ref":"#/$defs/none"}`:                    "it refers to",
		`{"type":"any"}`:                             "no valid schema",
		`{"properties":{"a":{"required":true}}}`:     "required",
		`[]`:                                         "no object",
		`{`:                                          "no JSON",
		`{} {}`:                                      "no single JSON",
		``:                                           "no JSON",
		strings.Repeat(`{"not":`, 1001) + `{}` + strings.Repeat("}", 1001): "nested deeper",
		`{"maximum":1e999999999}`:                                "too large",
		`{"x":"` + strings.Repeat("x", maxSchema) + `"}`:         "bytes long",
		`{"allOf":[` + strings.Repeat(`{"a":1},`, 6000) + `{}]}`: "too large",
		`{"properties":{"a":{"$ref":"b.json"},"b":{"$ref":"a.json"},"c":{"$ref":"#/none"},"d":{"$ref":"#none"}}}`: "“a.json”",
		`{"properties":{"a":{"$ref":"#/none"},"b":{"$ref":"#/many"},"c":{"$ref":"#none"}}}`:                       "“#/many”",
	} {
		if _, err := CompileSchema(schema); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", schema, err, want)
		}
	}
}

// doubling asks for 2^n steps: each definition holds the next one twice.
func doubling(n int, keyword, leaf, ref string) string {
	var defs []string
	for i := range n {
		next := fmt.Sprintf(`{"%s":"#/$defs/d%d"}`, ref, i+1)
		defs = append(defs, fmt.Sprintf(`"d%d":{"%s":[%s,%s]}`, i, keyword, next, next))
	}
	return fmt.Sprintf(`"$defs":{%s,"d%d":%s}`, strings.Join(defs, ","), n, leaf)
}

func TestHostileSchemasEnd(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 900) + `1` + strings.Repeat("}", 900)
	chain := &strings.Builder{}
	for i := range 3000 {
		fmt.Fprintf(chain, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
	}
	for name, c := range map[string]struct{ schema, value string }{
		"allOf":        {`{` + doubling(60, "allOf", `{"type":"string"}`, "$ref") + `,"$ref":"#/$defs/d0"}`, `1`},
		"anyOf in not": {`{` + doubling(60, "anyOf", `{"type":"string"}`, "$ref") + `,"not":{"$ref":"#/$defs/d0"}}`, `1`},
		"draft 7": {`{"$schema":"http://json-schema.org/draft-07/schema#","not":{"$ref":"#/$defs/d0"},` +
			doubling(60, "oneOf", `{"type":"string"}`, "$ref") + `}`, `1`},
		"unknown place": {`{"not":{"$ref":"#/odd/d0"},` + strings.ReplaceAll(doubling(60, "anyOf", `{"type":"string"}`, "$ref"), "$defs", "odd") + `}`, `1`},
		"chain":         {`{"$defs":{` + chain.String() + `"d3000":{"properties":{"a":{"$ref":"#/$defs/d0"}}}},"$ref":"#/$defs/d0"}`, deep},
		"circle":        {`{"$ref":"#"}`, `1`},
		"number":        {`{"type":"integer","maximum":5}`, `1e999999999`},
		"repetition":    {`{"pattern":"((a{100}){100}){100}"}`, `"` + strings.Repeat("a", 100_000) + `"`},
		"enum":          {`{"items":{"enum":[` + strings.Repeat(`1,`, 20_000) + `2]}}`, `[` + strings.Repeat(`3,`, 100_000) + `3]`},
	} {
		done := make(chan error, 1)
		go func() {
			s, err := CompileSchema(c.schema)
			if err == nil {
				_, err = s.Try(c.value)
			}
			done <- err
		}()
		select {
		case err := <-done:
			t.Logf("%s: %v", name, err)
		case <-time.After(time.Minute):
			t.Fatalf("%s: not done in a minute", name)
		}
	}
}

// A schema that costs too much is given up for good, so that no session pays for it again and again.
func TestCostlySchemaIsGivenUp(t *testing.T) {
	s := compiled(t, `{`+doubling(60, "allOf", `{"type":"string"}`, "$ref")+`,"$ref":"#/$defs/d0"}`)
	for range 3 {
		if _, err := s.Try(`1`); err == nil {
			t.Fatal("no error")
		}
	}
	if s.meter.credit > 2000 {
		t.Errorf("%d steps are left", s.meter.credit)
	}
	if problems := s.Check(`1`); problems != nil {
		t.Errorf("it is accused: %v", problems)
	}
}

func TestParameters(t *testing.T) {
	tool := `{"name":"t","inputSchema":{"$defs":{"S":{"enum":["x","y"],"description":"of S"}},"type":"object","required":["b"],
		"properties":{"b":{"type":"string","description":"the b"},"a":{"$ref":"#/$defs/S"},"c":{"const":5},"d":{"allOf":[{"$ref":"#/$defs/S"}]},
		"e":{"$ref":"https://example.com/x"},"f":true}}}`
	var got []string
	for _, p := range parametersOf(tool) {
		got = append(got, fmt.Sprintf("%s|%s|%t|%v", p.Name, p.Description, p.Required, p.Enum))
	}
	want := []string{"b|the b|true|[]", `a|of S|false|["x" "y"]`, "c||false|[5]", `d||false|["x" "y"]`, "e||false|[]", "f||false|[]"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, odd := range []string{"", "[]", `{"inputSchema":[]}`, `{"inputSchema":{"properties":[1]}}`, `{"inputSchema":{"properties":{"a":1,"a":{"const":1}}}}`} {
		if got := parametersOf(odd); len(got) > 1 {
			t.Errorf("%s: %v", odd, got)
		}
	}
}

func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`, `{"a":1}`)
	f.Add(`{"$id":"x","$defs":{"a":{"$id":"y","$anchor":"z"}},"$ref":"y#z"}`, `[1e5]`)
	f.Add(`{"patternProperties":{"^a":{"not":{"pattern":"(?=x)"}}},"if":{},"then":{"uniqueItems":true}}`, `{"a":[1,1.0]}`)
	f.Add(`{"$dynamicRef":"#n","$dynamicAnchor":"n","unevaluatedProperties":false,"dependentSchemas":{"a":{}}}`, `{"a":{}}`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := CompileSchema(schema)
		if err != nil {
			return
		}
		a, b := s.Check(value), s.Check(value)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%v, then %v", a, b)
		}
		s.CheckStrictly(value)
	})
}

func BenchmarkSchemaCheck(b *testing.B) {
	s := compiled(b, `{"type":"object","required":["issues"],"properties":{"issues":{"type":"array","items":{"type":"object","required":["id"],
		"properties":{"id":{"type":"string"},"title":{"type":"string"},"open":{"type":"boolean"},"n":{"type":"integer"}}}},"nextCursor":{"type":"string"}}}`)
	value := `{"issues":[{"id":"ISS-1","title":"The first of them","open":true,"n":1},{"id":"ISS-2","title":"The second of them","open":true,"n":2},` +
		`{"id":"ISS-3","title":"The third of them","open":false,"n":3},{"id":"ISS-4","title":"The fourth","open":true,"n":4}],"nextCursor":"abc"}`
	b.ReportAllocs()
	for b.Loop() {
		if s.Check(value) != nil {
			b.Fatal("it does not fit")
		}
	}
}
