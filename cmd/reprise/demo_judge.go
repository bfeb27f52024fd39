package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"reprise/fixtures/tracker"
)

const demoHostDefect = "demo-defect"

const demoJudged = `
Last, a session with a tracker that is broken in one place. Two calls failed in
the same words. One was for an issue that the server itself had listed: that is
a defect. The other was for one that the agent made up: that proves nothing.
`

// guessRecorded holds the session that is judged at the end. It comes first, so that the last session is the tour.
func guessRecorded(ctx context.Context, path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "record", "--db", path, "--host", demoHostDefect, "--name", "tracker", "--", self, "demo-server", "--defect")
	cmd.Stderr = os.Stderr
	return tracker.GuessOf(ctx, cmd, tracker.Legacy)
}

// judgeDemo analyses the session with the defect.
func (p *program) judgeDemo(ctx context.Context, o shared, s *screen, session, short string) error {
	s.story(demoJudged)
	s.prompt(fmt.Sprintf("reprise analyze %s --tool get_issue", short))
	if err := s.Flush(); err != nil {
		return err
	}
	return p.analyze(ctx, analyzeOptions{shared: o, sessions: []string{session}, tool: "get_issue"})
}
