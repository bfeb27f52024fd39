package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// screen is where a command writes what a person reads.
//
// Rules: colour only on a terminal that wants it; as wide as the terminal and
// never wrapped; nothing that crossed between host and server gets through
// with a control character in it. A program that reads us gets the same text,
// without the colour.
type screen struct {
	*bufio.Writer
	terminal bool
	color    bool
	width    int // columns
	quiet    bool
}

func (p *program) screen(o shared) *screen {
	s := &screen{Writer: bufio.NewWriterSize(p.stdout, 32<<10), width: p.columns(), quiet: o.quiet}
	_, s.terminal = terminal(p.stdout)
	s.color = !o.noColor && p.wantsColor()
	return s
}

// wantsColor follows no-color.org and bixense.com/clicolors.
func (p *program) wantsColor() bool {
	if force := p.getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	if p.getenv("NO_COLOR") != "" || p.getenv("TERM") == "dumb" {
		return false
	}
	f, ok := terminal(p.stdout)
	return ok && understandsColor(f)
}

// columns is the width to fill: $COLUMNS, else the terminal's. Into a pager it
// is the width of the terminal that stderr is.
func (p *program) columns() int {
	if n, err := strconv.Atoi(p.getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, narrowest)
	}
	for _, w := range []io.Writer{p.stdout, p.stderr} {
		if f, ok := terminal(w); ok {
			if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
				return max(n, narrowest)
			}
		}
	}
	return 80
}

const narrowest = 60 // below it rows are cut by the terminal

func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// style is how a piece of text looks: the parameters of an SGR sequence.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	purple style = "35"
	cyan   style = "36"
	hit    style = "1;7" // what was searched for
)

func (s *screen) paint(st style, text string) string {
	if !s.color || st == plain || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

// line writes one line of text that is ours.
func (s *screen) line(format string, args ...any) error {
	_, err := fmt.Fprintf(s, format+"\n", args...)
	return err
}

// note writes a line about the listing, for people only.
func (s *screen) note(format string, args ...any) {
	if !s.quiet {
		s.line("%s", s.paint(dim, fmt.Sprintf(format, args...)))
	}
}

// cell is one field of a row: pieces of text in their styles that together take exactly so many columns.
type cell struct {
	s    *screen
	text []byte
	left int
	cut  bool
}

func (s *screen) cell(width int) *cell { return &cell{s: s, left: max(width, 0)} }

// add writes a piece, as much of it as fits. An ellipsis stands where it was cut.
func (c *cell) add(st style, text string) *cell {
	if c.cut || text == "" {
		return c
	}
	text, width, whole := fit(text, c.left)
	c.cut = !whole
	c.left -= width
	c.text = append(c.text, c.s.paint(st, text)...)
	return c
}

// start writes a piece that another follows. Where no column is left for that, it is cut itself.
func (c *cell) start(st style, text string) *cell {
	if _, _, whole := fit(text, c.left-1); !whole {
		text += "…"
	}
	return c.add(st, text)
}

// String fills the cell up to its width.
func (c *cell) String() string { return string(c.text) + spaces(c.left) }

// right fills it from the left instead: numbers.
func (c *cell) right() string { return spaces(c.left) + string(c.text) }
