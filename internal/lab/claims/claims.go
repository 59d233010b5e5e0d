// Package claims judges what papers and documents say of experiments: each claim is a sentence, the cells of figures that it is
// about, statistics with intervals, and what is wanted of them.
package claims

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"peerd.dev/configs"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/catalog"
)

// A Table has the claims and the errata of configs/claims.yaml.
type Table struct {
	// Files are configurations beside the catalog's figures.
	Files  []File
	Claims []Claim
	Errata []Erratum
}

// A File is a configuration that claims need and that is no figure of the catalog.
type File struct {
	Name  string
	Path  string         // in configs
	Set   map[string]any // what both forms set
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
	// Full says why a quick form cannot tell; empty if it can.
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
	Value  float64   `json:"value,omitempty"`  // for agrees: what another program computed
	Within float64   `json:"within,omitempty"` // half of that value's interval
	Set    []string  `json:"set,omitempty"`    // for accepts
}

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
	return t, nil
}

// pick returns the claims with some IDs, or whose IDs begin with one of them and a dash or a letter; all without IDs.
func (t *Table) pick(ids []string) ([]Claim, error) {
	if len(ids) == 0 {
		return t.Claims, nil
	}
	var some []Claim
	used := make(map[string]bool) // never ranged over
	for _, c := range t.Claims {
		for _, id := range ids {
			if rest, ok := strings.CutPrefix(c.ID, id); ok && (rest == "" || strings.Trim(rest[:1], "0123456789") != "") {
				used[id] = true
				if !slices.ContainsFunc(some, func(s Claim) bool { return s.ID == c.ID }) {
					some = append(some, c)
				}
			}
		}
	}
	for _, id := range ids {
		if !used[id] {
			return nil, config.Failf(config.ErrUsage, "no claim is called %q: `peerd experiment claims --list` has their names", id)
		}
	}
	return some, nil
}

// figure returns the figure of a part.
func (c *Claim) figure(p *Part) string {
	if p.Figure != "" {
		return p.Figure
	}
	return c.Figure
}

// place returns the figure of a cell of a part, which may stand before its name, and the name there.
func (c *Claim) place(p *Part, cell string) (figure, name string) {
	if before, after, ok := strings.Cut(cell, "/"); ok {
		if f, ok := catalog.Find(before); ok {
			return f.Name, after
		}
	}
	return c.figure(p), cell
}

// figures returns the figures of the cells of a part; of settings without cells that of the part.
func (c *Claim) figures(p *Part) (all []string) {
	for _, cell := range p.Cells {
		if figure, _ := c.place(p, cell); !slices.Contains(all, figure) {
			all = append(all, figure)
		}
	}
	if len(p.Cells) == 0 {
		return []string{c.figure(p)}
	}
	return all
}
