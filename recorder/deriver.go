package recorder

import (
	"context"
	"sync"
	"time"
)

// deriver runs the derivation of a live session in a goroutine of its own: whatever
// takes long to derive, the facts do not wait. It gives way to the traffic as the follower does.
type deriver struct {
	*derivation
	pace
	recorder *Recorder
	wake     chan struct{} // facts were stored
	cancel   context.CancelFunc
	running  sync.WaitGroup
}

func startDeriver(r *Recorder, d *derivation) *deriver {
	ctx, cancel := context.WithCancel(context.Background())
	v := &deriver{derivation: d, recorder: r, wake: make(chan struct{}, 1), cancel: cancel}
	v.running.Go(func() { v.run(ctx) })
	return v
}

// stop waits until it has gone, which leaves the derivation to the caller.
func (v *deriver) stop() {
	v.cancel()
	v.running.Wait()
}

func (v *deriver) run(ctx context.Context) {
	stepBack()
	for wait := idle; ; wait = v.next(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-v.wake:
		case <-time.After(wait):
		}
	}
}

// next derives what there is, and says how long to wait afterwards.
func (v *deriver) next(ctx context.Context) time.Duration {
	if r := v.recorder; !v.due(r) || r.filling.Load() && time.Since(v.stepped) < period {
		return tick
	}
	end := time.Now().Add(slice)
	goOn := func() bool { return ctx.Err() == nil && time.Now().Before(end) }
	done, err := v.step(context.WithoutCancel(ctx), goOn) // it stops between two frames
	v.stepped = time.Now()
	return v.wait(done, err)
}

// tell wakes it.
func (v *deriver) tell() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}
