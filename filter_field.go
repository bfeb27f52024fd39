package reprise

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Field is a name before the colon in a filter.
type Field string

const (
	FieldSession   Field = "session"
	FieldHost      Field = "host"
	FieldServer    Field = "server"
	FieldTransport Field = "transport"
	FieldVersion   Field = "version"
	FieldSince     Field = "since"
	FieldUntil     Field = "until"
	FieldDirection Field = "direction"
	FieldKind      Field = "kind"
	FieldMethod    Field = "method"
	FieldTool      Field = "tool"
	FieldPrompt    Field = "prompt"
	FieldURI       Field = "uri"
	FieldID        Field = "id"
	FieldStatus    Field = "status"
	FieldCode      Field = "code"
	FieldDur       Field = "dur"
	FieldSize      Field = "size"
	FieldSeq       Field = "seq"
	FieldSource    Field = "source"
	FieldValue     Field = "value"
)

// shape is how the value of a field is written.
type shape int

const (
	shapeText shape = iota
	shapeInteger
	shapeDuration
	shapeSize
	shapeMoment
)

// field is what is known of a Field.
type field struct {
	name    Field
	shape   shape
	session bool     // can be told of a session as a whole
	values  []string // all that there are, when they are few
}

// fields lists every field in the order of the documentation.
var fields = []field{
	{name: FieldSession, session: true},
	{name: FieldHost, session: true},
	{name: FieldServer, session: true},
	{name: FieldTransport, session: true},
	{name: FieldVersion, session: true},
	{name: FieldSince, shape: shapeMoment, session: true},
	{name: FieldUntil, shape: shapeMoment, session: true},
	{name: FieldDirection, values: []string{"client", "server"}},
	{name: FieldKind, values: []string{"request", "notification", "response", "invalid", "noise"}},
	{name: FieldMethod},
	{name: FieldTool},
	{name: FieldPrompt},
	{name: FieldURI},
	{name: FieldID},
	{name: FieldStatus, values: []string{"open", "ok", "tool_error", "error", "cancelled", "unanswered", "lost"}},
	{name: FieldCode, shape: shapeInteger},
	{name: FieldDur, shape: shapeDuration},
	{name: FieldSize, shape: shapeSize},
	{name: FieldSeq, shape: shapeInteger},
	{name: FieldSource, values: []string{"harvested", "derived", "literal", "told", "synthesized"}},
	{name: FieldValue},
}

// fieldNamed finds a field, or nil.
func fieldNamed(name Field) *field {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &fields[i]
}

func fieldNames() string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = string(f.name)
	}
	return strings.Join(names, ", ")
}

// hint says how values of the shape are written.
func (s shape) hint() string {
	switch s {
	case shapeInteger:
		return "write a whole number, as in code:-32602 or seq:>=100"
	case shapeDuration:
		return "write a number with its unit (us, ms, s, m, h), as in dur:>500ms"
	case shapeSize:
		return "write a number with its unit (b, kb, mb, gb), as in size:>64kb"
	}
	return `write how long ago (90s, 2h, 3d, 1w) or when: 2026-11-30, "2026-11-30 17:05", 2026-11-30T17:05:00Z`
}

// parse reads a value of the shape.
func (s shape) parse(text string, now time.Time) (int64, error) {
	switch s {
	case shapeInteger:
		return strconv.ParseInt(text, 10, 64)
	case shapeDuration:
		d, err := time.ParseDuration(text)
		if err == nil && d < 0 {
			err = errNegative
		}
		return int64(d), err
	case shapeSize:
		return parseSize(strings.ToLower(text))
	}
	return parseMoment(text, now)
}

// format is the canonical spelling of a value of the shape.
func (s shape) format(n int64) string {
	switch s {
	case shapeDuration:
		return time.Duration(n).String()
	case shapeSize:
		return formatSize(n)
	case shapeMoment:
		return time.Unix(0, n).UTC().Format(time.RFC3339Nano)
	}
	return strconv.FormatInt(n, 10)
}

var (
	errNegative = errors.New("is negative")
	errTooBig   = errors.New("is too big")
)

// sizeUnits stand in the order in which they are looked for at the end of a size.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"kb", 1 << 10}, {"mb", 1 << 20}, {"gb", 1 << 30}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1}, {"", 1}}

func parseSize(text string) (int64, error) {
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		if n, err := strconv.ParseUint(number, 10, 63); err == nil && int64(n) <= math.MaxInt64/unit.bytes {
			return int64(n) * unit.bytes, nil
		}
		f, err := decimal(number)
		if err == nil && f*float64(unit.bytes) >= math.MaxInt64 {
			err = errTooBig
		}
		return int64(f * float64(unit.bytes)), err
	}
	return 0, strconv.ErrSyntax // not reached: the last unit is empty
}

// decimal reads digits with at most one point: none of ParseFloat's other forms.
func decimal(text string) (float64, error) {
	if strings.Trim(text, "0123456789.") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

func formatSize(n int64) string {
	switch {
	case n != 0 && n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + "mb"
	case n != 0 && n%(1<<10) == 0:
		return strconv.FormatInt(n>>10, 10) + "kb"
	}
	return strconv.FormatInt(n, 10)
}

// parseMoment reads an absolute time, in now's zone where it names none, or how long before now.
func parseMoment(text string, now time.Time) (int64, error) {
	if d, err := parseAgo(text); err == nil {
		return unixNano(now.Add(-d)), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, time.DateTime, "2006-01-02 15:04",
		"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return unixNano(t), nil
		}
	}
	return 0, strconv.ErrSyntax
}

// parseAgo reads a duration in which weeks and days may stand before the units that Go knows.
func parseAgo(text string) (time.Duration, error) {
	var sum float64
	long := false
	for _, unit := range []struct {
		name string
		time time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		number, rest, ok := strings.Cut(text, unit.name)
		if !ok {
			continue
		}
		f, err := decimal(number)
		if err != nil {
			return 0, err
		}
		sum, text, long = sum+f*float64(unit.time), rest, true
	}
	if long && text == "" {
		text = "0s"
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = errNegative
	}
	if sum += float64(d); sum >= math.MaxInt64 {
		err = errTooBig
	}
	return time.Duration(sum), err
}

// unixNano is UnixNano within the years that it can hold: beyond them the first and the last nanosecond.
func unixNano(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}
