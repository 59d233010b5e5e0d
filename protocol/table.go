package protocol

import (
	"fmt"
	"slices"
	"strings"
)

// Params holds the parameters of every protocol; each reads its own.
type Params struct {
	Average AverageParams
	Rows    RowsParams
}

// An Entry describes a protocol to those who assemble a peer.
type Entry struct {
	Name    string
	Summary string // one line, for people
	// Leaves returns how many leaves each arm's stream needs for a number of
	// rounds.
	Leaves func(p Params, rounds uint64) uint64
	// Together says that the leaves of all arms close at the same time.
	Together bool
	// New returns a peer's half of the protocol.
	New func(c Config, p Params) (Protocol, error)
}

// Table lists every protocol a peer can speak. A name is here only when its
// conformance tests pass.
func Table() []Entry {
	return []Entry{
		{
			Name:    "average",
			Summary: "randomized gossip averaging of noised means with max-count consistency (Gossip_UCB, Fed_UCB)",
			Leaves:  func(_ Params, rounds uint64) uint64 { return rounds },
			New:     func(c Config, p Params) (Protocol, error) { return newAverage(c, p.Average) },
		},
		{
			Name:     "rows",
			Summary:  "every site's newest noised sums, signed, spread to all and merged locally",
			Leaves:   func(p Params, rounds uint64) uint64 { return max(1, rounds/p.Rows.Every) },
			Together: true,
			New:      func(c Config, p Params) (Protocol, error) { return newRows(c, p.Rows) },
		},
	}
}

// Lookup returns the entry of a name, or an error that lists the names there
// are.
func Lookup(name string) (Entry, error) {
	var names []string
	for _, e := range Table() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return Entry{}, fmt.Errorf("unknown protocol %q, want one of %s", name, strings.Join(names, ", "))
}
