package dp

import (
	"errors"
	"fmt"
	"slices"

	"peerd.dev/dp/account"
	"peerd.dev/internal/vouch"
)

// Mode says whose data a Curator protects.
type Mode uint8

// The modes.
const (
	// Private protects people: noise comes from the operating system's generator, and every
	// release is paid from a finite budget.
	Private Mode = iota
	// Lockstep is for worlds without people: seeds and infinite budgets are allowed, for
	// simulated worlds, whose results are marked "not private".
	Lockstep
)

// A Curator is a node's one way from private to public. It is not safe for
// concurrent use.
type Curator struct {
	mode         Mode
	budget       account.Budget
	spent        account.Loss
	src          *Source
	charged      []Charge // in the order of their streams
	chargesTaken int      // number of charged that TakeCharges has returned
	streams      []*stream
	drawn        []Release
	leaves       []Leaf  // since the last TakeDrawn
	drawer       drawer  // here so that closing a leaf does not allocate
	replay       *replay // nil unless replaying
	arena        *arena
}

// NewCurator returns a curator with a budget for the node's whole life. In [Private] mode it
// refuses seeded noise and an infinite budget.
func NewCurator(mode Mode, limit vouch.Value[account.Budget], src *Source) (*Curator, error) {
	budget := limit.Get()
	if err := budget.Check(); err != nil {
		return nil, fmt.Errorf("dp: budget: %w", err)
	}
	if mode == Private && !src.Private() {
		return nil, errors.New("dp: seeded noise outside lockstep would repeat itself")
	}
	if mode == Private && budget.Epsilon == Infinite {
		return nil, errors.New("dp: an infinite budget outside lockstep would protect no one")
	}
	d := &Curator{mode: mode, budget: budget, src: src, arena: new(arena)}
	d.drawer.src, d.drawer.hidden = src, &d.arena.hidden
	return d, nil
}

// Open charges s and opens its streams, numbered from the returned one. If the budget cannot pay,
// the error is a *[BudgetError] and nothing is charged.
func (d *Curator) Open(s Spec) (StreamID, error) {
	c, err := s.charge(StreamID(len(d.streams)))
	if err != nil {
		return 0, err
	}
	if err := d.payCharge(c); err != nil {
		return 0, err
	}
	next := c.streams(d.arena)
	for range c.Streams {
		d.streams = append(d.streams, next())
	}
	return c.Stream, nil
}

// payCharge charges c, which passes Check.
func (d *Curator) payCharge(c Charge) error {
	if err := d.pay(c.What, c.Loss); err != nil {
		return err
	}
	d.charged = append(d.charged, c)
	return nil
}

// streams returns a function that makes the streams of the charge, which must pass Check, one
// after another.
func (c *Charge) streams(a *arena) func() *stream {
	d, _ := c.Mechanism.Design()
	l, id := d.Layout(c.Leaves), c.Stream
	return func() *stream {
		id++
		return newStream(id-1, c, &d, l, a)
	}
}

// pay takes a loss from the budget.
func (d *Curator) pay(what string, l account.Loss) error {
	sum, err := d.spent.Plus(l)
	ok := err == nil
	if ok {
		ok, err = d.budget.Covers(sum)
	}
	if err != nil {
		return fmt.Errorf("dp: %s: %w", what, err)
	}
	if !ok {
		return &BudgetError{What: what, Asked: l, Spent: d.spent, Budget: d.budget}
	}
	d.spent = sum
	return nil
}

// Add adds one record to the open leaf of stream s: every entry is clipped, rounded toward zero
// to the grid and summed. It refuses NaN and infinities and then changes nothing.
func (d *Curator) Add(s StreamID, x []float64) error {
	t, err := d.stream(s)
	if err != nil {
		return err
	}
	return t.add(x)
}

// Clipped returns how many of the records added since the curator was made were changed to fit
// their bounds. The number is private: it is for the log of the records' owner, and nothing that
// leaves may depend on it.
func (d *Curator) Clipped() (n uint64) {
	for _, t := range d.streams {
		n += t.clipped
	}
	return n
}

// Leaf closes leaf k of stream s, draws the noise of the node that it completes and returns the
// new public data, which is valid until a leaf closes after the next [Curator.TakeDrawn]. Leaves
// are closed in order, from 1 or from what [Curator.Skip] returned. In a [Curator.Replay] nothing
// new becomes public.
func (d *Curator) Leaf(s StreamID, k uint64) (*Leaf, error) {
	t, err := d.stream(s)
	if err != nil {
		return nil, err
	}
	if err = t.checkNext(k); err != nil {
		return nil, err
	}
	n := len(d.leaves)
	d.leaves = slices.Grow(d.leaves, 1)[:n+1]
	leaf := &d.leaves[n] // closing sets every field
	if d.replay == nil {
		err = t.close(&d.drawer, leaf)
	} else {
		err = d.replay.closeLeaf(t, &d.drawer, leaf)
	}
	if err != nil {
		return nil, err
	}
	d.drawn = append(d.drawn, leaf.Node)
	return leaf, nil
}

// Budget returns what the curator may spend over its whole life.
func (d *Curator) Budget() account.Budget { return d.budget }

// Spent returns the loss that is charged.
func (d *Curator) Spent() account.Loss { return d.spent }

// Mode returns the mode that the curator was made with.
func (d *Curator) Mode() Mode { return d.mode }

// TakeCharges returns what was charged since the last call. It must be durable before any Release
// of those streams leaves the node.
func (d *Curator) TakeCharges() []Charge {
	c := d.charged[d.chargesTaken:len(d.charged):len(d.charged)]
	d.chargesTaken = len(d.charged)
	return c
}

// TakeDrawn returns the nodes that were drawn since the last call, in the order of their leaves;
// in a [Curator.Replay], those that were restored. The slice is valid until the next leaf closes,
// its Releases forever.
func (d *Curator) TakeDrawn() []Release {
	r := d.drawn
	d.drawn, d.leaves = d.drawn[:0], d.leaves[:0]
	d.arena.hidden.endStep()
	return r
}

func (d *Curator) stream(s StreamID) (*stream, error) {
	if int(s) >= len(d.streams) {
		return nil, fmt.Errorf("dp: stream %d of %d", s, len(d.streams))
	}
	return d.streams[s], nil
}
