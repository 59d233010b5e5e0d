package node

import (
	"errors"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// A Route is where the record of a choice goes. It is fixed when the choice is made; the reward
// may become known much later.
type Route struct {
	Stream dp.StreamID
	In     bool   // the record enters the stream; otherwise it enters no release
	Epoch  uint64 // epoch in which the choice explores, with a phased learner; else 0
}

// closing closes an agent's leaves by its protocol's cadence. All its decisions depend on public
// data: rounds, and choices, which follow from releases.
type closing struct {
	cadence protocol.Cadence
	parts   int
	phased  bandit.Phased // nil unless the learner is phased

	periods uint64   // periods of the clock that have ended; a busy daemon skips rounds and so may close one leaf for several periods
	open    []uint64 // records in the open leaf, by stream
	closed  []uint64 // records in closed leaves, by stream
	since   []uint64 // number of the round at whose end the open leaf was first found to have a record, by stream; 0 for none
	over    []bool   // streams that have reached their horizon

	epoch  uint64   // that is being explored
	chosen []uint64 // exploring choices in it, by part; the greatest uint64 once its leaves have closed
	done   []uint64 // those whose record was observed, by part

	own    []protocol.Own // scratch
	forced []int          // scratch
}

func newClosing(c protocol.Cadence, l bandit.Learner) closing {
	x := closing{cadence: c, parts: l.Statistic().Parts}
	x.phased, _ = l.(bandit.Phased)
	streams := c.Streams(x.parts)
	x.open, x.closed, x.since, x.over = make([]uint64, streams), make([]uint64, streams), make([]uint64, streams), make([]bool, streams)
	x.chosen, x.done = make([]uint64, x.parts), make([]uint64, x.parts)
	return x
}

// enter begins the present epoch, unless it is explored already.
func (c *closing) enter(b *bandit.Belief) {
	if b.Epoch+1 != c.epoch {
		c.epoch = b.Epoch + 1
		clear(c.chosen)
		clear(c.done)
	}
}

// quota returns what the present epoch wants of every part; nil for nothing.
func (c *closing) quota(b *bandit.Belief) []uint64 {
	c.enter(b)
	return c.phased.Quota(b)
}

// explored reports whether the leaves of the present epoch have closed. A late release can change
// what an epoch wants; its leaves close only once anyway.
func (c *closing) explored() bool { return c.epoch > 0 && c.chosen[0] == math.MaxUint64 }

// lacking returns the parts of which the present epoch wants more choices.
func (c *closing) lacking(b *bandit.Belief) []int {
	c.forced = c.forced[:0]
	for k, n := range c.quota(b) {
		if c.chosen[k] < n {
			c.forced = append(c.forced, k)
		}
	}
	return c.forced
}

// route fixes the route of the record of a choice in round t.
func (c *closing) route(part int, t protocol.Round, p protocol.Protocol) Route {
	r := Route{Stream: dp.StreamID(c.cadence.Stream(part, c.parts, t)), In: true}
	if c.phased == nil {
		return r
	}
	q := c.quota(p.Belief())
	if r.In = q != nil && c.chosen[part] < q[part]; r.In {
		c.chosen[part]++
		r.Epoch = c.epoch
	}
	return r
}

// recorded closes the leaves that a record completes.
func (a *Agent) recorded(r Route) error {
	c := &a.closing
	s := int(r.Stream)
	c.open[s]++
	switch {
	case c.phased != nil:
		c.done[s%c.parts]++
		return a.complete()
	case c.cadence.Rounds > 0:
		return nil
	case c.cadence.Decisions > 0:
		lane := s - s%c.parts
		n := uint64(0)
		for _, open := range c.open[lane : lane+c.parts] {
			n += open
		}
		if n < c.cadence.Decisions {
			return nil
		}
		return a.close(lane, lane+c.parts, nil)
	case c.cadence.First > 0 && c.open[s] < c.cadence.Size(c.closed[s]):
		return nil
	}
	return a.close(s, s+1, nil)
}

// complete closes the leaves of all parts that the present epoch wants, once all of them have
// their records.
func (a *Agent) complete() error {
	c := &a.closing
	q := c.quota(a.protocol.Belief())
	if q == nil || c.explored() {
		return nil
	}
	for k, n := range q {
		if c.done[k] < n {
			return nil
		}
	}
	for k := range c.chosen {
		c.chosen[k] = math.MaxUint64
	}
	return a.close(0, len(q), q)
}

// ended closes the leaves that end with round t.
func (a *Agent) ended(t protocol.Round) error {
	c := &a.closing
	if c.phased != nil { // the epoch may want less than before
		return a.complete()
	}
	if every := c.cadence.Rounds; every > 0 && len(c.open) > 0 {
		return a.endPeriods((uint64(t) + 1) / every)
	}
	if window := c.cadence.Window; window > 0 && (uint64(t)+1)/window > c.periods {
		c.periods = (uint64(t) + 1) / window
		return a.restart()
	}
	if c.cadence.Limit > 0 {
		return a.limit(uint64(t) + 1)
	}
	return nil
}

// endPeriods closes the leaves of the first n periods of the clock: one of each stream for all that have passed since the
// last time, or one for each.
func (a *Agent) endPeriods(n uint64) error {
	c := &a.closing
	for c.periods < n {
		c.periods = n
		if c.cadence.Tied {
			closed, err := a.curator.Closed(0)
			if err != nil || closed >= n || c.over[0] {
				return err
			}
			c.periods = closed + 1
		}
		if err := a.close(0, len(c.open), nil); err != nil {
			return err
		}
	}
	return nil
}

// restart closes the leaves with a record at the end of a window, after which leaves are short again.
func (a *Agent) restart() error {
	for s, n := range a.closing.open {
		if n == 0 {
			continue
		}
		if err := a.close(s, s+1, nil); err != nil {
			return err
		}
	}
	clear(a.closing.closed)
	return nil
}

// limit closes the leaves that have been open for too long at the end of the round with a number.
func (a *Agent) limit(number uint64) error {
	c := &a.closing
	for s, n := range c.open {
		switch {
		case n == 0:
		case c.since[s] == 0:
			c.since[s] = number
		case number-c.since[s] >= c.cadence.Limit:
			if err := a.close(s, s+1, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// close closes a leaf of each stream in [from, to) or, with a quota, of those in it that the
// quota wants something of.
func (a *Agent) close(from, to int, quota []uint64) error {
	c := &a.closing
	c.own = c.own[:0]
	for s := from; s < to; s++ {
		if c.over[s] || quota != nil && quota[s] == 0 {
			continue
		}
		closed, err := a.curator.Closed(dp.StreamID(s))
		if err != nil {
			return err
		}
		o := protocol.Own{Stream: dp.StreamID(s), Number: closed + 1}
		if o.Leaf, err = a.curator.Leaf(o.Stream, o.Number); err != nil {
			if !errors.Is(err, dp.ErrHorizon) {
				return err
			}
			o.Over, c.over[s] = true, true
		}
		c.closed[s] += c.open[s]
		c.open[s], c.since[s] = 0, 0
		c.own = append(c.own, o)
	}
	if len(c.own) == 0 {
		return nil
	}
	return a.protocol.Released(c.own, &a.out)
}

// begin forgets the records that a lost life had in open leaves, and how long its leaves had
// grown: the protocol begins without them. It keeps which streams have reached their horizon.
func (c *closing) begin() {
	clear(c.open)
	clear(c.closed)
	clear(c.since)
	clear(c.chosen)
	clear(c.done)
	c.periods, c.epoch = 0, 0
}

func (c *closing) fields(v *state.Visitor) {
	v.Uint(&c.periods)
	v.Uints(c.open)
	v.Uints(c.closed)
	v.Uints(c.since)
	v.Bools(c.over)
	v.Uint(&c.epoch)
	v.Uints(c.chosen)
	v.Uints(c.done)
}
