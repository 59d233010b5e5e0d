// Package bandit holds the learners.
//
// A learner turns what its peer believes into the next arm to pull. A learner never sees the
// rewards on which its own choices rest: every pull becomes an update of the learner's
// [Statistic], which goes through package dp and comes back as part of a [Belief], and
// [Learner.Choose] reads nothing else. So the choices of a learner without features, and with
// them the pull counts, are public.
//
// A learner is a file here and a line of [Table], or one of package bandit/linear, which an extra registers.
package bandit

import (
	"fmt"
	"log/slog"
	"math/rand/v2"

	"peerd.dev/bandit/belief"
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

// Features describe an arm in one round, as numbers. They are private, like rewards.
type Features []float64

// Format implements [fmt.Formatter].
func (Features) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// LogValue implements [slog.LogValuer].
func (Features) LogValue() slog.Value { return slog.StringValue("private") }

// MarshalText implements [encoding.TextMarshaler], so that JSON hides them as well.
func (Features) MarshalText() ([]byte, error) { return []byte("private"), nil }

// A Turn is what a learner is offered in one round.
type Turn struct {
	Round    uint64     // from 0
	None     bool       // the round has no decision
	Excluded []Arm      // not to be chosen
	Features []Features // of the arms on offer, which are the first ones; nil unless the learner is contextual
}

// Offered returns how many of n arms a turn offers, from the first on, including excluded ones.
// Turns without features offer all.
func (t *Turn) Offered(n int) int {
	if t.Features == nil {
		return n
	}
	return len(t.Features)
}

// Of returns the features of an arm; nil if there are none.
func (t *Turn) Of(a Arm) Features {
	if t.Features == nil {
		return nil
	}
	return t.Features[a]
}

// A Choice is an arm and the probability of its choice, given the Belief.
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

// Kind is the kind of a statistic's updates.
type Kind uint8

// The kinds.
const (
	Sum     Kind = iota // Dim numbers from 0 to 1, added up one by one
	Linear              // Dim features x and the reward y: Σ x xᵀ and Σ x y
	Corner              // Linear and Σ y²
	Centred             // Linear with a reward y from -1 to 1
)

// A Statistic is the shape of what a learner adds up over pulls. Every update belongs to one of
// its parts; each part is released as a stream of its own.
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
	// Update appends to x what p adds to its part: Dim numbers, or for a linear statistic Dim
	// features and the reward.
	Update(p Pull, x []float64) []float64
	// Choose returns the arm to pull. Not all arms are excluded. How many random numbers it takes
	// depends on the Belief and on excluded arms, but not on features: the random numbers of
	// later choices must not depend on private data, and a choice that is repeated after a crash
	// has other features.
	Choose(b *Belief, t Turn) Choice
	// Summarize returns what is known of every arm, for status and pages.
	Summarize(b *Belief) Summary
	// Save returns the state, except for the random numbers; it is not private. Load restores it.
	Save() []byte
	Load(state []byte) error
}

// A Summary is what is known of every arm. Each slice has an entry per arm.
type Summary struct {
	Estimates []float64 // of the mean reward
	Samples   []float64 // number of rewards on which an estimate rests, as if all were one site's; 0 if nothing is known
	NoiseDevs []float64 // standard deviation of the noise in an estimate
	Parameter Parameter // for learners by features
}

// A Parameter describes what is known of the θ of rewards that are ⟨x, θ⟩ on average. It is 0
// while nothing is known, and for learners without features.
type Parameter struct {
	// Error is the greatest error of the estimated reward of an action with features of norm 1,
	// over all of them and after all releases, except with a probability of 1 %. Actions are not
	// chosen by it.
	Error float64
	// Raised is the number of eigenvalues of the Gram matrix that noise has made negative.
	Raised int
	// Reading is what is known of rewards; nil while nothing is.
	Reading *Reading
}

// A Phased learner explores in epochs: the leaves of all parts close together when an epoch has
// the updates that it wants.
type Phased interface {
	Learner
	// Quota returns how many updates of each part epoch b.Epoch+1 wants, or nil when exploration
	// has ended. It depends only on the Belief and the learner's saved state, and is valid until
	// the next call. A choice beyond the quota of its part updates nothing.
	Quota(b *Belief) []uint64
}

// A BySite learner can need the mean of each site, in [belief.Means.Sites], in addition to the
// mean over sites.
type BySite interface {
	Learner
	NeedsSites() bool
}

// A Sampler is a Learner whose choices are samples of a distribution.
type Sampler interface {
	Learner
	// Chances sets p, which has an entry for each arm, to the probability of its choice. A learner that does not compute
	// it draws samples with rng and returns shares of them: as many as a number, or as its own rule says for 0. The choice of own is one
	// of the samples, unless it is NoArm. They are exchangeable, so given all of them the shares are exact. No later
	// choice depends on the call.
	Chances(p []float64, b *Belief, t Turn, own Arm, samples int, rng *rand.Rand)
}

// A Renewer is a Learner whose saved state follows from what was released and from when it was
// renewed. Without Renew its choices change no such state, so the caller can renew it before every choice or, where the
// moments of choices are secret, at public ones.
type Renewer interface {
	Learner
	Renew(b *Belief)
}

// A Bounder is a Learner that decides by how far means may be from the truth.
type Bounder interface {
	Learner
	// Radii appends to r the confidence radius of every arm that Choose uses with this Belief in
	// this round, from 0, or would use if no arm were forced. The radius of an unknown arm has no
	// meaning. No later choice depends on the call.
	Radii(r []Radius, b *Belief, round uint64) []Radius
}

// A Radius is the greatest distance of an arm's mean from the truth, except with probability
// Miss.
type Radius struct {
	Size  float64
	Miss  float64 // 1 if nothing is promised
	Above bool    // it only bounds how far the truth is above the mean
}
