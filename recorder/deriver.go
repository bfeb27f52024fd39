package recorder

import (
	"context"
	"time"
)

// deriver runs the derivation of a live session in a goroutine of its own: whatever
// takes long to derive, the facts do not wait. It gives way to the traffic as the follower does.
type deriver struct {
	*derivation
	pace
	recorder *Recorder
	wake     chan struct{} // facts were stored
	quit     chan struct{}
	done     chan struct{}
}

func startDeriver(r *Recorder, d *derivation) *deriver {
	v := &deriver{derivation: d, recorder: r, wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	go v.run()
	return v
}

// stop waits until it has gone, which leaves the derivation to the caller.
func (v *deriver) stop() {
	close(v.quit)
	<-v.done
}

func (v *deriver) run() {
	defer close(v.done)
	stepBack()
	for wait := idle; ; wait = v.next() {
		select {
		case <-v.quit:
			return
		case <-v.wake:
		case <-time.After(wait):
		}
	}
}

// next derives what there is, and says how long to wait afterwards.
func (v *deriver) next() time.Duration {
	if !v.due(v.recorder) {
		return tick
	}
	end := time.Now().Add(slice)
	done, err := v.step(context.Background(), func() bool { return !v.quitting() && time.Now().Before(end) })
	v.stepped = time.Now()
	return v.wait(done, err)
}

func (v *deriver) quitting() bool {
	select {
	case <-v.quit:
		return true
	default:
		return false
	}
}

// tell wakes it.
func (v *deriver) tell() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}
