package bandit

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
)

// A Config is what every learner is given.
type Config struct {
	Arms    int
	Peers   int     // of the network that have arms
	Origins int     // peers whose releases of one leaf are merged; 0 for all that have arms
	Horizon uint64  // rounds that the budget pays for
	Leaves  uint64  // that a peer releases of a part within them, at most
	Epsilon float64 // that a node guarantees; +Inf without noise
	Self    int     // the peer's place in the network
	// Vectors are those of all arms of a simulated world, by peer; of a peer without arms nil. They are
	// public. Nil where the world has none.
	Vectors [][]Features
	Rand    *rand.Rand // breaks ties; its draws are public in effect
}

// An Entry describes a learner to all who assemble, configure, explain, audit and test a
// peer.
type Entry struct {
	Name    string
	Summary string // one line, for people
	// Params holds the defaults in a struct. Its fields are the keys
	// learner.<name>.<field>; their tags say what a configuration may hold (want), in
	// which unit, and what it means (doc).
	Params any
	// Small returns params changed so that a few rounds show all, for audits and tests.
	Small func(params any) any
	// Contextual says that the learner chooses by features. Arms then follow from what is
	// private and are no longer public.
	Contextual bool
	// Inputs returns what an application sends of a decision; nil unless the learner is contextual.
	Inputs func(params any) Inputs
	// Vectors returns the vectors of arms that parameters hold, which are public, and none where
	// those of the world are to be taken; nil for learners that know of no vectors.
	Vectors func(params any) [][]float64
	// Check refuses parameters that do not go together, or do not suit a number of arms: the
	// field, as in a key, and what is wanted; empty if all is well. It is nil where all do.
	Check func(params any, arms int) (field, want string)
	// Phased says that the learner explores in epochs: it is a [Phased].
	Phased bool
	// New returns a learner with parameters of the type of Params. An error names the
	// parameter.
	New func(c Config, params any) (Learner, error)
}

// define returns an Entry whose functions take the parameters as they are. A nil small is
// for parameters that show all in a few rounds.
func define[P any](name, summary string, params P, small func(P) P, make func(Config, P) (Learner, error)) Entry {
	return Entry{
		Name: name, Summary: summary, Params: params,
		Small: func(p any) any {
			if small == nil {
				return p
			}
			return small(p.(P))
		},
		New: func(c Config, p any) (Learner, error) {
			switch {
			case c.Arms < 1:
				return nil, fmt.Errorf("bandit: %d arms, want at least 1", c.Arms)
			case c.Peers < 1:
				return nil, fmt.Errorf("bandit: %d peers, want at least 1", c.Peers)
			}
			if c.Origins == 0 {
				c.Origins = c.Peers
			}
			return make(c, p.(P))
		},
	}
}

// Table lists the learners, the default one first. A name is here only when its
// conformance tests pass.
func Table() []Entry {
	return []Entry{
		ucbEntry(),
		klucbEntry(),
		thompsonEntry(),
		dpucbEntry(),
		eliminationEntry(),
		linucbEntry(),
		lintsEntry(),
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
	return Entry{}, fmt.Errorf("unknown learner %q, want one of %s", name, strings.Join(names, ", "))
}

// EntryOf returns the entry whose parameters have the type of params.
func EntryOf(params any) (Entry, error) {
	for _, e := range Table() {
		if reflect.TypeOf(e.Params) == reflect.TypeOf(params) {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("no learner has parameters of type %T", params)
}
