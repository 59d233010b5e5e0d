package plan

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"peerd.dev/internal/config"
	"peerd.dev/internal/wanted"
)

// A CellConfig is one cell of an experiment: what is played over all seeds.
type CellConfig struct {
	Name string
	*config.Config
	swept []string // keys with a list of values in the configuration, in the order of the schema
	Set   []string // everything that the cell sets, in the form of --set
	given string   // the name of its Cell
}

// mostCells bounds the cells of an experiment.
const mostCells = 1000

// cellList allows lists of cells.
func cellList() wanted.Rule {
	const want = "a list of cells, such as [{name: alone, set: {experiment.alone: true}}, {set: {privacy.epsilon: [1, 2]}}]"
	return wanted.Rule{Want: want, Check: func(v reflect.Value) string {
		total := 0
		for i, c := range v.Interface().([]Cell) {
			for _, c := range each(c) {
				if why := c.trouble(); why != "" {
					return fmt.Sprintf("want %s; item %d %s", want, i, why)
				}
				if total += c.many(); total > mostCells {
					return fmt.Sprintf("want at most %d cells; items 0 to %d make more", mostCells, i)
				}
			}
		}
		return ""
	}}
}

// each returns the cells that a cell stands for by its Each, whose settings take precedence.
func each(c Cell) (all []Cell) {
	if len(c.Each) == 0 {
		return []Cell{c}
	}
	for _, inner := range c.Each {
		for _, x := range each(inner) {
			names := slices.DeleteFunc([]string{c.Name, x.Name}, func(name string) bool { return name == "" })
			set := make(map[string]any)
			maps.Copy(set, c.Set)
			maps.Copy(set, x.Set)
			all = append(all, Cell{Name: strings.Join(names, ", "), Set: set})
		}
	}
	return all
}

// many returns how many cells a cell without Each stands for, or mostCells + 1 if there are more.
func (c *Cell) many() int {
	many := 1
	for key, values := range c.Set {
		list, _ := choices(key, values)
		many = min(many*len(list), mostCells+1)
	}
	return many
}

// trouble returns what is wrong with a cell without Each, as the end of a sentence; empty if all is well.
func (c *Cell) trouble() string {
	if c.Name == "" && len(c.Set) == 0 {
		return "sets nothing and has no name"
	}
	if key := strangeSet(c.Set); key != "" {
		return fmt.Sprintf("sets %s, which is no setting%s", key, didYouMean(key))
	}
	for _, key := range slices.Sorted(maps.Keys(c.Set)) { // in this order, so that the message is always the same
		list, _ := choices(key, c.Set[key])
		if len(list) == 0 || slices.Contains(list, nil) {
			return "has no value for " + key
		}
		if shared(key) {
			return fmt.Sprintf("sets %s, which all cells share", key)
		}
	}
	return ""
}

// shared reports whether a key belongs to the experiment and not to one of its cells.
func shared(key string) bool {
	return slices.Contains([]string{"experiment.seeds", "experiment.first_seed", "experiment.cells"}, key) ||
		strings.HasPrefix(key, "experiment.figure.")
}

// strangeSet returns the first name that is no key.
func strangeSet(set map[string]any) string {
	first := ""
	for name := range set {
		if _, ok := Schema().Find(name); !ok && (first == "" || name < first) {
			first = name
		}
	}
	return first
}

func didYouMean(name string) string {
	if near := Schema().Nearest(name); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// choices returns the values that a cell gives a key, and whether they are in a list. A key that
// holds a list has one value.
func choices(key string, values any) (list []any, swept bool) {
	list, swept = values.([]any)
	if !swept || Schema().Kind(key) == reflect.Slice {
		return []any{values}, false
	}
	return list, true
}

// Cells returns the cells of an experiment, each validated as a configuration of its own. The
// problems of all of them are one error.
func Cells(c *config.Config) ([]CellConfig, error) {
	var err error
	all := Expand(ExperimentOf(&c.Settings).Cells)
	var refused []error
	seen := make(map[string]bool) // never ranged over
	for i := range all {
		cell := &all[i]
		if seen[cell.Name] {
			refused = append(refused, config.Failf(config.ErrRefused, "experiment.cells: two cells are called %q: give one another name", cell.Name))
		}
		seen[cell.Name] = true
		cell.Config, err = c.Reload(cell.Set)
		if r := new(config.Refusal); errors.As(err, &r) {
			r.What = fmt.Sprintf("cell %q of %s", cell.Name, r.What)
			for k := range r.Problems {
				if p := &r.Problems[k]; cell.Sets(p.Key) {
					p.From = "the cell"
				}
			}
		}
		if err != nil {
			refused = append(refused, err)
		}
	}
	if len(refused) == 1 {
		return nil, refused[0]
	}
	return all, errors.Join(refused...)
}

// Sets reports whether the cell sets a key.
func (c *CellConfig) Sets(key string) bool {
	return slices.ContainsFunc(c.Set, func(entry string) bool { return strings.HasPrefix(entry, key+"=") })
}

// Expand makes a cell for every choice of values: of one Cell in the order of its values, of keys
// in the order of the schema, the first of which changes last.
func Expand(cells []Cell) []CellConfig {
	if len(cells) == 0 {
		return []CellConfig{{Name: "all"}}
	}
	var all []CellConfig
	var flat []Cell
	for _, c := range cells {
		flat = append(flat, each(c)...)
	}
	for _, c := range flat {
		part := []CellConfig{{given: c.Name}}
		for _, k := range Schema().Keys() {
			values, ok := c.Set[k.Name]
			if !ok {
				continue
			}
			list, swept := choices(k.Name, values)
			var next []CellConfig
			for _, p := range part {
				for _, v := range list {
					n := CellConfig{given: p.given, swept: p.swept, Set: append(slices.Clone(p.Set), k.Name+"="+config.ValueText(v))}
					if swept || c.Name == "" {
						n.swept = append(slices.Clone(p.swept), k.Name)
					}
					next = append(next, n)
				}
			}
			part = next
		}
		for i := range part {
			part[i].Name = part[i].Label("")
		}
		all = append(all, part...)
	}
	return all
}

// Label names a cell by its own name and the values of the keys that are swept, except some: keys, CellName, or
// an axis on which cells of one name are a line.
func (c *CellConfig) Label(without ...string) string {
	var parts []string
	if c.given != "" && !slices.Contains(without, CellName) {
		parts = append(parts, c.given)
	}
	for _, entry := range c.Set {
		key, value, _ := strings.Cut(entry, "=")
		lines := slices.ContainsFunc(without, func(axis string) bool { return axis == key || Counted(axis) && c.given != "" })
		if !lines && c.Sweeps(key) {
			parts = append(parts, valueLabel(key, value))
		}
	}
	return strings.Join(parts, ", ")
}

// Sweeps reports whether a cell has one of several values of a key.
func (c *CellConfig) Sweeps(key string) bool { return slices.Contains(c.swept, key) }

// Facet returns what the cell is called by a key or CellName alone.
func (c *CellConfig) Facet(key string) string {
	if key == CellName {
		return c.given
	}
	return valueLabel(key, config.ValueText(c.Value(key).Interface()))
}

// Is reports whether the cell has a value, as key=value; with an empty text, every cell has it.
func (c *CellConfig) Is(text string) bool {
	key, value, ok := strings.Cut(text, "=")
	return !ok || config.ValueText(c.Value(key).Interface()) == value
}

// AtLabel returns what figures call a value, as key=value; nothing for an empty text.
func AtLabel(text string) string {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return ""
	}
	return valueLabel(key, value)
}

// valueLabel returns what figures call the value of a key.
func valueLabel(key, value string) string {
	if first := []rune(value + " ")[0]; !unicode.IsLetter(first) || value == "inf" || value == "true" || value == "false" {
		return KeyLabel(key) + " = " + strings.ReplaceAll(value, "inf", "∞")
	}
	return value
}

// Shares returns in which share of all rounds each site of a cell decides.
func Shares(c *CellConfig) []float64 {
	shares := make([]float64, c.SitesOf(TestnetOf(&c.Settings).Nodes))
	w, rounds := WorldOf(&c.Settings), c.RoundCount()
	for i := range shares {
		from, to := w.Late.Span(i, len(shares))
		shares[i] = w.Traffic[i%len(w.Traffic)] * (float64(min(to, rounds)-from) / float64(rounds))
	}
	return shares
}

// KeyLabel returns what figures call a key.
func KeyLabel(key string) string {
	if key == "privacy.epsilon" {
		return "ε"
	}
	return strings.ReplaceAll(config.Key{Name: key}.Last(), "_", " ")
}

// The axes that are not settings.
const (
	SpectralGap = "spectral_gap"
	LinkCost    = "cost"
	WireBytes   = "bytes"
)

// CellName is the name of a cell, in place of a key.
const CellName = "name"

// Counted reports whether an axis is known only when cells have been played.
func Counted(axis string) bool { return axis == LinkCost || axis == WireBytes }

// axisText allows what final can be drawn against.
func axisText() wanted.Rule {
	return wanted.Holds(wantAxis, func(v reflect.Value) bool { return v.String() == "" || isAxis(v.String()) })
}

const wantAxis = "spectral_gap, cost, bytes or a setting that holds a number, such as privacy.epsilon"

// isAxis reports whether final can be drawn against a name.
func isAxis(name string) bool {
	if _, ok := Schema().Find(name); !ok {
		return name == SpectralGap || Counted(name)
	}
	k := Schema().Kind(name)
	return k >= reflect.Int && k <= reflect.Float64
}

// panelList allows lists of panels.
func panelList() wanted.Rule {
	const want = "a list of panels, such as [{x: bytes, at: privacy.epsilon=1}, {x: privacy.epsilon, regret: own}]"
	return wanted.Rule{Want: want, Check: func(v reflect.Value) string {
		for i, p := range v.Interface().([]Panel) {
			key, _, ok := strings.Cut(p.At, "=")
			_, known := Schema().Find(key)
			switch {
			case !isAxis(p.X):
				return fmt.Sprintf("want %s; x of item %d is %q, want %s", want, i, p.X, wantAxis)
			case p.Regret != "" && !slices.Contains(regrets(), p.Regret):
				return fmt.Sprintf("want %s; regret of item %d is %q, want %s", want, i, p.Regret, strings.Join(regrets(), ", "))
			case p.At != "" && (!ok || !known):
				return fmt.Sprintf("want %s; at of item %d is %q, want a setting=value", want, i, p.At)
			}
		}
		return ""
	}}
}

// regrets lists what final draws.
func regrets() []string { return []string{"shared", "own", "odd"} }

// facetText allows what panels can be made by.
func facetText() wanted.Rule {
	return wanted.Holds("name or a setting, such as protocol.name", func(v reflect.Value) bool {
		_, ok := Schema().Find(v.String())
		return ok || v.String() == "" || v.String() == CellName
	})
}
