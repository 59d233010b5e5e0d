package dp

import (
	"errors"
	"fmt"
	"slices"

	"peerd.dev/dp/state"
)

// Save returns the curator's state, with the private sums and, for a seeded [Source], the
// position in its noise. Everything charged and drawn must have been taken by
// [Curator.TakeCharges] and [Curator.TakeDrawn], and no [Curator.Replay] may be in progress.
func (d *Curator) Save() (Secret, error) {
	if d.chargesTaken < len(d.charged) || len(d.drawn) > 0 || d.replay != nil {
		return Secret{}, errors.New("dp: a curator is saved between steps only")
	}
	source := d.src.State()
	return Secret{state.Save(stateVersion, func(v *state.Visitor) { d.fields(v, &source) })}, nil
}

// Load makes d the saved curator, which then continues as if it had never been saved. d must be
// new, with the saved one's mode, budget and kind of [Source], and with the same streams opened
// or none; nothing is charged again. An error wraps [ErrState] and leaves d unchanged.
func (d *Curator) Load(saved Secret) error {
	var source []byte
	next := Curator{mode: d.mode, budget: d.budget, arena: d.arena}
	if err := state.Load(saved.b, stateVersion, func(v *state.Visitor) { next.fields(v, &source) }); err != nil {
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

// fields visits the state; source is the position of the [Source] in its noise.
func (d *Curator) fields(v *state.Visitor, source *[]byte) {
	mode, budget := d.mode, d.budget
	state.Number(v, &mode)
	state.Number(v, &budget.Epsilon)
	state.Number(v, &budget.Delta)
	v.Check(mode == d.mode && budget == d.budget, "mode %d with %v, want %d with %v", mode, budget, d.mode, d.budget)
	v.Bytes(source)
	for i := range v.Len(len(d.charged)) {
		if !v.Loading() {
			d.charged[i].fields(v)
			for _, t := range d.streams[d.charged[i].Stream:][:d.charged[i].Streams] {
				t.fields(v)
			}
		} else if err := d.loadGroup(v); err != nil {
			v.Fail("%w", err)
		}
	}
}

// loadGroup reads a charge, pays it, and reads the streams that it opened.
func (d *Curator) loadGroup(v *state.Visitor) error {
	c := Charge{Stream: StreamID(len(d.streams))}
	if c.fields(v); !v.OK() {
		return nil
	}
	if err := c.Check(); err != nil {
		return err
	}
	if err := d.payCharge(c); err != nil {
		return err
	}
	next := c.streams(d.arena)
	for i := 0; i < c.Streams && v.OK(); i++ { // a missing stream costs at most 4 MiB
		t := next()
		t.fields(v)
		d.streams = append(d.streams, t)
	}
	return nil
}
