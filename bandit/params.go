package bandit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"peerd.dev/internal/wanted"
)

// Params are the parameters of a learner, a struct. Its exported fields are the keys
// learner.<name>.<field> of a configuration; their tags say what a value may be (want), its unit
// (unit) and what it means (doc), and whether a folder keeps it (fixed). Parameters may also
// implement [Traited], [Checked] and [Shrinking]. Learners of other Go modules are used like
// those in [Table].
type Params interface {
	// Words returns the learner's name and description for pages.
	Words() Words
	// New returns a learner. An error names the parameter. Callers use the function [New], which checks parameters by their tags.
	New(c Config) (Learner, error)
}

// Words are the name and the description of a learner for pages.
type Words struct {
	Name    string // in configurations
	Summary string // one line
}

// A Config has the arguments of every learner.
type Config struct {
	Arms    int
	Peers   int        // number of peers with arms
	Origins int        // peers whose releases of one leaf are merged; 0 for all that have arms
	Horizon uint64     // rounds that the budget pays for
	Leaves  uint64     // greatest number that a peer releases of a part within them
	Epsilon float64    // that a node guarantees; +Inf without noise
	Self    int        // the peer's place in the network
	Rand    *rand.Rand // breaks ties; its draws are public in effect
}

// New returns a learner with parameters, and refuses what their tags do not allow and a Config that suits none.
func New(p Params, c Config) (Learner, error) {
	switch {
	case c.Arms < 1:
		return nil, fmt.Errorf("bandit: %d arms, want at least 1", c.Arms)
	case c.Peers < 1:
		return nil, fmt.Errorf("bandit: %d peers, want at least 1", c.Peers)
	}
	if c.Origins == 0 {
		c.Origins = c.Peers
	}
	if err := wanted.Error(p, p.Words().Name); err != nil {
		return nil, err
	}
	return p.New(c)
}

// Traits say how a learner differs from one of sums of rewards, which has the zero Traits.
type Traits struct {
	// Contextual says that the learner chooses by features. Then its choices depend on private
	// data and are not public.
	Contextual bool
	Inputs     Inputs // what an application sends for a decision, if Contextual
	// Phased says that the learner explores in epochs: it is a [Phased].
	Phased bool
	// Selfish says that the learner chooses for the users of its own site. Others choose one arm for all sites.
	Selfish bool
}

// Traited parameters have traits.
type Traited interface{ Traits() Traits }

// TraitsOf returns the traits of parameters.
func TraitsOf(p Params) Traits {
	if t, ok := p.(Traited); ok {
		return t.Traits()
	}
	return Traits{}
}

// Checked parameters can be inconsistent, or not suit a number of arms.
type Checked interface {
	// Check returns the field, as in a key, and what is wanted; empty if all is well.
	Check(arms int) (field, want string)
}

// Check returns what [Checked] parameters refuse.
func Check(p Params, arms int) (field, want string) {
	if c, ok := p.(Checked); ok {
		return c.Check(arms)
	}
	return "", ""
}

// Shrinking parameters can be changed so that a few rounds show everything that the learner does.
type Shrinking interface{ Small() Params }

// Small returns such parameters, for audits and tests.
func Small(p Params) Params {
	if s, ok := p.(Shrinking); ok {
		return s.Small()
	}
	return p
}

// registered are the learners of extras.
var registered []Params //nolint:gochecknoglobals // extras add to it in their init

// Register adds learners with their defaults to the end of [Table], for the init function of an extra.
func Register(p ...Params) { registered = append(registered, p...) }

// Table lists the learners with their defaults, the default one first. A learner is here only
// when its conformance tests pass.
func Table() []Params {
	return append([]Params{
		PersonalizedParams{Price: 20},
		ThompsonParams{math.Sqrt2},
		IMEDParams{},
		MEDParams{},
	}, registered...)
}
