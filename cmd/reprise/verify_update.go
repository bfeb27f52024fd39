package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"reprise"
	"reprise/replay"

	"github.com/tidwall/gjson"
)

// updatable refuses, before anything is started, what an update could not do.
func (p *program) updatable(o verifyOptions, c *reprise.Capture) error {
	if info, err := os.Stat(o.session); err != nil || !info.Mode().IsRegular() {
		return usage(fmt.Errorf("--update: %s is no regular file", o.session))
	}
	if _, asks := terminal(asFile(p.stdin)); !asks && !o.yes {
		return hint(usage(errors.New("--update needs --yes where nobody can be asked")), "have a look at the differences first: without --update nothing is written")
	}
	if strings.Contains(gjson.Get(c.Header.Redaction, "rules").Str, "own") && len(o.rules) == 0 {
		return hint(usage(errors.New("the file was masked by rules of its own, which it does not tell")), "give them again with --rule")
	}
	_, err := newRedactor(o.rules)
	return err
}

// updateCapture puts today's frames into the capture file, if nothing that was recorded would get lost.
func (p *program) updateCapture(o verifyOptions, c *reprise.Capture, v *verified) (written bool, err error) {
	t := v.Total()
	switch {
	case v.Then.Peer.Name != v.Now.Peer.Name:
		return false, p.notUpdated("this is another server")
	case t.Skipped > 0:
		return false, p.notUpdated("what was skipped would be missing from it: allow it with --allow-tool or --allow-writes")
	case slices.ContainsFunc(v.Calls, func(c *replay.Verified) bool {
		return c.Class == reprise.ClassExtra && c.Direction == reprise.ServerToClient && c.Kind == reprise.KindRequest
	}):
		return false, p.notUpdated("the server asks what the session has no answer to")
	case t.Missing > 0 || v.Ended != "" && v.Then.Ending != reprise.EndedByServer:
		return false, p.notUpdated("what is missing today would be missing from it")
	}
	if !o.yes && !p.agrees(fmt.Sprintf("Put today's session into %s?", visible(o.session))) {
		return false, nil
	}
	today, err := p.today(c, v)
	if err != nil {
		return false, err
	}
	if c.Header.Redaction != "" || len(o.rules) > 0 {
		if today, err = masked(today, o.rules); err != nil {
			return false, err
		}
		today.Header.Redaction = cmp.Or(today.Header.Redaction, c.Header.Redaction)
	}
	if err := replaceFile(o.session, today.Write); err != nil {
		return false, err
	}
	if !o.quiet {
		fmt.Fprintf(p.stderr, "%s holds today's session now: %s.\n", visible(o.session), count(int64(len(v.Frames)), "frame"))
	}
	return true, nil
}

// notUpdated says why the file is as it was.
func (p *program) notUpdated(why string) error {
	fmt.Fprintf(p.stderr, "reprise: error: not updated: %s\n", why)
	return exitStatus(exitWanting)
}

// agrees asks the person at the terminal.
func (p *program) agrees(question string) bool {
	fmt.Fprintf(p.stderr, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(p.stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// asFile is a reader as the terminal that it may be.
func asFile(r any) *os.File {
	f, _ := r.(*os.File)
	return f
}

// today is the capture of the conversation that was just held. What a stranger has put into the header stays.
func (p *program) today(c *reprise.Capture, v *verified) (*reprise.Capture, error) {
	id, err := reprise.NewID(v.Now.StartedAt)
	if err != nil {
		return nil, err
	}
	header := *c.Header
	header.Redaction = ""
	header.Session.ID, header.Session.StartedAt, header.Session.Complete = id, v.Now.StartedAt, true
	today := &reprise.Capture{Header: &header}
	end := reprise.CaptureEnd{Ended: true, Ending: v.exit.Ending, ExitCode: &v.exit.Code}
	for _, f := range v.Frames {
		today.Items = append(today.Items, reprise.CaptureItem{Frame: f})
		end.At = f.At
	}
	today.Items = append(today.Items, reprise.CaptureItem{End: &end})
	return today, nil
}

// masked is a capture as it may leave the machine.
func masked(c *reprise.Capture, rules []string) (*reprise.Capture, error) {
	redactor, err := newRedactor(rules)
	if err != nil {
		return nil, err
	}
	header, items, err := redactor.Capture(c.Header, c.All())
	if err != nil {
		return nil, err
	}
	return reprise.HoldCapture(header, items)
}
