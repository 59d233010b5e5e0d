package experiment

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/internal/version"
	"peerd.dev/node/lab/stats"
)

// A Comparison says in what two folders of results differ: cells of a name are compared, and their runs by seed.
type Comparison struct {
	A        Side         `json:"a"`
	B        Side         `json:"b"`
	Settings []Difference `json:"settings"` // that differ in all cells compared
	Cells    []Compared   `json:"cells"`
	OnlyA    []string     `json:"only_in_a"` // cells
	OnlyB    []string     `json:"only_in_b"`
}

// A Side is one of the two folders.
type Side struct {
	Out     string       `json:"out"`
	Cell    string       `json:"cell,omitempty"` // if one is compared
	Played  version.Info `json:"played_by"`
	Program string       `json:"program"` // hash of the executable
	Begin   time.Time    `json:"begin"`
}

// A Difference is a setting with its two values. A value is empty where the program that played did not know the key.
type Difference struct {
	Key string `json:"key"`
	A   string `json:"a"`
	B   string `json:"b"`
}

// What a comparison finds.
const (
	Less      = "less"       // B loses less than A
	More      = "more"       // B loses more than A
	NotApart  = "not apart"  // the interval of the ratio contains 1
	SameBytes = "same bytes" // of the rows
	NotPaired = "not paired" // no seed is in both, or one
)

// A Compared is a cell in both folders.
type Compared struct {
	Cell     string         `json:"cell"`
	Other    string         `json:"cell_of_b,omitempty"` // if it has another name
	Seeds    int            `json:"seeds"`               // in both
	A        stats.Interval `json:"regret_a"`            // at the end, over these seeds
	B        stats.Interval `json:"regret_b"`
	Ratio    stats.Interval `json:"regret_ratio"` // of B to A, paired by seed
	Finding  string         `json:"finding"`
	Settings []Difference   `json:"settings"` // that differ here and not in all cells
}

// Compare compares two folders of results, each DIR or DIR:CELL.
func Compare(a, b string) (*Comparison, error) {
	x, cellA, err := readSide(a)
	if err != nil {
		return nil, err
	}
	y, cellB, err := readSide(b)
	if err != nil {
		return nil, err
	}
	c := &Comparison{A: x.side(cellA), B: y.side(cellB), Settings: []Difference{}, Cells: []Compared{}, OnlyA: []string{}, OnlyB: []string{}}
	if cellA != "" || cellB != "" {
		one, two := cellA, cellB
		if one == "" {
			one = two
		}
		if two == "" {
			two = one
		}
		of, err := x.cell(one)
		if err != nil {
			return nil, err
		}
		with, err := y.cell(two)
		if err != nil {
			return nil, err
		}
		c.Cells = append(c.Cells, compared(of, with))
		return c, nil
	}
	for i := range x.Cells {
		if with, err := y.cell(x.Cells[i].Name); err == nil {
			c.Cells = append(c.Cells, compared(&x.Cells[i], with))
		} else {
			c.OnlyA = append(c.OnlyA, x.Cells[i].Name)
		}
	}
	for i := range y.Cells {
		if _, err := x.cell(y.Cells[i].Name); err != nil {
			c.OnlyB = append(c.OnlyB, y.Cells[i].Name)
		}
	}
	if len(c.Cells) == 0 {
		return nil, config.Failf(config.ErrUsage, "no cell of %s has the name of one of %s: compare two by name, as in %s:%s %s:%s",
			a, b, a, x.Cells[0].Name, b, y.Cells[0].Name)
	}
	c.gather()
	return c, nil
}

// readSide reads the results of DIR or DIR:CELL.
func readSide(text string) (*Results, string, error) {
	dir, cell := text, ""
	for i := range text {
		if info, err := os.Stat(text[:i]); text[i] == ':' && err == nil && info.IsDir() {
			dir, cell = text[:i], text[i+1:]
			break
		}
	}
	r, err := Read(dir)
	return r, cell, err
}

func (r *Results) side(cell string) Side {
	return Side{Out: r.Out, Cell: cell, Played: r.Manifest.Version, Program: r.Manifest.Program, Begin: r.Manifest.Begin}
}

func (r *Results) cell(name string) (*CellResult, error) {
	var names []string
	for i := range r.Cells {
		if r.Cells[i].Name == name {
			return &r.Cells[i], nil
		}
		names = append(names, r.Cells[i].Name)
	}
	return nil, config.Failf(config.ErrUsage, "%s has no cell %q; it has %s", r.Out, name, strings.Join(names, "; "))
}

// compared compares two cells over the seeds that both have.
func compared(a, b *CellResult) Compared {
	c := Compared{Cell: a.Name, Settings: differences(a.Settings, b.Settings)}
	if b.Name != a.Name {
		c.Other = b.Name
	}
	var xs, ys []float64
	same := true
	for i := range a.Runs {
		x := &a.Runs[i]
		k := slices.IndexFunc(b.Runs, func(y stats.Run) bool { return y.Seed == x.Seed })
		if k < 0 {
			continue
		}
		y := &b.Runs[k]
		same = same && slices.Equal(x.Points, y.Points) && slices.Equal(x.Regret, y.Regret)
		xs, ys = append(xs, x.Final()), append(ys, y.Final())
	}
	c.Seeds = len(xs)
	if c.Seeds == 0 {
		none := stats.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
		c.A, c.B, c.Ratio, c.Finding = none, none, none, NotPaired
		return c
	}
	c.A, c.B, c.Ratio = stats.MeanOf(xs), stats.MeanOf(ys), stats.RatioOf(ys, xs)
	switch {
	case same && c.Other == "":
		c.Finding = SameBytes
	case c.Seeds == 1:
		c.Finding = NotPaired
	case c.Ratio.High < 1:
		c.Finding = Less
	case c.Ratio.Low > 1:
		c.Finding = More
	default:
		c.Finding = NotApart
	}
	return c
}

// differences lists the settings that two cells do not share, by key, except those of seeds and figures.
func differences(a, b map[string]string) []Difference {
	keys := make(map[string]bool)
	for key := range a {
		keys[key] = true
	}
	for key := range b {
		keys[key] = true
	}
	list := []Difference{}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if a[key] != b[key] && !strings.HasPrefix(key, "experiment.figure.") {
			list = append(list, Difference{key, a[key], b[key]})
		}
	}
	return list
}

// gather moves the differences that all cells have to the comparison.
func (c *Comparison) gather() {
	for _, d := range c.Cells[0].Settings {
		if !slices.ContainsFunc(c.Cells, func(x Compared) bool { return !slices.Contains(x.Settings, d) }) {
			c.Settings = append(c.Settings, d)
		}
	}
	for i := range c.Cells {
		x := &c.Cells[i]
		x.Settings = slices.DeleteFunc(x.Settings, func(d Difference) bool { return slices.Contains(c.Settings, d) })
	}
}

// Write prints the comparison.
func (c *Comparison) Write(w io.Writer) {
	_, _ = fmt.Fprintf(w, "A  %s\nB  %s\n", c.A.text(), c.B.text())
	writeDifferences(w, "", c.Settings)
	t := terminal.NewTable(w)
	t.Printf("CELL\tSEEDS\tREGRET OF A\tREGRET OF B\tB TO A\tFINDING\n")
	for _, x := range c.Cells {
		t.Printf("%s\t%d\t%s\t%s\t%s\t%s\n", x.name(), x.Seeds, MeanText(x.A), MeanText(x.B), timesText(x.Ratio), x.sentence())
	}
	t.End()
	for _, x := range c.Cells {
		writeDifferences(w, x.name()+": ", x.Settings)
	}
	for _, name := range c.OnlyA {
		_, _ = fmt.Fprintf(w, "only in A: %s\n", name)
	}
	for _, name := range c.OnlyB {
		_, _ = fmt.Fprintf(w, "only in B: %s\n", name)
	}
	_, _ = fmt.Fprintln(w, "Regret is of the average honest peer at the end; ratios are paired by seed, with 95 % intervals each,\nso of 20 cells that are alike one is expected to be told apart.")
}

func (s *Side) text() string {
	text := s.Out
	if s.Cell != "" {
		text += ", cell " + s.Cell
	}
	return fmt.Sprintf("%s, played by %s on %s", text, built(s.Played), s.Begin.Format(time.DateOnly))
}

func (x *Compared) name() string {
	if x.Other != "" {
		return x.Cell + " / " + x.Other
	}
	return x.Cell
}

// sentence says what was found.
func (x *Compared) sentence() string {
	switch x.Finding {
	case SameBytes:
		return "the same rows, byte for byte"
	case Less:
		return "B loses less"
	case More:
		return "B loses more"
	case NotPaired:
		if x.Seeds == 1 {
			return "one seed is in both: they cannot be told apart"
		}
		return "no seed is in both"
	}
	return "they cannot be told apart"
}

func writeDifferences(w io.Writer, of string, list []Difference) {
	for _, d := range list {
		_, _ = fmt.Fprintf(w, "%s%s: %s in A, %s in B\n", of, d.Key, orNone(d.A), orNone(d.B))
	}
}

func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return value
}
