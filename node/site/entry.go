package site

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// stateVersion is the first byte of every value that this package stores.
const stateVersion = 1

// entryVersion is that of log entries, which have hidden noise since 2.
const entryVersion = 2

// ErrDamaged is wrapped by the errors that say that a store's contents do not make
// sense.
var ErrDamaged = errors.New("the store is damaged, or another configuration's")

// entryKind says what a step was.
type entryKind byte

const (
	entryChosen  entryKind = 1
	entrySettled entryKind = 2
	entryRound   entryKind = 3
)

// entry is a step in the log: its input, and the noise that was drawn in it.
type entry struct {
	kind entryKind

	// of entryChosen
	learner  bool // the learner chose; else a rule did
	counted  bool // the choice is a pull
	arm      int
	turn     uint64
	excluded []bandit.Arm

	// of entrySettled
	decisions uint64 // that were due
	records   []record

	// of entryRound
	round  uint64
	played *record // in a simulated world
	in     []protocol.Delivery

	drawn  []dp.Release
	hidden dp.Secret // noise that was drawn and that no node in drawn shows
}

// record is a reward that is taken in.
type record struct {
	arm   int
	value bandit.Reward
}

// Format implements [fmt.Formatter]: what holds a reward in a field that fmt cannot see
// into prints as private itself.
func (entry) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Format implements [fmt.Formatter].
func (record) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

func (e *entry) bytes() []byte {
	b := []byte{entryVersion, byte(e.kind)}
	switch e.kind {
	case entryChosen:
		b = append(b, flags(e.learner, e.counted))
		b = binary.AppendUvarint(b, uint64(e.arm))
		b = binary.AppendUvarint(b, e.turn)
		b = binary.AppendUvarint(b, uint64(len(e.excluded)))
		for _, a := range e.excluded {
			b = binary.AppendUvarint(b, uint64(a))
		}
	case entrySettled:
		b = binary.AppendUvarint(b, e.decisions)
		b = binary.AppendUvarint(b, uint64(len(e.records)))
		for _, r := range e.records {
			b = r.append(b)
		}
	case entryRound:
		b = binary.AppendUvarint(b, e.round)
		b = append(b, flags(e.played != nil))
		if e.played != nil {
			b = e.played.append(b)
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

func (r record) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(r.arm))
	return binary.BigEndian.AppendUint64(b, math.Float64bits(float64(r.value)))
}

func appendPart[T []byte | string](b []byte, part T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

func flags(bits ...bool) (f byte) {
	for i, b := range bits {
		if b {
			f |= 1 << i
		}
	}
	return f
}

// parseEntry reads an entry of a site with a number of arms.
func parseEntry(b []byte, arms int) (e entry, err error) {
	r := reader{b: b}
	if v := r.byte(); v != entryVersion {
		return e, fmt.Errorf("%w: log entry of version %d, want %d: a peer of another version of peerd wrote it", ErrDamaged, v, entryVersion)
	}
	e.kind = entryKind(r.byte())
	switch e.kind {
	case entryChosen:
		f := r.byte()
		e.learner, e.counted = f&1 != 0, f&2 != 0
		e.arm = r.arm(arms)
		e.turn = r.uvarint()
		for range r.more(r.length()) {
			e.excluded = append(e.excluded, bandit.Arm(r.arm(arms)))
		}
	case entrySettled:
		e.decisions = r.uvarint()
		for range r.more(r.length()) {
			e.records = append(e.records, r.record(arms))
		}
	case entryRound:
		e.round = r.uvarint()
		if r.byte() != 0 {
			played := r.record(arms)
			e.played = &played
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
		return e, fmt.Errorf("%w: log entry: %w", ErrDamaged, r.err)
	}
	return e, nil
}

// reader takes values off the front of b until the first error.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errors.New("cut short, or not of this form")
	}
	r.b = nil
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail()
		return nil
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// more counts up to n as long as there is no error.
func (r *reader) more(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if r.err != nil || !yield(i) {
				return
			}
		}
	}
}

// length reads how many parts follow, each of at least a byte.
func (r *reader) length() int {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) part() []byte { return r.take(r.length()) }

func (r *reader) arm(arms int) int {
	a := r.uvarint()
	if a >= uint64(arms) {
		r.fail()
		return 0
	}
	return int(a)
}

func (r *reader) record(arms int) record {
	return record{r.arm(arms), bandit.Reward(math.Float64frombits(r.uint64()))}
}
