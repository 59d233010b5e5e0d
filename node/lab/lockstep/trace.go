package lockstep

import (
	"fmt"
	"io"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// A Trace records what a peer does, so that a daemon in lockstep and a simulated one can be
// compared byte for byte. Numbers are written exactly.
type Trace struct {
	Steps io.Writer                        // one line per round: decision, releases, estimates
	Links func(to protocol.Peer) io.Writer // one line per frame
}

// Step writes a round's line.
func (t *Trace) Step(round protocol.Round, arm int, b *bandit.Belief, drawn []dp.Release) error {
	_, err := fmt.Fprintf(t.Steps, "%d arm=%d estimates=%x spread=%x behind=%v released=", round, arm, b.X, b.SampleVar, b.Forced)
	if err != nil {
		return err
	}
	for _, r := range drawn {
		s := r.Span()
		if _, err = fmt.Fprintf(t.Steps, "%d(%d,%d]:", r.Stream(), s.From, s.To); err != nil {
			return err
		}
		for i := range r.Len() {
			if _, err = fmt.Fprintf(t.Steps, "%d,", r.Value(i)); err != nil {
				return err
			}
		}
	}
	_, err = fmt.Fprintln(t.Steps)
	return err
}

// Frame writes a frame's line.
func (t *Trace) Frame(to protocol.Peer, frame []byte) error {
	_, err := fmt.Fprintf(t.Links(to), "%x\n", frame)
	return err
}
