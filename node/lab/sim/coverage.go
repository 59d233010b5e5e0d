package sim

import (
	"errors"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// Coverage counts how often an estimate was outside of its confidence radius, for whatever
// reason. A triple is a choice of an honest peer and an arm of which the peer knew something.
// Estimate and radius are those at the choice; the truth is the arm's mean over all sites, as for
// regret.
type Coverage struct {
	Tally
	Greatest float64 `json:"greatest"` // greatest |estimate - truth| / radius
	Last     uint64  `json:"last"`     // number of the last round with a miss, from 1; 0 if there is none
	Rounds   []Tally `json:"rounds"`   // of rounds 1 to 9, 10 to 99 and so on

	Free       uint64 `json:"free"` // triples for which the learner promises nothing
	FreeMisses uint64 `json:"free_misses"`
}

// A Tally counts triples for which the learner promises something.
type Tally struct {
	Checked uint64  `json:"checked"`
	Misses  uint64  `json:"misses"`  // triples with |estimate - truth| > radius; with truth - estimate if a radius bounds only that
	Allowed float64 `json:"allowed"` // greatest expected number of misses if the promise holds: its probability, summed over triples
}

// Broken reports whether there were more misses than allowed.
func (c *Tally) Broken() bool { return float64(c.Misses) > c.Allowed }

func (c *Tally) add(o Tally) {
	c.Checked += o.Checked
	c.Misses += o.Misses
	c.Allowed += o.Allowed
}

// Add adds another run's counts.
func (c *Coverage) Add(o *Coverage) {
	c.add(o.Tally)
	for i, r := range o.Rounds {
		if i == len(c.Rounds) {
			c.Rounds = append(c.Rounds, Tally{})
		}
		c.Rounds[i].add(r)
	}
	c.Greatest = max(c.Greatest, o.Greatest)
	c.Last = max(c.Last, o.Last)
	c.Free += o.Free
	c.FreeMisses += o.FreeMisses
}

// cover counts the coverage of a run.
type cover struct {
	Coverage
	truth []float64 // by arm
	radii []bandit.Radius
	next  uint64 // number of the round in which the next of Rounds begins; 0 before the first
	err   error
}

// checked is the world of an agent whose estimates are checked when it has a decision to make,
// right before its choice.
type checked struct {
	bandit.World
	cover *cover
	agent *node.Agent
}

// Turn implements [bandit.World].
func (w *checked) Turn(round uint64) bandit.Turn {
	turn := w.World.Turn(round)
	if !turn.None && w.cover.err == nil {
		w.cover.err = w.cover.check(w.agent, protocol.Round(round))
	}
	return turn
}

// check checks an agent's estimates right before its choice in round t.
func (c *cover) check(a *node.Agent, t protocol.Round) error {
	c.radii = a.Radii(c.radii[:0], t)
	if len(c.radii) == 0 {
		return errors.New("sim: coverage needs a learner with confidence radii")
	}
	b, now := a.Belief(), Tally{}
	for k, r := range c.radii {
		if !b.Known(k) {
			continue // nothing is known of the arm
		}
		off := c.truth[k] - b.X[k]
		if !r.Above {
			off = math.Abs(off)
		}
		miss := !(off <= r.Size) // NaN counts as a miss
		if r.Miss >= 1 {
			c.Free++
			if miss {
				c.FreeMisses++
			}
			continue
		}
		now.Checked++
		now.Allowed += r.Miss
		c.Greatest = max(c.Greatest, off/r.Size)
		if miss {
			now.Misses++
			c.Last = uint64(t) + 1
		}
	}
	for uint64(t)+1 >= c.next {
		c.Rounds, c.next = append(c.Rounds, Tally{}), 10*max(1, c.next)
	}
	c.add(now)
	c.Rounds[len(c.Rounds)-1].add(now)
	return nil
}
