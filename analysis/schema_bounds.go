package analysis

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What a schema and a value may be. The library follows references and alternatives without a limit of its own, and its stack grows with
// both: a schema of twenty lines can ask for 2^n steps, and one of a thousand for a gigabyte of stack, which no recover catches.
const (
	maxSchema       = 1 << 20
	maxSchemaDepth  = 1000
	maxSchemaValues = 50_000
	maxSubschemas   = 5000    // objects that are schemas
	maxPlaceBytes   = 8 << 20 // of all pointers to them: the library keeps one for each
	maxChecked      = 2 << 20
	maxChain        = 50_000     // schemas that apply to one value, times the depth of values
	maxCompared     = 10_000_000 // the longest enum, times the values
	maxCredit       = 200_000    // steps that a schema may have saved
	maxStepDepth    = 20_000_000 // steps times depth: each problem keeps its path
)

// schemaBounds are what a schema multiplies a value by.
type schemaBounds struct {
	chain int // schemas that may apply to one value in place, one inside of the other
	enum  int // the longest
}

func (b schemaBounds) allow(size jsonSize) error {
	if (b.chain+1)*size.depth > maxChain {
		return errors.New("it is nested too deep for its schema")
	}
	if b.enum*size.values > maxCompared {
		return errors.New("it holds too many values for its schema")
	}
	return nil
}

var errCostly = errors.New("check value: its schema takes too many steps")

// meter counts the steps of checks. A schema has a credit, each check adds to it by the length of its value, and one that has spent
// it all is given up: so all checks together cost no more than the traffic is long.
type meter struct {
	credit, left    int
	strict          bool
	assume, doubted bool // what a pattern says that cannot be decided here; and that one was asked
}

func (m *meter) start(length, depth int) {
	m.credit = min(maxCredit, m.credit) + 256 + 2*length
	m.left = min(m.credit, maxStepDepth/max(depth, 1))
}

func (m *meter) spend(steps int) {
	m.credit, m.left = m.credit-steps, m.left-steps
	if m.left < 0 {
		panic(errCostly)
	}
}

// stepMark begins the format that every schema object is given. The library asks a format first of all, on every visit: there it is that steps are
// counted, and known formats asserted where that is wanted.
const stepMark = "\x00"

func stepName(weight int, format string) string {
	return stepMark + strconv.Itoa(weight) + stepMark + format
}

// wantedFormat is the format that stood in the schema.
func wantedFormat(name string) string { return name[strings.LastIndex(name, stepMark)+1:] }

func (m *meter) step(weight int, known *jsonschema.Format) func(any) error {
	return func(v any) error {
		m.spend(weight)
		if m.strict && known != nil {
			return known.Validate(v)
		}
		return nil
	}
}

// knownFormat is the library's own format of a name, or nil.
func knownFormat(name string) (*jsonschema.Format, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	const at = "mem:///format.json"
	if err := c.AddResource(at, map[string]any{"format": name}); err != nil {
		return nil, err
	}
	s, err := c.Compile(at)
	if err != nil {
		return nil, err
	}
	return s.Format, nil
}

// pattern is a regular expression of a schema. They are JavaScript's: what Go cannot read, or reads otherwise, is in doubt.
type pattern struct {
	text  string
	re    *regexp.Regexp // nil where Go cannot read it
	cost  int            // of its program
	other bool           // it has a class that means something else in JavaScript, outside of ASCII
	meter *meter
}

func (p *pattern) String() string { return p.text }

// MatchString is the library's question.
func (p *pattern) MatchString(s string) bool {
	if p.re == nil || p.other && !plainASCII(s) {
		p.meter.spend(1)
		p.meter.doubted = true
		return p.meter.assume
	}
	p.meter.spend(1 + len(s)*p.cost/1024)
	return p.re.MatchString(s)
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '\v' {
			return false
		}
	}
	return true
}

const (
	maxPattern      = 5000   // instructions, about
	maxPatternTotal = 50_000 // of all patterns of a schema
)

// patterns reads the patterns of one schema, up to what all of them may cost.
type patterns struct {
	meter *meter
	spent int
	known map[string]*pattern
}

func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	if known := p.known[text]; known != nil {
		return known, nil
	}
	one := &pattern{text: text, meter: p.meter, other: hasClass(text)}
	p.known[text] = one
	spelt := strings.ReplaceAll(goEscapes(text), `\/`, `/`)
	tree, err := syntax.Parse(spelt, syntax.Perl)
	if err != nil {
		return one, nil
	}
	one.cost = programSize(tree)
	if p.spent += one.cost; one.cost > maxPattern || p.spent > maxPatternTotal {
		return one, nil
	}
	if re, err := regexp.Compile(spelt); err == nil {
		one.re = re
	}
	return one, nil
}

// goEscapes spells \u1234 as Go does.
func goEscapes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '\\' || i+1 == len(text):
			b.WriteByte(text[i])
		case text[i+1] == 'u' && i+6 <= len(text) && isHex(text[i+2:i+6]):
			fmt.Fprintf(&b, `\x{%s}`, text[i+2:i+6])
			i += 5
		default:
			b.WriteString(text[i : i+2])
			i++
		}
	}
	return b.String()
}

func isHex(s string) bool {
	_, err := strconv.ParseUint(s, 16, 32)
	return err == nil
}

func hasClass(text string) bool {
	for _, class := range []string{`\s`, `\S`, `\b`, `\B`, `\w`, `\W`, `\d`, `\D`, "."} {
		if strings.Contains(text, class) {
			return true
		}
	}
	return false
}

// programSize is about how many instructions a pattern has, repetitions written out.
func programSize(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += programSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<24)
}
