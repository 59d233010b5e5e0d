package config

import (
	"fmt"
	"slices"
	"strings"
)

// A group is a part of the page that an operator edits.
type group struct {
	title    string
	sections []string // of the keys that belong to it
}

// page lists the groups in the order in which they are written.
func page() []group {
	return []group{
		{"This site", []string{""}},
		{"Network: the same at all peers", []string{"give", "rounds", "protocol", "learner", "features"}},
		{"Privacy: the same at all peers, and for the whole life of this folder", []string{"privacy"}},
		{"Application", []string{"api"}},
		{"Disk and log", []string{"store", "log"}},
	}
}

// Page writes the configuration of a new folder: what a site may want to change, by group. Keys with a
// value have it, the others stand there as comments with their default. Values of keys that are not of the page
// follow in their group, or at the end.
func (s *Schema) Page(head string, values map[string]string) string {
	var b strings.Builder
	for line := range strings.Lines(head) {
		b.WriteString("# " + line)
	}
	section := ""
	write := func(k Key) {
		about := k.Page
		writeSections(&b, section, k.Section())
		section = k.Section()
		line := indent(k.Name) + k.Last() + ": "
		value, given := values[k.Name]
		switch {
		case given:
			line += value
		case k.Required():
			line = indent(k.Name) + "# " + k.Last() + ": " + k.Example
			about = "REQUIRED: " + about
		default:
			line = indent(k.Name) + "# " + k.Last() + ": " + k.Default
		}
		if about == "" {
			b.WriteString(line + "\n")
			return
		}
		fmt.Fprintf(&b, "%-40s # %s\n", line, about)
	}
	groups, other := page(), group{title: "Other"}
	var known []string
	for _, g := range groups {
		known = append(known, g.sections...)
	}
	for _, k := range s.keys {
		if !slices.Contains(known, k.top()) {
			known, other.sections = append(known, k.top()), append(other.sections, k.top())
		}
	}
	for _, g := range append(groups, other) {
		titled := false
		for _, top := range g.sections {
			for _, k := range s.keys {
				if _, given := values[k.Name]; k.top() != top || k.Page == "" && !given {
					continue
				}
				if !titled {
					fmt.Fprintf(&b, "\n# %s\n", g.title)
					titled = true
				}
				write(k)
			}
		}
	}
	return b.String()
}
