package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"sync"
	"time"

	"reprise"
)

// Serve plays the server over a connection until the client closes it, the context ends, or the recorded server dies.
// It closes the connection. The error is of the connection: misses stand in the report.
func (s *Server) Serve(ctx context.Context, conn io.ReadWriteCloser) (*Report, error) {
	defer conn.Close()
	r := s.newRun()
	out := newOutbox(conn, s)
	stop := context.AfterFunc(ctx, func() {
		out.drop()
		conn.Close()
	})
	defer stop()
	out.put(r.begin())
	asking, giveUp := context.WithCancel(ctx)
	var passing sync.WaitGroup
	err := s.read(conn, r, func(lines []line) {
		s.pass(asking, r, lines, out, &passing)
		out.put(lines)
	})
	s.await(&passing, giveUp)
	out.put(r.end())
	err = errors.Join(err, out.close())
	r.report.PassFailed = int(r.failed.Load())
	if r.report.Died = r.dead; r.dead {
		r.report.Code = 1
		if code := s.tape.session.ExitCode; code != nil {
			r.report.Code = *code
		}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return &r.report, err
}

// read gives the run the client's lines.
func (s *Server) read(conn io.Reader, r *run, put func([]line)) error {
	in := bufio.NewReaderSize(conn, 64<<10)
	for !r.dead {
		line, err := readLine(in)
		if len(line) > 0 {
			put(r.receive(line))
		}
		if errors.Is(err, io.EOF) || isClosed(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read client: %w", err)
		}
	}
	return nil
}

// graceOfServer is how long the real server may still answer when the client has gone.
const graceOfServer = 5 * time.Second

// await waits for the real server's answers, which are added to the capture though the client has gone. One that does not
// answer, or does not even read, is ended.
func (s *Server) await(passing *sync.WaitGroup, giveUp func()) {
	defer giveUp()
	done := make(chan struct{})
	go func() {
		passing.Wait()
		close(done)
	}()
	select {
	case <-done:
		return
	case <-time.After(s.grace):
	}
	giveUp()
	_ = s.Upstream.Close()
	<-done
}

// pass asks the real server what is to be asked it, each on its own: the client may go on.
func (s *Server) pass(ctx context.Context, r *run, lines []line, out *outbox, passing *sync.WaitGroup) {
	for _, l := range lines {
		if !l.ask {
			continue
		}
		m := reprise.ReadMessages(l.data)[0]
		if m.Kind != reprise.KindRequest {
			s.Upstream.cancel(reprise.Member(m.Params, "requestId").Raw)
			continue
		}
		secrets := maps.Clone(r.secrets)
		passing.Go(func() {
			answered, err := s.Upstream.ask(ctx, s, l.data, secrets, func(answer []byte) { out.put([]line{{data: answer}}) })
			if err == nil {
				return
			}
			s.Log("passthrough: " + err.Error())
			r.failed.Add(1)
			if !answered {
				out.put([]line{{data: refusal(m.ID, codeMiss, "reprise: passthrough: "+err.Error(), "")}})
			}
		})
	}
}

func isClosed(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}
