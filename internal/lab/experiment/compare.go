package experiment

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/lab/stats"
)

// A Comparison says in what two folders of results differ: cells of a name are compared, and their runs by seed.
type Comparison struct {
	A        string       `json:"a"` // folder, or DIR:CELL, and what played it
	B        string       `json:"b"`
	Settings []Difference `json:"settings"` // that differ in all cells compared
	Cells    []Compared   `json:"cells"`
	OnlyA    []string     `json:"only_in_a"` // cells
	OnlyB    []string     `json:"only_in_b"`
}

// A Difference is a setting with its two values. A value is empty where the program that played did not know the key.
type Difference struct {
	Key string `json:"key"`
	A   string `json:"a"`
	B   string `json:"b"`
}

// What is found of a cell.
const (
	SameBytes = "the same rows, byte for byte"
	Less      = "B loses less"
	More      = "B loses more"
	Unclear   = "they cannot be distinguished" // the interval of the ratio contains 1
	Unpaired  = "fewer than two seeds are in both"
)

// A Compared is a cell in both folders.
type Compared struct {
	Cell     string         `json:"cell"`     // both names if they differ
	Seeds    int            `json:"seeds"`    // in both
	A        stats.Interval `json:"regret_a"` // at the end, over these seeds
	B        stats.Interval `json:"regret_b"`
	Ratio    stats.Interval `json:"regret_ratio"` // of B to A, paired by seed
	Finding  string         `json:"finding"`
	Settings []Difference   `json:"settings"` // that differ here and not in all cells
}

// Compare compares two folders of results, each DIR or DIR:CELL.
func Compare(a, b string) (*Comparison, error) {
	x, one, err := readSide(a)
	if err != nil {
		return nil, err
	}
	y, two, err := readSide(b)
	if err != nil {
		return nil, err
	}
	if one == "" {
		one = two
	} else if two == "" {
		two = one
	}
	c := &Comparison{A: x.side(a), B: y.side(b), Settings: []Difference{}, Cells: []Compared{}, OnlyA: []string{}, OnlyB: []string{}}
	for i := range x.Cells {
		name := x.Cells[i].Name
		if one != "" && name != one {
			continue
		}
		other := name
		if one != "" {
			other = two
		}
		if with := y.cell(other); with != nil {
			c.Cells = append(c.Cells, compared(&x.Cells[i], with))
		} else {
			c.OnlyA = append(c.OnlyA, name)
		}
	}
	for i := range y.Cells {
		if name := y.Cells[i].Name; one == "" && x.cell(name) == nil {
			c.OnlyB = append(c.OnlyB, name)
		}
	}
	if len(c.Cells) == 0 {
		return nil, config.Failf(config.ErrUsage, "no cell is in both: name one of each, as DIR:CELL\n%s has %s\n%s has %s", x.Out, x.names(), y.Out, y.names())
	}
	c.gather()
	return c, nil
}

// readSide reads the results of DIR or DIR:CELL.
func readSide(text string) (r *Results, cell string, err error) {
	dir := text
	for i := range text {
		if info, bad := os.Stat(text[:i]); text[i] == ':' && bad == nil && info.IsDir() {
			dir, cell = text[:i], text[i+1:]
			break
		}
	}
	r, err = Read(dir)
	return r, cell, err
}

func (r *Results) side(text string) string {
	return fmt.Sprintf("%s, played by %s on %s", text, built(r.Manifest.Version), r.Manifest.Begin.Format(time.DateOnly))
}

func (r *Results) cell(name string) *CellResult {
	if i := slices.IndexFunc(r.Cells, func(c CellResult) bool { return c.Name == name }); i >= 0 {
		return &r.Cells[i]
	}
	return nil
}

func (r *Results) names() string {
	var names []string
	for i := range r.Cells {
		names = append(names, r.Cells[i].Name)
	}
	return strings.Join(names, "; ")
}

// compared compares two cells over the seeds that both have.
func compared(a, b *CellResult) Compared {
	c := Compared{Cell: a.Name, Finding: Unpaired, Settings: differences(a.Settings, b.Settings)}
	if b.Name != a.Name {
		c.Cell += " / " + b.Name
	}
	var xs, ys []float64
	same := a.Name == b.Name
	for i := range a.Runs {
		x := &a.Runs[i]
		if k := slices.IndexFunc(b.Runs, func(y stats.Run) bool { return y.Seed == x.Seed }); k >= 0 {
			y := &b.Runs[k]
			same = same && slices.Equal(x.Points, y.Points) && slices.Equal(x.Regret, y.Regret) && slices.Equal(x.OwnCurve, y.OwnCurve)
			xs, ys = append(xs, x.Final()), append(ys, y.Final())
		}
	}
	c.Seeds, c.A, c.B, c.Ratio = len(xs), stats.MeanOf(xs), stats.MeanOf(ys), stats.RatioOf(ys, xs)
	switch {
	case c.Seeds > 0 && same:
		c.Finding = SameBytes
	case c.Seeds < 2:
	case c.Ratio.High < 1:
		c.Finding = Less
	case c.Ratio.Low > 1:
		c.Finding = More
	default:
		c.Finding = Unclear
	}
	return c
}

// differences lists the settings that two cells do not share, by key, other than figures.
func differences(a, b map[string]string) []Difference {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
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
		c.Cells[i].Settings = slices.DeleteFunc(c.Cells[i].Settings, func(d Difference) bool { return slices.Contains(c.Settings, d) })
	}
}

// Write prints the comparison.
func (c *Comparison) Write(w io.Writer) {
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	line("A  %s\nB  %s", c.A, c.B)
	t := terminal.NewTable(w)
	t.Printf("CELL\tSEEDS\tREGRET OF A\tREGRET OF B\tB TO A\tFINDING\n")
	for _, x := range c.Cells {
		t.Printf("%s\t%d\t%s\t%s\t%s\t%s\n", x.Cell, x.Seeds, MeanText(x.A), MeanText(x.B), timesText(x.Ratio), x.Finding)
	}
	t.End()
	for _, d := range c.Settings {
		line("%s: %s in A, %s in B", d.Key, d.A, d.B)
	}
	for _, x := range c.Cells {
		for _, d := range x.Settings {
			line("%s: %s: %s in A, %s in B", x.Cell, d.Key, d.A, d.B)
		}
	}
	for _, name := range c.OnlyA {
		line("only in A: %s", name)
	}
	for _, name := range c.OnlyB {
		line("only in B: %s", name)
	}
	line("Regret is of the average honest peer at the end; ratios are paired by seed, with 95 %% intervals each,\nso of 20 cells that are alike one is expected to be called less or more.")
}
