package proxy

import (
	"os"
	"syscall"
	"time"

	"reprise"
)

// lastWords is how long a host that listens no more is still read from when its stdin stays open.
const lastWords = 100 * time.Millisecond

// live lasts until the server has exited, by itself or down the ladder:
//
//	the host leaves    close the server's stdin ── Close ──▶ SIGTERM ── Term ──▶ SIGKILL
//	the host signals   pass it on ── Signal of silence, or Term, or the same signal again ──▶ SIGKILL
//
// Hosts are quick to kill: Codex 30 ms after its SIGTERM, Claude Code 400 ms.
// What they kill is us; the server must be gone by then, or dies by our death.
func (r *run) live() {
	inEnd, inGone := r.in.done, r.hangUps.in
	outEnd, outGone, broken := r.out.done, r.hangUps.out, r.toHost.broken
	for {
		select {
		case <-r.child.exited:
			r.serverLeft()
			return
		case <-inEnd:
			inEnd, inGone = nil, nil
			if r.serverDeaf() { // it may live on: the host shall see what it would see without us
				r.hostIn.hangUp()
			} else {
				r.clientLeft()
			}
		case <-inGone: // what it has sent may not all be delivered yet
			inGone = nil
			r.clientLeft()
		case <-outGone:
			outGone, broken = nil, nil
			r.clientDeaf()
		case <-broken:
			outGone, broken = nil, nil
			r.clientDeaf()
		case <-outEnd:
			outEnd = nil
			r.hangUpAt = r.soon(r.grace.Drain)
		case sig := <-r.Signals:
			r.passOn(sig)
		case now := <-r.tick:
			r.step(now)
		}
	}
}

func (r *run) serverLeft() {
	if r.in.ended() && !r.serverDeaf() { // it may have left because of that, and both be news
		r.endedBy(reprise.EndedByClient)
	}
	r.endedBy(reprise.EndedByServer)
}

func (r *run) endedBy(e reprise.Ending) {
	if r.ending == "" {
		r.ending = e
	}
}

func (r *run) clientLeft() {
	r.endedBy(reprise.EndedByClient)
	if r.killAt.IsZero() {
		r.termAt = r.soon(r.grace.Close)
		r.delivering = r.in.state.Load()
	}
}

// serverDeaf says whether the server did not take what the host sent.
func (r *run) serverDeaf() bool { return isClosed(r.toServer.broken) }

// clientDeaf is called when nobody reads our stdout any more. The server shall see that, as it
// would without us. Such a host may have left its end of our stdin to another process, and will never close it.
func (r *run) clientDeaf() {
	r.clientLeft()
	_ = r.server.Out.SetReadDeadline(longAgo) // the pump ends, and closes it
	if r.hostIn.SetReadDeadline(time.Now().Add(lastWords)) != nil {
		r.server.In.Close()
	}
}

func (r *run) passOn(sig os.Signal) {
	if sig == syscall.SIGPIPE {
		return // ours, of a write to a host that is gone
	}
	if !ends(sig) {
		r.child.signal(sig)
		return
	}
	r.endedBy(reprise.EndedBySignal)
	if r.sent[sig] {
		r.kill()
		return
	}
	r.sent[sig] = true
	r.child.signal(sig)
	r.termAt = time.Time{}
	if r.killAt.IsZero() {
		r.killAt = r.soon(r.grace.Term)
	}
	r.still = [2]stillness{} // silence counts from here
}

// ends says whether hosts end a server with the signal. Others are the server's business alone.
func ends(sig os.Signal) bool {
	return sig == os.Interrupt || sig == syscall.SIGTERM || sig == syscall.SIGHUP
}

func (r *run) kill() {
	r.child.kill()
	r.termAt, r.killAt = time.Time{}, time.Time{}
}

// step does what is due.
func (r *run) step(now time.Time) {
	if due(&r.hangUpAt, now) {
		r.hostOut.hangUp()
	}
	if due(&r.termAt, now) {
		r.terminate(now)
	}
	if due(&r.killAt, now) || len(r.sent) > 0 && r.silent(now) {
		r.kill()
	}
	if len(r.sent) == 0 && r.hangUpAt.IsZero() && r.termAt.IsZero() && r.killAt.IsZero() {
		r.sleep()
	}
}

func due(at *time.Time, now time.Time) bool {
	if at.IsZero() || now.Before(*at) {
		return false
	}
	*at = time.Time{}
	return true
}

// terminate asks the server to end, unless it is still reading what the host sent before it left.
func (r *run) terminate(now time.Time) {
	if state := r.in.state.Load(); !r.in.ended() && state != r.delivering {
		r.delivering, r.termAt = state, now.Add(r.grace.Close)
		return
	}
	r.child.signal(syscall.SIGTERM)
	r.killAt = now.Add(r.grace.Term)
}

// silent says whether the server has put out nothing since it was signalled, for long enough.
func (r *run) silent(now time.Time) bool {
	silent := true
	for i, p := range []*pump{r.out, r.err} {
		idle := r.still[i].of(p.state.Load(), now)
		silent = silent && (p.ended() || idle >= r.grace.Signal)
	}
	return silent
}

// drain delivers what a server that has exited left in its pipes: to their end,
// or, as a process that it started may hold them, until nothing has come for
// quiet. A process that never falls quiet is given the time of Close.
func (r *run) drain(quiet time.Duration) {
	until := r.soon(r.grace.Close)
	outEnd, errEnd := r.out.done, r.err.done
	for outEnd != nil || errEnd != nil {
		select {
		case <-outEnd:
			outEnd = nil
		case <-errEnd:
			errEnd = nil
		case sig := <-r.Signals:
			r.passOn(sig)
		case now := <-r.tick:
			if r.drained(now, quiet, until) {
				return
			}
		}
	}
}

func (r *run) drained(now time.Time, quiet time.Duration, until time.Time) bool {
	over := now.After(until)
	if len(r.sent) > 0 { // the host wants an end, and may have stopped reading
		return over || r.silent(now)
	}
	drained := true
	for i, p := range []*pump{r.out, r.err} {
		state := p.state.Load()
		idle := r.still[i].of(state, now)
		holds := state%phases != reading // bytes that a slow host has yet to take
		drained = drained && (p.ended() || !holds && (over || idle >= quiet))
	}
	return drained
}
