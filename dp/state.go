package dp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"peerd.dev/dp/account"
)

// ErrState is wrapped by the errors of Load: the state is damaged, or that of
// something else.
var ErrState = errors.New("dp: saved state does not fit")

// stateVersion is the first byte of a saved state.
const stateVersion = 4

// Save returns the curator's state, with the private sums and, for a seeded [Source],
// where in its noise it stands. What was charged and drawn must have been taken by
// [Curator.TakeCharges] and [Curator.TakeDrawn], and no [Curator.Replay] be under way.
func (d *Curator) Save() (Secret, error) {
	if d.chargesTaken < len(d.charged) || len(d.drawn) > 0 || d.replay != nil {
		return Secret{}, errors.New("dp: a curator is saved between steps only")
	}
	b := []byte{stateVersion}
	b = binary.AppendUvarint(b, uint64(d.mode))
	b = binary.AppendUvarint(b, uint64(d.budget.Epsilon))
	b = binary.AppendUvarint(b, uint64(d.budget.Delta))
	source := d.src.State()
	b = append(binary.AppendUvarint(b, uint64(len(source))), source...)
	b = binary.AppendUvarint(b, uint64(len(d.charged)))
	for i, c := range d.charged {
		b = d.charged[i].appendCharge(b)
		for _, t := range d.streams[c.Stream : int(c.Stream)+c.Streams] {
			b = t.appendState(b)
		}
	}
	return Secret{b}, nil
}

// Load makes d the saved curator, which then goes on as if it had never been saved. d
// must be fresh, with the saved one's mode, budget and kind of [Source], and with the
// same streams opened or none; nothing is charged again. The error wraps [ErrState],
// and then nothing has changed.
func (d *Curator) Load(saved Secret) error {
	r := newReader(saved.b)
	mode, budget := r.uint(), account.Budget{Epsilon: Cost(r.uint()), Delta: account.Delta(r.uint())}
	if !r.bad && (mode != uint64(d.mode) || budget != d.budget) {
		return fmt.Errorf("%w: mode %d with %v, want %d with %v", ErrState, mode, budget, d.mode, d.budget)
	}
	source := r.bytes()
	next := Curator{budget: d.budget}
	for n := r.uint(); n > 0 && !r.bad; n-- {
		if err := next.readGroup(r, &d.arena); err != nil {
			return err
		}
	}
	if err := r.end(); err != nil {
		return err
	}
	if len(d.charged) > 0 && !slices.Equal(d.charged, next.charged) {
		return fmt.Errorf("%w: other streams were opened", ErrState)
	}
	if err := d.src.Restore(source); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	d.spent, d.charged, d.chargesTaken, d.streams = next.spent, next.charged, len(next.charged), next.streams
	d.drawn, d.replay, d.arena.hidden = nil, nil, hiddenNoise{}
	return nil
}

// readGroup reads a charge, pays it, and reads the streams that it opened.
func (d *Curator) readGroup(r *reader, a *arena) error {
	c := readCharge(r)
	if r.bad {
		return r.end()
	}
	c.Stream = StreamID(len(d.streams))
	if err := c.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if err := d.payCharge(c); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	next := c.streams(a)
	for i := 0; i < c.Streams && !r.bad; i++ { // a stream that is not there takes 4 MiB at most
		t := next()
		t.readState(r)
		d.streams = append(d.streams, t)
		if c.Mode == Sequential && !r.bad {
			loss, err := c.Loss.Times(t.closed()) // what was given up may have been paid
			if err == nil {
				err = d.pay(c.What, loss)
			}
			if err != nil {
				return fmt.Errorf("%w: %w", ErrState, err)
			}
		}
	}
	return nil
}

// appendCharge encodes all but the first stream, which follows from the charges before.
func (c *Charge) appendCharge(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(c.What)))
	b = append(b, c.What...)
	b = binary.AppendUvarint(b, uint64(c.Streams))
	b = append(b, byte(c.Shape))
	b = binary.AppendUvarint(b, uint64(c.Dim))
	b = binary.AppendVarint(b, c.Lo)
	b = binary.AppendVarint(b, c.Hi)
	b = binary.AppendUvarint(b, c.Leaves)
	b = binary.AppendUvarint(b, c.RecordsPerUser)
	b = append(b, byte(c.Adjacency), byte(c.Mechanism), byte(c.Mode))
	b = binary.AppendUvarint(b, uint64(c.Loss.Pure))
	b = binary.AppendUvarint(b, uint64(c.Loss.Square))
	return binary.AppendUvarint(b, c.Scale)
}

func readCharge(r *reader) Charge {
	return Charge{
		What: string(r.bytes()), Streams: r.size(), Shape: Shape(r.byte()), Dim: r.size(), Lo: r.int(), Hi: r.int(),
		Leaves: r.uint(), RecordsPerUser: r.uint(),
		Adjacency: Adjacency(r.byte()), Mechanism: Mechanism(r.byte()), Mode: ChargeMode(r.byte()),
		Loss: account.Loss{Pure: Cost(r.uint()), Square: account.Square(r.uint())}, Scale: r.uint(),
	}
}
