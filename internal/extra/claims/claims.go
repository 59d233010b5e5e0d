// Package claims judges what papers and documents say of experiments: each claim is a sentence, the cells of figures that it is
// about, statistics with intervals, and what is wanted of them.
package claims

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"peerd.dev/configs"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/catalog"
)

// A Table has the claims and the errata of configs/claims.yaml.
type Table struct {
	// Ten are the figures of which ten seeds are played in the full form.
	Ten []string
	// Files are configurations in addition to the catalog's figures.
	Files  []File
	Claims []Claim
	Errata []Erratum
}

// A File is a configuration that claims need and that is no figure of the catalog. With the name of a figure it has what claims set in the
// full form of that, and in its quick form.
type File struct {
	Name  string
	Path  string         // in configs
	Set   map[string]any // what both forms set; of a figure, what the full form sets
	Quick map[string]any // what the quick form sets in addition
}

// A Claim is a sentence about regret or cost, with what is wanted of it.
type Claim struct {
	ID     string `json:"id"`
	Paper  string `json:"paper"` // its number, or "peerd"
	Where  string `json:"where"` // in the paper or in docs
	States string `json:"states"`
	Figure string `json:"figure"`
	Parts  []Part `json:"parts"`
	// Full says why the claim needs the full form; empty if a quick one is enough.
	Full string `json:"full,omitempty"`
	// StandIn says on which data the claim is judged in place of the paper's.
	StandIn string `yaml:"standin" json:"stand_in,omitempty"`
	Note    string `json:"note,omitempty"`
}

// A Part is what a claim wants of some cells. Kind says which statistic it is, see [Part.measure].
type Part struct {
	Kind   string    `json:"kind"`
	Figure string    `json:"figure,omitempty"` // of the cells, if not the claim's
	Cells  []string  `json:"cells,omitempty"`  // one of another figure has its name and a stroke before it
	Of     string    `json:"of,omitempty"`     // regret (also if empty), own or cost
	By     []float64 `json:"by,omitempty"`     // settings of the cells, for slope
	Log    bool      `json:"log,omitempty"`
	Least  *float64  `json:"least,omitempty"`
	Most   *float64  `json:"most,omitempty"`
	Values []float64 `json:"values,omitempty"` // for agrees: what another program computed for each cell
	Within []float64 `json:"within,omitempty"` // half of the intervals of these values
	Set    []string  `json:"set,omitempty"`    // for accepts
	places []place   // of the cells; one without a name if there are none
}

// A place is a cell of a figure.
type place struct{ figure, cell string }

// An Erratum is a place of a paper that is wrong.
type Erratum struct {
	Paper    string `json:"paper"`
	Place    string `json:"place"`
	Printed  string `json:"printed"`
	Right    string `json:"right"`
	Evidence string `json:"evidence"` // the ID of a claim, the name of a test, or a page of docs
}

// Read returns the table that the program brings with it.
func Read() (*Table, error) {
	text, err := configs.Files.ReadFile("claims.yaml")
	if err != nil {
		return nil, err
	}
	t := new(Table)
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("configs/claims.yaml: %w", err)
	}
	for i := range t.Claims {
		c := &t.Claims[i]
		for k := range c.Parts {
			p := &c.Parts[k]
			figure := cmp.Or(p.Figure, c.Figure)
			if len(p.Cells) == 0 {
				p.places = []place{{figure, ""}}
			}
			for _, name := range p.Cells {
				at := place{figure, name}
				if before, after, ok := strings.Cut(name, "/"); ok {
					if f, ok := catalog.Find(before); ok {
						at = place{f.Name, after}
					}
				}
				p.places = append(p.places, at)
			}
		}
	}
	return t, nil
}

// pick returns the claims whose IDs are one of some words, or begin with one and something that is no digit; all without words.
func (t *Table) pick(ids []string) (some []Claim, err error) {
	used := make(map[string]bool) // never ranged over
	var all []string
	for _, c := range t.Claims {
		is := len(ids) == 0
		all = append(all, c.ID)
		for _, id := range ids {
			if rest, ok := strings.CutPrefix(c.ID, id); ok && (rest == "" || strings.Trim(rest[:1], "0123456789") != "") {
				used[id], is = true, true
			}
		}
		if is {
			some = append(some, c)
		}
	}
	for _, id := range ids {
		if !used[id] {
			return nil, config.Failf(config.ErrUsage, "no claim is called %q%s: docs/claims.md lists them", id, catalog.Nearest(id, all))
		}
	}
	return some, nil
}
