package graphs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A family is one row of the table of topologies.
type family struct {
	name   string
	leastN int     // peers
	params []param // in the order of the text form
	check  func(Spec) error
	draw   func(Spec, *rand.Rand) [][2]int // of a checked Spec; edges in any order; nil for hub, which [Spec.Build] builds
	raise  string                          // what makes a random graph connected more often; empty if the graph is not drawn again
}

// table lists the topologies in the order in which help shows them.
func table() []family {
	return []family{
		{"ring", 3, nil, anything, ring, ""},
		{"path", 1, nil, anything, path, ""},
		{"star", 1, nil, anything, star, ""},
		{"complete", 1, nil, anything, complete, ""},
		{"grid", 1, []param{paramCols}, checkGrid, grid, ""},
		{"gnp", 1, []param{paramP}, checkGnp, gnp, "p"},
		{"regular", 2, []param{paramDegree}, checkRegular, regular, "degree"},
		{"hub", 2, []param{paramComponents, paramComponent}, checkHub, nil, ""},
		{"file", 0, []param{paramFile}, checkFile, func(s Spec, _ *rand.Rand) [][2]int { return s.Edges }, ""},
	}
}

// find returns the row with the given name.
func find(name string) (family, bool) {
	for _, f := range table() {
		if f.name == name {
			return f, true
		}
	}
	return family{}, false
}

// unknown is the error for a name that no row has.
func unknown(name string) error {
	return fmt.Errorf("topology: there is no topology %q; there are %s", name, strings.Join(Forms(), ", "))
}

// Forms returns how each topology is written for [ParseSpec], such as "ring" and
// "regular(degree)"; brackets hold what may be left out.
func Forms() []string {
	var forms []string
	for _, f := range table() {
		forms = append(forms, f.form())
	}
	return forms
}

func (f family) form() string {
	var names []string
	for _, p := range f.params {
		names = append(names, p.name())
	}
	switch {
	case names == nil:
		return f.name
	case f.mayBeBare():
		return f.name + "[(" + names[0] + ")]"
	}
	return f.name + "(" + strings.Join(names, ",") + ")"
}

// example returns a text that ParseSpec takes.
func (f family) example() string {
	var values []string
	for _, p := range f.params {
		values = append(values, p.example())
	}
	return f.name + "(" + strings.Join(values, ",") + ")"
}

// mayBeBare reports whether the name alone is a text that ParseSpec takes.
func (f family) mayBeBare() bool {
	return f.params == nil || f.params[0] == paramCols || f.params[0] == paramFile
}
