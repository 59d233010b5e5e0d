package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Config is what the parameters of a world have to suit, and what the world is made
// with.
type Config struct {
	Arms           int
	Sites          int    // 0 if it is not known
	RecordsPerUser uint64 // that the promise to a user counts; 0 if there is none

	// The rest is for Open alone.

	// Traffic holds the shares of rounds in which there is a decision to make, over 0 up to
	// 1, which sites take in turn; with none, every round has one. In a round without, a world
	// offers a turn of None.
	Traffic []float64
	// Instance returns the random numbers of means that all runs share, from their number.
	Instance func(number uint64) *rand.Rand
	// Data is the folder of data where the parameters name none; empty for none.
	Data string
	// Open opens a file. The error for one that does not exist is fs.ErrNotExist.
	Open func(name string) (File, error)
}

// People are the persons from whose records a world pays.
type People struct {
	// Records is how many one person has at most, over all sites; 0 where rewards are
	// simulated.
	Records uint64
	// Spread is the setting by which one person may have records at several sites, and
	// Gather the one that keeps them at one; empty where that cannot happen.
	Spread, Gather string
}

// An Entry describes a world to all who assemble, configure, explain and test a peer.
type Entry struct {
	Name    string
	Summary string // one line, for people
	// Params holds the defaults in a struct. Its fields are the keys world.<name>.<field>;
	// their tags say what a configuration may hold (want), in which unit, and what it
	// means (doc).
	Params any
	// Small are parameters for any number of sites with which a few rounds show all, for
	// audits and tests.
	Small any
	// Features returns how many features an arm has; 0 where arms have none.
	Features func(params any) int
	// Vectors reports whether arms have features that are the same in all rounds.
	Vectors func(params any) bool
	// Changing says that what arms pay on average depends on the round. Means are those of the first.
	Changing bool
	// Arms returns how many arms the world has; 0 if any number suits.
	Arms func(params any) int
	// Unclipped reports whether rewards may lie outside [0, 1], where no sensitivity holds.
	Unclipped func(params any) bool
	// People returns from whose records the world pays.
	People func(params any) People
	// Check refuses parameters that do not suit the network: the field, as in a key, and
	// what is wanted; empty if all is well.
	Check func(params any, c Config) (field, want string)
	// Open reads what the worlds of all sites need. It fails with a [ParamError] if Check
	// does, and with a [DataError] if the data does.
	Open func(c Config, params any) (Source, error)
}

// A part of an Entry that takes the parameters as they are.
type typed[P any] struct {
	arms      func(P) int                          // nil for any number
	features  func(P) int                          // nil for none
	vectors   func(P) bool                         // nil for never
	unclipped func(P) bool                         // nil for never
	people    func(P) People                       // nil for simulated rewards
	check     func(P, Config) (field, want string) // nil for none
	open      func(Config, P) (Source, error)      // Check has passed
}

// define completes an Entry by functions that take the parameters as they are.
func define[P any](e Entry, params, small P, f typed[P]) Entry {
	e.Params, e.Small = params, small
	e.Arms = func(p any) int {
		if f.arms == nil {
			return 0
		}
		return f.arms(p.(P))
	}
	e.Features = func(p any) int {
		if f.features == nil {
			return 0
		}
		return f.features(p.(P))
	}
	e.Vectors = func(p any) bool { return f.vectors != nil && f.vectors(p.(P)) }
	e.Unclipped = func(p any) bool { return f.unclipped != nil && f.unclipped(p.(P)) }
	e.People = func(p any) People {
		if f.people == nil {
			return People{}
		}
		return f.people(p.(P))
	}
	e.Check = func(p any, c Config) (string, string) {
		if f.check == nil {
			return "", ""
		}
		return f.check(p.(P), c)
	}
	e.Open = func(c Config, p any) (Source, error) {
		switch {
		case c.Arms < 1:
			return nil, fmt.Errorf("world: %d arms, want at least 1", c.Arms)
		case c.Sites < 1:
			return nil, fmt.Errorf("world: %d sites, want at least 1", c.Sites)
		}
		if field, want := e.Check(p, c); field != "" {
			return nil, &ParamError{"world." + e.Name + "." + field, "want " + want}
		}
		if n := e.Arms(p); n > 0 && n != c.Arms {
			return nil, fmt.Errorf("world: %s has %d arms, not %d", e.Name, n, c.Arms)
		}
		if want := CheckTraffic(c.Traffic, c.Sites); want != "" {
			return nil, &ParamError{"world.traffic", "want " + want}
		}
		source, err := f.open(c, p.(P))
		if err != nil {
			return nil, err
		}
		return withTraffic(source, c.Traffic), nil
	}
	return e
}

// Table lists the worlds. A name is here only when its conformance tests pass.
func Table() []Entry {
	return []Entry{
		bernoulliEntry(),
		changingEntry(),
		gaussianEntry(),
		replayEntry(),
		linearEntry(),
		rankingEntry(),
	}
}

// Lookup returns the entry of a name, or an error that lists the names there are.
func Lookup(name string) (Entry, error) {
	var names []string
	for _, e := range Table() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return Entry{}, fmt.Errorf("unknown world %q, want one of %s", name, strings.Join(names, ", "))
}
