package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"reprise"
	"reprise/analysis/live"
	"reprise/proxy"
	"reprise/recorder"
)

// liveServer is a server that was started to be called. Closing it ends its record, if there is one.
type liveServer struct {
	io.ReadWriteCloser
	conn *proxy.Conn
	log  *recorder.Recorder
	exit proxy.Exit
}

// startLive starts a server, recorded as a session of the purpose unless that is nil.
func (p *program) startLive(o shared, command []string, session *reprise.Session) (*liveServer, error) {
	var stderr *os.File
	if !o.quiet {
		stderr = os.Stderr
	}
	conn, err := proxy.Dial(command, stderr)
	if err != nil {
		return nil, hint(errors.New(startText(err)), "the server's command stands behind --")
	}
	s := &liveServer{ReadWriteCloser: conn, conn: conn}
	if session != nil {
		s.ReadWriteCloser, s.log = p.recordPlay(o, conn, *session, tapeServer)
	}
	return s, nil
}

func (s *liveServer) Close() error {
	err := s.ReadWriteCloser.Close()
	s.exit = s.conn.Exit()
	if s.log != nil {
		s.log.End(s.exit.Ending, &s.exit.Code, patience)
	}
	return err
}

// liveSession is what is known of a session that we hold with a server.
func liveSession(command []string, purpose string) *reprise.Session {
	cwd, _ := os.Getwd()
	return &reprise.Session{Server: programName(command[0]), Command: reprise.RedactCommand(command), Transport: "stdio",
		Cwd: cwd, Parent: parentProcess(), Purpose: purpose}
}

// isNoServer is the error of a command that ended without a word; nil where it was otherwise.
func (s *liveServer) isNoServer(heard, gone bool, command []string) error {
	if heard || !gone {
		return nil
	}
	return hint(fmt.Errorf("the server ended, and has said nothing (exit code %d)", s.exit.Code),
		"is this an MCP server on its standard streams? %s", strings.Join(reprise.RedactCommand(command), " "))
}

// refusalText says why a tool is not called, and what can be done.
func refusalText(r reprise.Safety) string {
	if r == reprise.SafetyDestructive {
		return "The server declares that these tools destroy."
	}
	return "The server does not declare that these tools only read. Its owner can, with readOnlyHint: true, where they change nothing."
}

func clientPeer() reprise.Peer { return reprise.Peer{Name: "reprise", Version: version()} }

// resultStyles are the colours of results.
var resultStyles = map[string]style{"passed": green, "failed": red, "untestable": yellow, "skipped": dim}

// givenSource says where an argument came from: literal; items[0].id of list_issues({}).
func givenSource(g live.Given) string {
	if g.From == "" {
		return string(g.Source)
	}
	return fmt.Sprintf("%s: %s of %s", g.Source, g.Path, g.From)
}
