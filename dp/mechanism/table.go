package mechanism

import (
	"fmt"
	"strings"

	"peerd.dev/dp/noise"
	"peerd.dev/internal/vouch"
)

// mechanisms is the table, by number. A mechanism enters it when it passes the tests of mechanism_test.go in package dp: the default
// ones here, others by [Register].
var mechanisms = [BLT + 1]Design{ //nolint:gochecknoglobals // extras add to it in their init
	EachLaplace: {
		Description: Description{Family: "each", Suits: "sums of epochs that are not added up", Law: noise.Laplace, Small: 1},
		Own:         true, Most: MaxLeaves, L1: onceL1, Layout: newEachLayout,
	},
	EachGaussian: {
		Description: Description{Family: "each", Suits: "sums of epochs that are not added up, if a delta is acceptable", Law: noise.Gaussian, Small: 1},
		Own:         true, Most: MaxLeaves, L2: onceL2, Layout: newEachLayout,
	},
}

// names are the names that configurations use, also of mechanisms that a program lacks; reserved numbers have none.
var names = [...]string{ //nolint:gochecknoglobals // a table that nothing changes
	Tree: "tree", None: "none", TreeGaussian: "tree-gaussian", EachLaplace: "each", EachGaussian: "each-gaussian",
	Hybrid: "hybrid", Kary: "kary", Sqrt: "sqrt", BLT: "blt",
}

// Register adds a mechanism to the table, for the init function of a package of this module.
func Register(m Mechanism, v vouch.Value[Design]) {
	if d := v.Get(); d.Layout != nil && names[m] != "" && mechanisms[m].Layout == nil {
		mechanisms[m] = d
		return
	}
	panic("dp: mechanism " + m.String() + " has no design, or has one already")
}

// onceL1 and onceL2 count a record that is in one leaf's own sum.
func onceL1(uint64) uint64 { return 1 }

func onceL2(uint64) float64 { return 1 }

// Design returns the mechanism's row of the table; ok is false for an unknown or a reserved number.
func (m Mechanism) Design() (d Design, ok bool) {
	if int(m) < len(mechanisms) && mechanisms[m].Layout != nil {
		d, ok = mechanisms[m], true
		d.Name = names[m]
	}
	return d, ok
}

// All returns all mechanisms, in the order of their numbers.
func All() []Mechanism {
	var list []Mechanism
	for m := range mechanisms {
		if mechanisms[m].Layout != nil {
			list = append(list, Mechanism(m))
		}
	}
	return list
}

// Parse returns the mechanism with a name that configurations use.
func Parse(name string) (Mechanism, error) {
	var names []string
	for _, m := range All() {
		if m.String() == name {
			return m, nil
		}
		names = append(names, m.String())
	}
	return 0, fmt.Errorf("dp: mechanism %q, want one of %s", name, strings.Join(names, ", "))
}

// Describe returns the mechanism's description; empty for an unknown one.
func (m Mechanism) Describe() Description {
	d, _ := m.Design()
	return d.Description
}

// String returns the name that configurations use.
func (m Mechanism) String() string {
	if int(m) < len(names) && names[m] != "" {
		return names[m]
	}
	return fmt.Sprintf("Mechanism(%d)", uint8(m))
}

// Law returns the distribution of the noise.
func (m Mechanism) Law() noise.Law { return m.Describe().Law }

// Running reports whether a leaf releases the sum of all leaves so far, not its own.
func (m Mechanism) Running() bool {
	d, ok := m.Design()
	return ok && !d.Own
}

// Tiles reports whether a running sum is the sum of the newest nodes that are adjacent from the
// first leaf to the last: a new node replaces those that it covers.
func (m Mechanism) Tiles() bool {
	d, _ := m.Design()
	return d.Tiles
}
