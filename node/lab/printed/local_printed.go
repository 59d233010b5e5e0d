package printed

import (
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// Neighbourhood says whose releases a peer of protocol local-printed adds up.
type Neighbourhood string

// The neighbourhoods. A peer is always in its own.
const (
	Ball   Neighbourhood = "ball"   // all peers within the number of links that releases travel
	Clique Neighbourhood = "clique" // the peers of the ball in the same clique of a cover
)

// Estimators says how many estimators a peer of protocol local-printed has.
type Estimators string

// The numbers of estimators.
const (
	OneEstimator    Estimators = "one"   // of all records
	SplitEstimators Estimators = "split" // one per link that releases travel; rounds take turns
)

// LocalParams are the parameters of protocol local-printed: the ones of local, and the form of paper 000.
type LocalParams struct {
	Hops          uint64               `want:"1..255" unit:"links" fixed:"yes" doc:"Links that a release travels, one a round; γ of the paper."`
	Neighbourhood Neighbourhood        `want:"ball|clique" doc:"A site adds up releases of all within hops, or of its clique, as in paper 000."`
	Estimators    Estimators           `want:"one|split" fixed:"yes" doc:"One, or as many as hops, which take turns by round, as in paper 000."`
	First         uint64               `want:"1..1000000" unit:"decisions" fixed:"yes" doc:"Decisions of an estimator in its first batch."`
	Growth        float64              `want:"0 up to 4" fixed:"yes" doc:"As protocol.local.growth, by estimator."`
	Schedule      batches.NewsSchedule // of tests, as are the two below
	Threshold     float64
	Pull          uint64
}

// local returns what the parameters have in common with protocol local's.
func (p LocalParams) local() batches.BatchParams {
	return batches.BatchParams{
		Hops: p.Hops, First: p.First, Growth: p.Growth, DecideFrom: batches.FromReleases, Schedule: p.Schedule, Threshold: p.Threshold, Pull: p.Pull,
	}
}

// Words implements [protocol.Params].
func (p LocalParams) Words() protocol.Words {
	w := p.local().Words()
	w.Name, w.Summary = "local-printed", "batches as with local, added up over cliques and by estimators that take turns, as paper 000 prints them"
	w.When = "to compare with `local`"
	return w
}

// Traits implements [protocol.Traited].
func (p LocalParams) Traits() protocol.Traits { return p.local().Traits() }

// Suits implements [protocol.Suited].
func (p LocalParams) Suits(m dp.Mechanism) bool { return p.local().Suits(m) }

// Check implements [protocol.Checked].
func (p LocalParams) Check(n protocol.Net) (field, want string) {
	if lanes := max(1, p.Cadence().Lanes); n.Horizon > 0 && p.First > n.Horizon/lanes {
		return "first", fmt.Sprintf("at most privacy.horizon over the %d estimators, or no batch is ever released", lanes)
	}
	return "", ""
}

// Small implements [protocol.Shrinking].
func (p LocalParams) Small(leaf uint64) protocol.Params {
	p.First, p.Growth, p.Pull = leaf, min(p.Growth, .1), min(p.Pull, leaf+1)
	return p
}

// Cadence implements [protocol.Params].
func (p LocalParams) Cadence() protocol.Cadence {
	c := p.local().Cadence()
	if p.Estimators == SplitEstimators {
		c.Lanes = p.Hops
	}
	return c
}

// New implements [protocol.Params]. With split estimators round t feeds and uses only estimator t mod hops, and each
// has streams of its own. Every record is in one of them, so one charge covers all. The paper's proof needs
// this, but each estimator learns from a part of the records only.
func (p LocalParams) New(c protocol.Config) (protocol.Protocol, error) {
	var members []bool
	if p.Neighbourhood == Clique {
		members = clique(c.Self, batches.Balls(c.Graph, p.Hops))
	}
	return p.local().Open(c, p.Cadence(), members)
}

// clique returns the members of a peer's clique in a greedy cover: each clique begins with the
// lowest peer that is in none and adds, in ascending order, every peer in none that is linked to
// all its members. All peers compute the same cover from the graph. Two peers count as linked if
// one is in the ball of the other.
func clique(self protocol.Peer, balls [][]bool) []bool {
	covered := make([]bool, len(balls))
	for first := range balls {
		if covered[first] {
			continue
		}
		in := make([]bool, len(balls))
		common := append([]bool(nil), balls[first]...) // linked to all members
		for p := first; p < len(balls); p++ {
			if covered[p] || !common[p] {
				continue
			}
			in[p], covered[p] = true, true
			for q := range common {
				common[q] = common[q] && balls[p][q]
			}
		}
		if in[self] {
			return in
		}
	}
	return nil // not reached: every peer is in a clique
}
