package world

import (
	"fmt"
	"math"
	"math/rand/v2"

	"peerd.dev/internal/wanted"
)

// Params are the parameters of a world, a struct. Its exported fields are the keys
// world.<name>.<field> of a configuration; their tags say what a value may be (want), its unit
// (unit) and what it means (doc). Parameters may also implement [Traited] and [Checked]. Worlds of other
// Go modules are used like those in [Table].
type Params interface {
	// Words returns the world's name and description for pages.
	Words() Words
	// Open reads what the worlds of all sites need, and fails with a [DataError] if the data
	// does. Callers use the function [Open].
	Open(c Config) (Source, error)
}

// Words are the name and the description of a world for pages.
type Words struct {
	Name    string // in configurations
	Summary string // one line
}

// A Config has what the parameters of a world must suit, and what the world is made with.
type Config struct {
	Arms           int
	Sites          int    // 0 if it is not known
	RecordsPerUser uint64 // that the promise to a user counts; 0 if there is none

	// Only Open uses the rest.

	// Traffic has the shares of rounds with a decision, over 0 up to 1, which sites take in turn;
	// if it is empty, every round has a decision. In a round without one, a world offers a turn
	// of None.
	Traffic []float64
	// Late has the rounds between which sites have decisions.
	Late Late
	// Instance returns the random numbers for means that all runs share, by their number.
	Instance func(number uint64) *rand.Rand
	// Data is the folder of data if the parameters name none; empty for none.
	Data string
	// Open opens a file. The error for one that does not exist is fs.ErrNotExist.
	Open func(name string) (File, error)
}

// bound returns above which numbers there are no sites, and says in words which there are.
func (c *Config) bound() (sites int, site string) {
	if c.Sites == 0 { // it is not known
		return math.MaxInt, "a site from 0"
	}
	return c.Sites, fmt.Sprintf("a site below %d", c.Sites)
}

// People are the persons from whose records a world pays.
type People struct {
	// Records is the greatest number of records of one person, over all sites; 0 if rewards are
	// simulated.
	Records uint64
	// Spread is the setting by which one person may have records at several sites, and Gather the
	// one that keeps them at one; empty if that cannot happen.
	Spread, Gather string
}

// Traits say in what a world differs from one that pays simulated rewards from 0 to 1 for any number
// of arms, which have no features and pay the same on average in all rounds. The zero Traits are such a
// world's.
type Traits struct {
	Arms      int    // how many arms the world has; 0 if any number suits
	Features  int    // how many features an arm has; 0 where arms have none
	Changing  bool   // what arms pay on average depends on the round; means are the first round's
	Odd       []int  // sites that the parameters name since an arm pays differently there, ascending
	Unclipped bool   // rewards may lie outside [0, 1], where no sensitivity holds
	People    People // from whose records the world pays
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

// Checked parameters can go together badly, or not suit a network.
type Checked interface {
	// Check returns the field, as in a key, and what is wanted; empty if all is well.
	Check(c Config) (field, want string)
}

// Check returns what [Checked] parameters refuse.
func Check(p Params, c Config) (field, want string) {
	if x, ok := p.(Checked); ok {
		return x.Check(c)
	}
	return "", ""
}

// Open reads what the worlds of all sites need. It fails with a [ParamError] if a tag or Check
// refuses parameters, and with a [DataError] if the data does.
func Open(p Params, c Config) (Source, error) {
	name := p.Words().Name
	switch {
	case c.Arms < 1:
		return nil, fmt.Errorf("world: %d arms, want at least 1", c.Arms)
	case c.Sites < 1:
		return nil, fmt.Errorf("world: %d sites, want at least 1", c.Sites)
	}
	if field, wrong := wanted.Check(p, name); field != "" {
		return nil, &ParamError{"world." + name + "." + field, wrong}
	}
	if field, want := Check(p, c); field != "" {
		return nil, &ParamError{"world." + name + "." + field, "want " + want}
	}
	if n := TraitsOf(p).Arms; n > 0 && n != c.Arms {
		return nil, fmt.Errorf("world: %s has %d arms, not %d", name, n, c.Arms)
	}
	if field, want := CheckTraffic(c); field != "" {
		return nil, &ParamError{"world." + field, "want " + want}
	}
	source, err := p.Open(c)
	if err != nil {
		return nil, err
	}
	return withTraffic(source, c), nil
}

// Table lists the worlds with their defaults. A world is here only when its conformance tests pass.
func Table() []Params {
	return []Params{
		BernoulliParams{Draw: Given},
		ChangingParams{Draw: Given, Every: 10_000},
		GaussianParams{Draw: Given, SD: .1, Clip: true},
		ReplayParams{Split: Contiguous, Cap: 1},
		LinearParams{Features: 5, Law: Sphere, Draw: OwnActions, Gap: .1, Means: [][]float64{}, Odd: [][]float64{}},
		RankingParams{Columns: CommonColumns, Features: 5},
	}
}
