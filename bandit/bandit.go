// Package bandit holds the learners.
//
// A learner turns what its peer believes into the next arm to pull. The law of
// the package: a learner never sees the rewards its own choices rest on. Every
// pull becomes a [Record], which goes through the door of differential privacy,
// and comes back as part of a [Belief]; [Learner.Choose] reads nothing else.
// That is what makes the choices, and so the pull counts, public.
package bandit

import (
	"fmt"
	"log/slog"
)

// Arm numbers an arm, from 0.
type Arm int

// A Reward is private: it prints and logs as "private".
type Reward float64

// Format implements [fmt.Formatter].
func (Reward) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// LogValue implements [slog.LogValuer].
func (Reward) LogValue() slog.Value { return slog.StringValue("private") }

// MarshalText implements [encoding.TextMarshaler], so that JSON hides it too.
func (Reward) MarshalText() ([]byte, error) { return []byte("private"), nil }

// A Turn is what a learner is offered in one round.
type Turn struct {
	Round    uint64      // from 0
	Excluded []Arm       // not to be chosen
	Features [][]float64 // one vector an arm; nil unless contextual
}

// A Choice is an arm and how likely its choice was, given the Belief.
type Choice struct {
	Arm        Arm
	Propensity float64
}

// A Pull is what a learner saw in one round.
type Pull struct {
	Arm      Arm
	Features []float64 // of the arm; nil unless contextual
	Reward   Reward
}

// A Record is what one pull adds to the learner's statistic: a vector X that
// belongs to one of the statistic's parts.
type Record struct {
	Part int
	X    []float64
}

// A Belief is all that a learner may decide from. Every slice but Behind has one
// entry an arm; all belong to whoever made the Belief and are good until the
// next step of its peer.
type Belief struct {
	Mean   []float64 // the mean reward, as releases tell it
	Spread []float64 // Σ a²/n over the sample means of n pulls averaged with weights a; +Inf if nothing is known
	NoiseV []float64 // Σ b² over the Laplace terms of scale b in Mean
	NoiseB []float64 // max b over the same terms
	NoiseG []float64 // variance of the Gaussian terms in Mean
	Pulls  []uint64  // this peer's own pulls
	Behind []int     // arms to be pulled before any other, ascending; often empty
}

// A Learner decides.
type Learner interface {
	// Shape returns the number of parts of the statistic and the length of a
	// part. Every Record lies in exactly one part.
	Shape() (parts, dim int)
	// Record writes what p adds to the statistic; it may reuse x.
	Record(p Pull, x []float64) Record
	// Choose returns the arm to pull. Not all arms are excluded.
	Choose(b *Belief, t Turn) Choice
	// Save returns the state, without that of the random numbers; it holds nothing
	// private. Load takes one over.
	Save() []byte
	Load(state []byte) error
}

// A Bounder is a Learner that decides by how far means may be from the truth.
type Bounder interface {
	Learner
	// Radii appends to r the confidence radius of every arm that Choose uses with
	// this Belief in this round, from 0, or would use if no arm were behind. That of an
	// arm of which nothing is known means nothing. No later choice depends on the call.
	Radii(r []Radius, b *Belief, round uint64) []Radius
}

// A Radius is how far an arm's mean is from the truth at most, but with probability Miss.
type Radius struct {
	Size float64
	Miss float64 // 1 where nothing is promised
}
