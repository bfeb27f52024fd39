package analysis

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// Write writes a checks file that people like to read, and that ReadCases reads back as it was.
func (c *Cases) Write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "version: %d\n", cmp.Or(c.Version, casesVersion))
	if len(c.Cases) == 0 {
		b.WriteString("cases: []\n")
	} else {
		b.WriteString("cases:\n")
	}
	for i := range c.Cases {
		if i > 0 {
			b.WriteByte('\n')
		}
		c.Cases[i].write(&b)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write checks: %w", err)
	}
	return nil
}

func (c *Case) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "  - kind: %s\n", scalar(cmp.Or(c.Kind, "direct")))
	if c.Name != "" {
		fmt.Fprintf(b, "    name: %s\n", scalar(c.Name))
	}
	fmt.Fprintf(b, "    tool: %s\n", scalar(c.Tool))
	if len(c.Args) == 0 {
		b.WriteString("    args: []\n")
	} else {
		b.WriteString("    args:\n")
	}
	for i := range c.Args {
		fmt.Fprintf(b, "      - %s\n", c.Args[i].flow())
	}
	b.WriteString("    checks:\n")
	for i := range c.Checks {
		fmt.Fprintf(b, "      - %s\n", c.Checks[i].flow())
	}
}

// flow writes members as {name: value}.
type flow []string

func (f *flow) add(name, value string) { *f = append(*f, name+": "+value) }

func (f *flow) text(name, value string) {
	if value != "" {
		f.add(name, scalar(value))
	}
}

func (f flow) String() string { return "{" + strings.Join(f, ", ") + "}" }

func (a *Arg) flow() string {
	var f flow
	f.add("name", scalar(a.Name))
	if a.From != nil {
		from := a.From.Plan.flow()
		from.add("path", scalar(a.From.Path))
		f.add("from", from.String())
		return f.String()
	}
	f.add("json", inQuotes(a.JSON))
	f.text("source", a.Source)
	return f.String()
}

func (p *Plan) flow() flow {
	var f flow
	f.add("tool", scalar(p.Tool))
	var args []string
	for i := range p.Args {
		args = append(args, p.Args[i].flow())
	}
	if args != nil {
		f.add("args", "["+strings.Join(args, ", ")+"]")
	}
	return f
}

func (c *Check) flow() string {
	var f flow
	f.add("type", scalar(c.Type))
	if c.Code != nil {
		f.add("code", strconv.FormatInt(*c.Code, 10))
	}
	f.text("path", c.Path)
	if c.Limit != nil {
		f.add("limit", strconv.Itoa(*c.Limit))
	}
	if c.MS != 0 {
		f.add("ms", strconv.FormatFloat(c.MS, 'f', -1, 64))
	}
	f.text("cursor", c.Cursor)
	f.text("argument", c.Argument)
	f.text("items", c.Items)
	if c.MaxPages != 0 {
		f.add("max_pages", strconv.Itoa(c.MaxPages))
	}
	if c.Witness != nil {
		f.add("witness", c.Witness.flow().String())
	}
	return f.String()
}

// scalar writes a text without quotes where no reader of YAML takes it for anything else.
func scalar(text string) string {
	plain := text != "" && len(text) <= 100
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		plain = plain && (letter || i > 0 && (r == '_' || r == '-' || r == '/' || r == '.' || r >= '0' && r <= '9'))
	}
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf":
		plain = false
	}
	if plain {
		return text
	}
	return inQuotes(text)
}

// inQuotes writes a text in single quotes, or in double ones where it has what those cannot hold.
func inQuotes(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
