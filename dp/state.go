package dp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// ErrState is wrapped by the errors of Load: the state is damaged, or that of
// something else.
var ErrState = errors.New("dp: saved state does not fit")

// stateVersion is the first byte of a saved state.
const stateVersion = 1

// Save returns the door's state, with the private sums and, for a seeded [Source],
// where in its noise it stands. What was charged and drawn must have been taken by
// [Door.Charges] and [Door.Drawn], and no [Door.Replay] be under way.
func (d *Door) Save() (Secret, error) {
	if d.told < len(d.charged) || len(d.drawn) > 0 || d.replay != nil {
		return Secret{}, errors.New("dp: a door is saved between steps only")
	}
	b := []byte{stateVersion}
	b = binary.AppendUvarint(b, uint64(d.mode))
	b = binary.AppendUvarint(b, uint64(d.budget))
	b = d.src.append(b)
	b = binary.AppendUvarint(b, uint64(len(d.charged)))
	for _, c := range d.charged {
		b = c.append(b)
		for _, t := range d.streams[c.Stream : int(c.Stream)+c.Streams] {
			b = t.append(b)
		}
	}
	return Secret{b}, nil
}

// Load makes d the saved door, which then goes on as if it had never been saved. d
// must be fresh, with the saved one's mode, budget and kind of [Source], and with the
// same streams opened or none; nothing is charged again. The error wraps [ErrState],
// and then nothing has changed.
func (d *Door) Load(saved Secret) error {
	r := newReader(saved.b)
	if mode, budget := r.uint(), r.uint(); !r.bad && (mode != uint64(d.mode) || budget != uint64(d.budget)) {
		return fmt.Errorf("%w: mode %d with epsilon %v, want %d with %v", ErrState, mode, Cost(budget), d.mode, d.budget)
	}
	seeded := d.src.read(r)
	next := Door{left: d.budget}
	for n := r.uint(); n > 0 && !r.bad; n-- {
		if err := next.readGroup(r, &d.room); err != nil {
			return err
		}
	}
	if err := r.end(); err != nil {
		return err
	}
	if len(d.charged) > 0 && !slices.Equal(d.charged, next.charged) {
		return fmt.Errorf("%w: other streams were opened", ErrState)
	}
	d.left, d.charged, d.told, d.streams = next.left, next.charged, len(next.charged), next.streams
	d.drawn, d.replay, d.src.seeded = nil, nil, seeded
	return nil
}

// readGroup reads a charge, pays it, and reads the streams that it opened.
func (d *Door) readGroup(r *reader, room *room) error {
	c := readCharge(r)
	if r.bad {
		return r.end()
	}
	c.Stream = StreamID(len(d.streams))
	if err := c.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if err := d.pay(c); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	for i := 0; i < c.Streams && !r.bad; i++ { // a stream that is not there takes 4 MiB at most
		t := newTree(c.Stream+StreamID(i), c, room)
		t.read(r, c)
		d.streams = append(d.streams, t)
	}
	return nil
}

// append encodes all but the first stream, which follows from the charges before.
func (c Charge) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(c.What)))
	b = append(b, c.What...)
	b = binary.AppendUvarint(b, uint64(c.Streams))
	b = binary.AppendUvarint(b, uint64(c.Dim))
	b = binary.AppendVarint(b, c.Lo)
	b = binary.AppendVarint(b, c.Hi)
	b = binary.AppendUvarint(b, c.Leaves)
	b = binary.AppendUvarint(b, c.RecordsPerUser)
	b = append(b, byte(c.Mechanism), byte(c.Mode))
	b = binary.AppendUvarint(b, uint64(c.Cost))
	return binary.AppendUvarint(b, c.Scale)
}

func readCharge(r *reader) Charge {
	return Charge{
		What: string(r.bytes()), Streams: r.size(), Dim: r.size(), Lo: r.int(), Hi: r.int(),
		Leaves: r.uint(), RecordsPerUser: r.uint(), Mechanism: Mechanism(r.byte()), Mode: ChargeMode(r.byte()),
		Cost: Cost(r.uint()), Scale: r.uint(),
	}
}

// append encodes the stream; its running sum is that of its nodes.
func (t *tree) append(b []byte) []byte {
	b = binary.AppendUvarint(b, t.t)
	b = binary.AppendUvarint(b, t.open)
	for _, n := range t.n {
		b = binary.AppendUvarint(b, n)
	}
	for _, v := range [][]int64{t.leaf, t.alpha, t.node} {
		for _, x := range v {
			b = binary.AppendVarint(b, x)
		}
	}
	return b
}

// read fills a new stream. The reader turns bad where no stream of c can be so.
func (t *tree) read(r *reader, c Charge) {
	t.t, t.open = r.uint(), r.uint()
	for l := range t.n {
		t.n[l] = r.uint()
	}
	for _, v := range [][]int64{t.leaf, t.alpha, t.node} {
		for i := range v {
			v[i] = r.int()
		}
	}
	ok := t.t <= t.leaves && t.open <= maxRecords
	for l, n := range t.n {
		ok = ok && n <= maxRecords
		t.total += n
		for i := range t.dim {
			exact, noisy := t.alpha[l*t.dim+i], t.node[l*t.dim+i]
			ok = ok && sumOf(exact, n, c) && within(noisy) && (t.scale != 0 || noisy == exact)
			t.sum[i] += noisy
		}
	}
	for _, exact := range t.leaf {
		ok = ok && sumOf(exact, t.open, c)
	}
	if !ok || t.total+t.open > maxRecords {
		r.fail()
	}
}

// sumOf reports whether n ≤ maxRecords records of c can have that sum.
func sumOf(x int64, n uint64, c Charge) bool {
	return c.Lo*int64(n) <= x && x <= c.Hi*int64(n)
}
