package site

import (
	"encoding/binary"
	"fmt"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// logKind says what a step was.
type logKind byte

const (
	logChosen  logKind = 1
	logSettled logKind = 2
	logRound   logKind = 3
)

// logRecord is a step in the log: its input, and the noise that was drawn in it.
type logRecord struct {
	kind    logKind
	explore float64 // share of exploration with which was chosen; of logChosen and logRound

	// of logChosen
	learner  bool // the learner chose; else a rule did
	counted  bool // the choice is a pull
	arm      bandit.Arm
	turn     uint64
	excluded []bandit.Arm

	// of logSettled
	decisions    uint64 // that were due
	observations []observation

	// of logRound
	round  uint64
	played *bandit.Pull // in a simulated world, which offers its features again
	in     []protocol.Delivery

	drawn  []dp.Release
	hidden dp.Secret // noise that was drawn and that no node in drawn shows
}

// Format implements [fmt.Formatter]: what holds a reward in a field that fmt cannot see
// into prints as private itself.
func (logRecord) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

func (e *logRecord) bytes() []byte {
	b := []byte{logVersion, byte(e.kind)}
	if e.kind != logSettled {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(e.explore))
	}
	switch e.kind {
	case logChosen:
		b = append(b, flags(e.learner, e.counted))
		b = binary.AppendUvarint(b, uint64(e.arm))
		b = binary.AppendUvarint(b, e.turn)
		b = binary.AppendUvarint(b, uint64(len(e.excluded)))
		for _, a := range e.excluded {
			b = binary.AppendUvarint(b, uint64(a))
		}
	case logSettled:
		b = binary.AppendUvarint(b, e.decisions)
		b = binary.AppendUvarint(b, uint64(len(e.observations)))
		for i := range e.observations {
			b = e.observations[i].append(b)
		}
	case logRound:
		b = binary.AppendUvarint(b, e.round)
		b = append(b, flags(e.played != nil))
		if e.played != nil {
			b = binary.AppendUvarint(b, uint64(e.played.Arm))
			b = appendReward(b, e.played.Reward)
		}
		b = binary.AppendUvarint(b, uint64(len(e.in)))
		for i := range e.in {
			b = binary.AppendUvarint(b, uint64(e.in[i].From))
			b = appendPart(b, e.in[i].Message.Frame())
		}
	}
	b = binary.AppendUvarint(b, uint64(len(e.drawn)))
	for _, r := range e.drawn {
		b = appendPart(b, protocol.AppendRelease(nil, r))
	}
	return appendPart(b, e.hidden.Bytes())
}

// parseLogRecord reads a log record of a site of a shape.
func parseLogRecord(b []byte, s shape) (e logRecord, err error) {
	if err = checkVersion("log record", b, 3, logVersion); err != nil {
		return e, err
	}
	r := reader{b: b[1:]}
	e.kind = logKind(r.byte())
	if b[0] > 3 && e.kind != logSettled {
		e.explore = math.Float64frombits(r.uint64())
	}
	switch e.kind {
	case logChosen:
		f := r.byte()
		e.learner, e.counted = f&1 != 0, f&2 != 0
		e.arm = r.arm(s)
		e.turn = r.uvarint()
		for range r.more(r.length()) {
			e.excluded = append(e.excluded, r.arm(s))
		}
	case logSettled:
		e.decisions = r.uvarint()
		for range r.more(r.length()) {
			e.observations = append(e.observations, r.observation(s))
		}
	case logRound:
		e.round = r.uvarint()
		if r.byte() != 0 {
			e.played = &bandit.Pull{Arm: r.arm(s), Reward: r.reward()}
		}
		for range r.more(r.length()) {
			d := protocol.Delivery{From: protocol.Peer(r.uvarint())}
			if part := r.part(); r.err == nil {
				d.Message, r.err = protocol.Decode(part)
			}
			e.in = append(e.in, d)
		}
	default:
		r.fail()
	}
	for range r.more(r.length()) {
		var drawn dp.Release
		if part := r.part(); r.err == nil {
			drawn, r.err = protocol.ParseRelease(part)
		}
		e.drawn = append(e.drawn, drawn)
	}
	e.hidden = dp.NewSecret(r.part())
	if r.err == nil && len(r.b) > 0 {
		r.fail()
	}
	if r.err != nil {
		return e, fmt.Errorf("%w: log record: %w", ErrDamaged, r.err)
	}
	return e, nil
}
