package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"reprise"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

type showOptions struct {
	shared
	session string
	filter  string
	frames  bool
	stderr  bool
	one     bool // --seq was given
	seq     int64
}

func (p *program) showCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show one session, call by call",
		ArgsUsage: "S [FILTER…]",
		Category:  lookCategory,
		Description: `One row is one call: → asked by the client, ← by the server.

Examples:
  reprise show last
  reprise show last --frames               every line in the order it crossed
  reprise show 0193a7b2 'tool:get_* status:*error'
  reprise show last --seq 12               one call in full
  reprise show bug.capture.jsonl | less -R`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "frames", Usage: "every line that crossed, in order, instead of calls"},
			&cli.BoolFlag{Name: "stderr", Usage: "what the server wrote to its standard error"},
			&cli.Int64Flag{Name: "seq", Usage: "the call or message at seq `N`, in full"},
		},
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return missing("a session", "reprise show last")
			}
			if err := oneOf(c, "frames", "stderr", "seq"); err != nil {
				return err
			}
			o := showOptions{sharedOptions(c), c.Args().First(), filterArgument(c.Args().Tail()),
				c.Bool("frames"), c.Bool("stderr"), c.IsSet("seq"), c.Int64("seq")}
			if o.stderr && o.filter != "" {
				return hint(usage(errors.New("--stderr takes no filter")), "fields and texts are those of calls and messages")
			}
			return p.show(c.Context, o)
		},
	}
}

// missing is the error of a command without its argument.
func missing(what, example string) error {
	return hint(usage(fmt.Errorf("%s is missing", what)), "for example: %s", example)
}

func (p *program) show(ctx context.Context, o showOptions) error {
	filter, err := p.parseFilter(o.filter)
	if err != nil {
		return err
	}
	src, s, err := p.openSession(ctx, o.shared, o.session)
	if err != nil {
		return err
	}
	defer src.Close()
	v := view{ctx: ctx, src: src, session: s, filter: filter, screen: p.screen(o.shared)}
	switch {
	case o.one:
		err = v.one(o)
	case o.stderr:
		err = v.stderr(o)
	case o.json:
		err = v.jsonRows(o.frames)
	case o.frames:
		err = v.frames()
	default:
		err = v.calls()
	}
	return errors.Join(err, v.screen.Flush())
}

// view shows one session.
type view struct {
	ctx     context.Context
	src     source
	session *reprise.Session
	filter  *reprise.Filter
	screen  *screen
}

func (v *view) query(frames bool) recorder.Query {
	return recorder.Query{Session: v.session.ID, Filter: v.filter, Frames: frames, Data: true, Uses: !frames}
}

func (v *view) rows() rows {
	return rows{screen: v.screen, seqWidth: max(3, len(fmt.Sprint(v.session.Frames+v.session.LostFrames)))}
}

// calls writes rows as they are read: the first page of a million is there at once.
func (v *view) calls() error {
	v.head()
	r := v.rows()
	r.callHeading()
	shown, lines, marked, linked := int64(0), int64(0), false, false
	for e, err := range v.src.Entries(v.ctx, v.query(false)) {
		if err != nil {
			return err
		}
		shown++
		lines++
		marked, linked = marked || len(ofRequest(e)) > 0, linked || e.Call.Link != ""
		if e.Call.Response != 0 {
			lines++
		}
		if err := r.call(e); err != nil {
			return err
		}
	}
	v.callsFoot(shown, lines)
	if marked {
		v.screen.note("%s", legend)
	}
	if linked {
		v.screen.note("%s", linkLegend)
	}
	return nil
}

// callsFoot says what is not shown.
func (v *view) callsFoot(shown, lines int64) {
	s := v.session
	switch {
	case v.filter.Expr != nil:
		v.screen.note("%d of %s", shown, count(s.Calls, "call"))
	case s.Frames > lines:
		v.screen.note("%s crossed, such as notifications: --frames shows them", count(s.Frames-lines, "other line"))
	}
}

func (v *view) frames() error {
	v.head()
	r := v.rows()
	r.frameHeading()
	gaps, err := v.gaps()
	if err != nil {
		return err
	}
	shown := int64(0)
	for e, err := range v.src.Entries(v.ctx, v.query(true)) {
		if err != nil {
			return err
		}
		shown++
		if gaps, err = r.gapsUpTo(e.Seq(), v.session, gaps); err != nil {
			return err
		}
		if err := r.message(e); err != nil {
			return err
		}
	}
	if v.filter.Expr != nil {
		v.screen.note("%s of %s", count(shown, "message"), count(v.session.Frames, "frame"))
	}
	_, err = r.gapsUpTo(math.MaxInt64, v.session, gaps)
	return err
}

// gaps are those that stand between the rows. A filter selects rows, and no gaps.
func (v *view) gaps() ([]reprise.Gap, error) {
	if v.filter.Expr != nil {
		return nil, nil
	}
	gaps, err := v.src.Gaps(v.ctx, v.session.ID)
	return joined(gaps), err
}

func (v *view) jsonRows(frames bool) error {
	for e, err := range v.src.Entries(v.ctx, v.query(frames)) {
		if err != nil {
			return err
		}
		if err := entryRow(e).writeTo(v.screen); err != nil {
			return err
		}
	}
	return nil
}

func entryRow(e *reprise.Entry) *object {
	if e.Frame != nil {
		return messageRow(e)
	}
	return callRow(e)
}
