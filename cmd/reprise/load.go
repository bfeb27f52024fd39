package main

import (
	"context"
	"errors"
	"fmt"

	"reprise"
)

// loadCapture reads a session whole: of a capture file, or of the database.
func (p *program) loadCapture(ctx context.Context, o shared, ref string) (*reprise.Capture, error) {
	if namesFile(ref) {
		return p.loadFile(ref)
	}
	db, err := p.openThere(ctx, o)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	s, err := db.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	if ref == "last" {
		p.tellPause(o, db.Path())
	}
	header, items, err := db.Capture(ctx, s)
	if err != nil {
		return nil, err
	}
	return reprise.HoldCapture(header, items)
}

func (p *program) loadFile(path string) (*reprise.Capture, error) {
	f, err := p.openInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := reprise.LoadCapture(f)
	switch {
	case errors.Is(err, reprise.ErrCutCapture):
		return nil, hint(usage(fmt.Errorf("%s: %w", path, err)), `set "complete" to false in its first line to take what is there`)
	case err != nil:
		return nil, captureHint(fmt.Errorf("%s: %w", path, err))
	}
	return c, nil
}
