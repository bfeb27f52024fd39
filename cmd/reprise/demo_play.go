package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"reprise/fixtures/tracker"
)

const demoReplay = `
Now without the server. The same agent talks to the recording, which answers
with the recorded bytes: this is what a test in CI gets in the server's place.
`

const demoVerify = `
And the other way round. The recorded agent talks to a server of today, in which
new issues have other numbers: they are followed from the result that made them
into every later call, and are no difference. What nobody ever used is one.
`

// playDemo plays the session back, on both sides.
func (p *program) playDemo(ctx context.Context, o shared, s *screen, path, session string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.story(demoReplay)
	s.prompt("reprise replay last")
	told, err := tourReplayed(ctx, exec.CommandContext(ctx, self, "replay", "--db", path, session))
	if err != nil {
		return fmt.Errorf("replay demo: %w", err)
	}
	s.line("%s", strings.TrimPrefix(told, "reprise: "))
	s.story(demoVerify)
	s.prompt("reprise verify last --allow-writes --quiet -- reprise demo-server --first 42")
	if err := s.Flush(); err != nil {
		return err
	}
	o.quiet = true
	err = p.verify(ctx, verifyOptions{shared: o, session: session, allowWrites: true, timeout: time.Minute,
		command: []string{self, "demo-server", "--first", "42"}})
	if status := exitStatus(0); !errors.As(err, &status) {
		return err
	}
	return nil // something has changed, as the story says
}

// tourReplayed holds the session with the recording, and gives what that says at its end.
func tourReplayed(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var told bytes.Buffer
	cmd.Stderr = &told
	err := tracker.TourOf(ctx, cmd, tracker.Legacy)
	return strings.TrimSpace(told.String()), err
}
