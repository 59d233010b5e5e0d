package site

import (
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/site/form"
	"peerd.dev/protocol"
)

// logKind says what a step was.
type logKind byte

const (
	logChosen  logKind = 1
	logSettled logKind = 2
	logRound   logKind = 3
)

// logRecord is a step in the log: its input and the nodes drawn in it.
type logRecord struct {
	kind    logKind
	explore float64 // share of exploration of the choice, for logChosen and logRound

	// for logChosen
	learner  bool // the learner chose
	counted  bool // the choice is a pull
	arm      bandit.Arm
	chosen   bandit.Arm // what the learner chose, if it did; arm is another if a rule or the application had the last word
	turn     uint64
	excluded []bandit.Arm

	// for logSettled
	decisions    uint64 // number of decisions that were due
	observations []observation

	// for logRound
	round  uint64
	played *bandit.Pull // in a simulated world, which offers its features again
	kept   bool         // and not given
	in     []protocol.Delivery

	drawn  []dp.Release
	hidden dp.Secret // noise that was drawn and that no node in drawn contains
}

// Format implements [fmt.Formatter]: a type with a reward in a field that fmt cannot see into
// prints itself as private.
func (logRecord) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

func (e *logRecord) fields(v *state.Visitor, s shape) {
	state.Number(v, &e.kind)
	if e.kind != logSettled {
		v.Float(&e.explore)
	}
	switch e.kind {
	case logChosen:
		other := e.learner && e.chosen != e.arm
		v.Flags(&e.learner, &e.counted, &other)
		s.arm(v, &e.arm)
		if other {
			s.arm(v, &e.chosen)
		} else {
			e.chosen = e.arm
		}
		v.Uint(&e.turn)
		state.List(v, &e.excluded, func(a *bandit.Arm) { s.arm(v, a) })
	case logSettled:
		v.Uint(&e.decisions)
		state.List(v, &e.observations, func(o *observation) { o.fields(v, s) })
	case logRound:
		e.roundFields(v, s)
	default:
		v.Fail("a step of kind %d", e.kind)
	}
	state.List(v, &e.drawn, func(r *dp.Release) { protocol.VisitRelease(vouch.For(v), r) })
	hidden := e.hidden.Bytes()
	if v.Bytes(&hidden); v.Loading() {
		e.hidden = dp.NewSecret(vouch.For(hidden))
	}
}

func (e *logRecord) roundFields(v *state.Visitor, s shape) {
	v.Uint(&e.round)
	played := e.played != nil
	if v.Version() < 6 {
		v.Bool(&played)
	} else {
		v.Flags(&played, &e.kept)
	}
	if played {
		if v.Loading() {
			e.played = new(bandit.Pull)
		}
		s.arm(v, &e.played.Arm)
		v.Float((*float64)(&e.played.Reward))
	}
	state.List(v, &e.in, func(d *protocol.Delivery) {
		state.Number(v, &d.From)
		message(v, &d.Message)
	})
}

func (e *logRecord) bytes() []byte {
	return state.Save(logVersion, func(v *state.Visitor) { e.fields(v, shape{}) })
}

// parseLogRecord reads a log record of a site with a shape.
func parseLogRecord(b []byte, s shape) (e logRecord, err error) {
	err = form.Decode("log record", b, 4, logVersion, func(v *state.Visitor) { e.fields(v, s) })
	return e, err
}

// observation is an observed reward with its route. A choice that is not learned from has none.
type observation struct {
	route node.Route // In
	pull  bandit.Pull
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (observation) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

func (o *observation) fields(v *state.Visitor, s shape) {
	if v.Loading() {
		o.route.In = true
	}
	s.stream(v, &o.route.Stream)
	v.Uint(&o.route.Epoch)
	s.arm(v, &o.pull.Arm)
	s.armFeatures(v, &o.pull.Features)
	v.Float((*float64)(&o.pull.Reward))
}
