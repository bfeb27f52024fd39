package main

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"regexp"
	"strings"
	"time"

	"reprise"
	"reprise/recorder"
)

// sameContent says whether the file is what the session in the database would be exported as. Where the
// file is redacted its placeholders may stand for anything: with which rules it was made is not known here.
func sameContent(ctx context.Context, db *recorder.DB, header *reprise.CaptureHeader, items captureItems) (bool, error) {
	s, err := db.Find(ctx, header.Session.ID)
	if err != nil {
		return false, err
	}
	stored, storedItems, err := db.Capture(ctx, s)
	if err != nil {
		return false, err
	}
	theirs, masked := *header, header.Redaction != ""
	if masked {
		theirs.Redaction, stored.Redaction = "", ""
	}
	if theirs.Session.StartedAt.IsZero() { // it was given one when it was imported
		stored.Session.StartedAt = time.Time{}
	}
	next, stop := iter.Pull2(captureLines(stored, storedItems))
	defer stop()
	for line, err := range captureLines(&theirs, items) {
		ours, oursErr, ok := next()
		if err = errors.Join(err, oursErr); err != nil || !ok || !sameLine(line, ours, masked) {
			return false, err
		}
	}
	_, err, more := next()
	return !more, err
}

// captureLines gives the lines of a capture file as they would be written.
func captureLines(header *reprise.CaptureHeader, items captureItems) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		l := lineWriter{yield: yield}
		if err := reprise.WriteCapture(&l, header, items); err != nil && !errors.Is(err, errEnough) {
			yield("", err)
		}
	}
}

// lineWriter cuts what is written to it into lines.
type lineWriter struct {
	rest  []byte
	yield func(string, error) bool
}

var errEnough = errors.New("no more lines are wanted")

func (l *lineWriter) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, ended := bytes.Cut(l.rest, []byte("\n"))
		if !ended {
			return len(p), nil
		}
		l.rest = rest
		if !l.yield(string(line), nil) {
			return 0, errEnough
		}
	}
}

// masks are placeholders, with the quotes that one has for itself where it stands for a number.
var masks = regexp.MustCompile(`"«redacted:[a-z-]+:[0-9]+»"|«redacted:[a-z-]+:[0-9]+»`)

// sameLine says whether a line is ours, when each placeholder in it stands for some text within one JSON string.
func sameLine(line, ours string, masked bool) bool {
	if !masked {
		return line == ours
	}
	parts := masks.Split(line, -1)
	rest, ok := strings.CutPrefix(ours, parts[0])
	for i := 1; ok && i < len(parts); i++ {
		at := strings.Index(rest, parts[i])
		if i == len(parts)-1 {
			at = len(rest) - len(parts[i])
			ok = strings.HasSuffix(rest, parts[i])
		}
		if ok = ok && at >= 0 && oneValue(rest[:at]); ok {
			rest = rest[at+len(parts[i]):]
		}
	}
	return ok && rest == ""
}

// oneValue says that the text ends no JSON string that it did not begin.
func oneValue(text string) bool {
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	return !strings.Contains(strings.ReplaceAll(text, `\"`, ""), `"`)
}
