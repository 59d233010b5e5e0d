// Package world provides rewards when no application is attached.
//
// The rule of the package: a world shows a reward only as a [bandit.Reward] that Play returns, and
// all values that hold rewards print as "private". The other results of a world (Regret, Means,
// Left, Report) are for the computation of regret and the preparation of experiments; a learner
// never receives them. A world has no clock and no files, and draws only from the random numbers
// that it was given, so that the same seed gives the same world.
//
// A world is a file here and a line of [Table].
package world

import (
	"errors"
	"fmt"
	"slices"

	"peerd.dev/bandit"
)

// ErrExhausted says that an arm of a [Replay] has handed out its last record.
// The other arms may have some left.
var ErrExhausted = errors.New("world: no record left")

// check returns an error unless a is one of n arms.
func check(a bandit.Arm, n int) error {
	if a < 0 || int(a) >= n {
		return fmt.Errorf("world: arm %d, want 0 to %d", a, n-1)
	}
	return nil
}

// plain is the part of a world whose arms have means and no features.
type plain struct {
	means []float64
	gap   []float64 // by which an arm's mean over all sites is below the best one
}

// newPlain returns the part of a world that is the only site.
func newPlain(means []float64) plain { return plain{means, gaps([][]float64{means})} }

// Format implements [fmt.Formatter], so that no reward is printed, and no random numbers
// from which rewards follow.
func (plain) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Turn offers all arms, without features.
func (*plain) Turn(round uint64) bandit.Turn { return bandit.Turn{Round: round} }

// Regret returns by how much the mean of an arm over all sites is below the best one. It
// panics for an arm that does not exist.
func (p *plain) Regret(a bandit.Arm) float64 { return p.gap[a] }

// judge sets by how much arms fall short of the best one over all sites.
func (p *plain) judge(gap []float64) { p.gap = gap }

// Means returns the expected reward of each arm at this site. It is the caller's, and for
// the referee only.
func (p *plain) Means() []float64 { return slices.Clone(p.means) }

// overall returns the mean over sites of each arm.
func overall(means [][]float64) []float64 {
	all := make([]float64, len(means[0]))
	for _, site := range means {
		for k, m := range site {
			all[k] += m / float64(len(means))
		}
	}
	return all
}

// gaps returns by how much each arm's mean over sites is below the best one.
func gaps(means [][]float64) []float64 {
	gap := overall(means)
	best := slices.Max(gap)
	for k := range gap {
		gap[k] = best - gap[k]
	}
	return gap
}
