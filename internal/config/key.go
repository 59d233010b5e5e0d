package config

import (
	"slices"
	"strings"

	"peerd.dev/internal/wanted"
)

// A Key describes a setting to people.
type Key struct {
	Name    string // sections and the last word, with dots between
	Default string // as in a file; empty if the key is required
	Example string // as in a file; of a required key
	Begin   string // value in a new folder's file if none is given; empty for none
	Unit    string // empty for none
	Doc     string // one line
	Page    string // a comment in the file of a new folder, for a key that a site may want to change; empty for others
	Shared  bool   // all peers of a network must agree on it
	Fixed   bool   // a folder is founded with it and keeps it
	Later   bool   // older networks and folders act as its default says: with the default, it is omitted from what they compare and keep
	Changes bool   // a network with a signed document can change it while its peers run
	// Laboratory says that the key is for simulated worlds, testnets and experiments, so that a site does not use it.
	Laboratory bool
	Rule       wanted.Rule
	field
}

// Required reports whether there is no default.
func (k Key) Required() bool { return k.Default == "" }

// Want describes which values are allowed.
func (k Key) Want() string { return k.Rule.Want }

// Section returns the name without its last word.
func (k Key) Section() string {
	section, _ := cutLast(k.Name)
	return section
}

// Last returns the last word of the name.
func (k Key) Last() string {
	_, last := cutLast(k.Name)
	return last
}

func cutLast(name string) (section, last string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}

// top returns the first word of the name of a key in a section, and "" for one in none.
func (k Key) top() string {
	top, _, _ := strings.Cut(k.Section(), ".")
	return top
}

// NearestOf returns the first of the names that are most like one, "" if none is like it.
func NearestOf(name string, names []string) string {
	best, least := "", 1+max(2, len(name)/4)
	for _, other := range names {
		if d := distance(name, other); d < least {
			best, least = other, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their neighbour that turn a
// into b.
func distance(a, b string) int {
	before, row := []int(nil), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = slices.Min([]int{row[j] + cost, row[j+1] + 1, next[j] + 1})
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// A field is where settings have the value of a key.
type field struct {
	block *block // nil for a field of Settings
	index []int  // in Settings, or in the parameters of block
}

// A block has the parameters of one entry: the keys <section>.<name>.<field>. The section of an extension's section is
// empty.
type block struct {
	section, name, summary string
	standard               any // the defaults, a struct
}
