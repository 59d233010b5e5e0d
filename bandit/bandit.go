// Package bandit holds the learners.
//
// A learner turns what its peer believes into the next arm to pull. The law of
// the package: a learner never sees the rewards its own choices rest on. Every
// pull becomes an update of the learner's [Statistic], which goes through the one way
// out of package dp and comes back as part of a [Belief]; [Learner.Choose] reads nothing
// else. That is what makes the choices of a learner without features, and so the pull
// counts, public.
//
// A learner is a file here and a line of [Table].
package bandit

import (
	"fmt"
	"log/slog"
	"math/rand/v2"

	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/score"
)

// Arm numbers an arm, from 0.
type Arm int

// NoArm is the choice of a peer that has none.
const NoArm Arm = -1

// A Reward is private: it prints and logs as "private".
type Reward float64

// Format implements [fmt.Formatter].
func (Reward) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// LogValue implements [slog.LogValuer].
func (Reward) LogValue() slog.Value { return slog.StringValue("private") }

// MarshalText implements [encoding.TextMarshaler], so that JSON hides it too.
func (Reward) MarshalText() ([]byte, error) { return []byte("private"), nil }

// Features describe an arm in one round, as numbers. They are private, as rewards are.
type Features = score.Features

// A Turn is what a learner is offered in one round.
type Turn struct {
	Round    uint64     // from 0
	None     bool       // the round has no decision
	Excluded []Arm      // not to be chosen
	Features []Features // of the arms that are offered, the first ones; nil unless the learner is contextual
	Actions  Actions    // in place of Features where a simulation draws them one by one; else nil
}

// offered returns how many of n arms a turn offers, from the first on, excluded ones included. Turns without
// features offer all.
func (t *Turn) offered(n int) int {
	if t.Features == nil {
		return n
	}
	return len(t.Features)
}

// Of returns the features of an arm; nil where there are none.
func (t *Turn) Of(a Arm) Features {
	switch {
	case t.Actions != nil:
		return t.Actions.Of(a)
	case t.Features == nil:
		return nil
	}
	return t.Features[a]
}

// A Choice is an arm and how likely its choice was, given the Belief.
type Choice struct {
	Arm        Arm
	Propensity float64
}

// A Pull is what a learner saw in one round.
type Pull struct {
	Arm      Arm
	Features Features // of the arm; nil unless contextual
	Reward   Reward
}

// Kind says what an update of a statistic is.
type Kind uint8

// The kinds.
const (
	Sum     Kind = iota // Dim numbers from 0 to 1, added up one by one
	Linear              // Dim features x and the reward y: Σ x xᵀ and Σ x y
	Corner              // Linear with Σ y² beside it
	Centred             // Linear with a reward y from -1 to 1
)

// A Statistic is the shape of what a learner adds up over pulls. Every update belongs to
// one of its parts; a part is released as a stream of its own.
type Statistic struct {
	Parts int
	Dim   int // numbers of an update of kind Sum; features otherwise
	Kind  Kind
}

// Width returns how many numbers the sum of a part has.
func (s Statistic) Width() int {
	switch s.Kind {
	case Linear, Centred:
		return s.Dim*(s.Dim+1)/2 + s.Dim
	case Corner:
		return s.Dim*(s.Dim+1)/2 + s.Dim + 1
	default:
		return s.Dim
	}
}

// A Belief is all that a learner may decide from.
type Belief = belief.Belief

// Means are what is known of every part.
type Means = belief.Means

// A Learner decides.
type Learner interface {
	// Statistic returns the shape of what the learner adds up.
	Statistic() Statistic
	// Part returns the part that pulls of an arm update.
	Part(a Arm) int
	// Update appends to x what p adds to its part: Dim numbers, or for a linear statistic
	// Dim features and the reward.
	Update(p Pull, x []float64) []float64
	// Choose returns the arm to pull. Not all arms are excluded. How many random numbers it takes
	// follows from the Belief and from excluded arms, and not from features: those that later
	// choices take must not follow from what is private, and a choice that is made again after a
	// crash has other features.
	Choose(b *Belief, t Turn) Choice
	// Summarize returns what is known of every arm, for status and pages.
	Summarize(b *Belief) Summary
	// Save returns the state, without that of the random numbers; it holds nothing
	// private. Load takes one over.
	Save() []byte
	Load(state []byte) error
}

// A Summary says what is known of every arm. Each slice has an entry an arm.
type Summary struct {
	Estimates []float64 // of the mean reward
	Samples   []float64 // how many rewards an estimate rests on, as if all were one site's; 0 if nothing is known
	NoiseDevs []float64 // standard deviation of the noise in an estimate
	Parameter Parameter // of learners by features
}

// A Parameter is what is stated of the θ of rewards that are ⟨x, θ⟩ on average. It is 0 while nothing
// is known, and for learners without features.
type Parameter struct {
	// Error is by how much the estimated reward of an action with features of norm 1 is off at
	// most, for all of them and after all releases, except with a probability of 1 %. It is not what
	// actions are chosen by.
	Error float64
	// Raised is how many eigenvalues of the Gram matrix noise has made negative.
	Raised int
}

// A Phased learner explores in epochs: the leaves of all parts close together when an
// epoch has the updates that it wants.
type Phased interface {
	Learner
	// Quota returns how many updates of each part epoch b.Epoch+1 wants, or nil when
	// nothing is explored any more. It follows from the Belief and the learner's saved
	// state alone, and is good until the next call. A choice beyond the quota of its part
	// updates nothing.
	Quota(b *Belief) []uint64
}

// A BySite learner can need the mean of each site, in [belief.Means.Sites], and not only a mean over them.
type BySite interface {
	Learner
	NeedsSites() bool
}

// A Sampler is a Learner whose choices are samples of a law that is not computed.
type Sampler interface {
	Learner
	// Propensity returns how likely the choice of an arm was, given the samples of this choice and
	// of further ones with rng: the share of them with the same arm. The samples are one as good as the other,
	// so given all of them that is exact. No later choice depends on the call.
	Propensity(b *Belief, t Turn, arm Arm, rng *rand.Rand) float64
}

// A Bounder is a Learner that decides by how far means may be from the truth.
type Bounder interface {
	Learner
	// Radii appends to r the confidence radius of every arm that Choose uses with
	// this Belief in this round, from 0, or would use if no arm were forced. The radius of
	// an arm of which nothing is known means nothing. No later choice depends on the call.
	Radii(r []Radius, b *Belief, round uint64) []Radius
}

// A Radius is how far an arm's mean is from the truth at most, except with probability
// Miss.
type Radius struct {
	Size  float64
	Miss  float64 // 1 where nothing is promised
	Above bool    // it bounds how far the truth is above the mean, and nothing else
}
