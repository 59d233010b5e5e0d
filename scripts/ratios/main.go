// Command ratios reads the rows of an experiment and prints for every cell, paired by seed, the
// ratio of its regret to the regret of the cell before it, and to the regret of a reference cell,
// by default the first; the median of the latter over runs, and in how many runs it is over 1;
// and how fast regret still grows at the end.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat/distuv"

	"peerd.dev/node/lab/stats"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: ratios ROWS.jsonl [CELL]")
		os.Exit(64)
	}
	f, err := os.Open(os.Args[1])
	if err == nil {
		err = compare(os.Stdout, f, append(os.Args[2:], "")[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

// A cell is regret by run and round.
type cell struct {
	name string
	runs []stats.Run
}

// read returns the cells of rows in their order.
func read(r io.Reader) ([]cell, error) {
	var cells []cell
	for lines := json.NewDecoder(bufio.NewReader(r)); ; {
		var row stats.Row
		if err := lines.Decode(&row); err == io.EOF {
			return cells, nil
		} else if err != nil {
			return nil, err
		}
		if n := len(cells); n == 0 || cells[n-1].name != row.Cell {
			cells = append(cells, cell{name: row.Cell})
		}
		c := &cells[len(cells)-1]
		if n := len(c.runs); n == 0 || c.runs[n-1].Seed != row.Seed {
			c.runs = append(c.runs, stats.Run{Seed: row.Seed})
		}
		run := &c.runs[len(c.runs)-1]
		run.Points, run.Regret = append(run.Points, row.Round), append(run.Regret, row.Regret)
	}
}

// lost returns, by run, the regret from one share of the rounds to another.
func (c *cell) lost(from, to float64) []float64 {
	all := make([]float64, len(c.runs))
	for i := range c.runs {
		n := float64(len(c.runs[i].Points))
		all[i] = c.runs[i].Regret[int(to*n)-1] - c.runs[i].Regret[int(from*n)-1]
	}
	return all
}

// growth returns the ratio of the regret in the second half of the rounds to the regret in the
// quarter before: 2 if regret grows linearly, 1 if logarithmically, NaN if there is none.
func (c *cell) growth() stats.Interval {
	return stats.RatioOf(c.lost(.5, 1), c.lost(.25, .5))
}

// medianOf returns the median of xs[i]/ys[i] with a 95 % confidence interval for the median of
// their distribution, by the sign test, and in how many places x is greater. The interval is
// infinite for fewer than six pairs.
func medianOf(xs, ys []float64) (ratio stats.Interval, more int) {
	n := len(xs)
	ratios := make([]float64, n)
	for i := range xs {
		if ratios[i] = xs[i] / ys[i]; xs[i] > ys[i] {
			more++
		}
	}
	slices.Sort(ratios)
	ratio = stats.Interval{Mean: (ratios[(n-1)/2] + ratios[n/2]) / 2, Low: math.Inf(-1), High: math.Inf(1)}
	heads := distuv.Binomial{N: float64(n), P: .5}
	for k := 0; k < n/2 && 2*heads.CDF(float64(k)) <= .05; k++ {
		ratio.Low, ratio.High = ratios[k], ratios[n-1-k]
	}
	return ratio, more
}

func compare(w io.Writer, rows io.Reader, name string) error {
	cells, err := read(rows)
	if err != nil {
		return err
	}
	at := 0
	if name != "" {
		at = slices.IndexFunc(cells, func(c cell) bool { return c.name == name })
	}
	if at < 0 || len(cells) == 0 {
		return fmt.Errorf("no cell is called %q", name)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "CELL\tREGRET OF A PEER\tTO THE CELL BEFORE\tTO %q\tMEDIAN\tOVER 1 IN\tGROWTH\n", cells[at].name)
	for i := range cells {
		finals, before := stats.Finals(cells[i].runs), cells[max(0, i-1)]
		reference := stats.Finals(cells[at].runs)
		if len(finals) != len(reference) || len(finals) != len(before.runs) {
			return fmt.Errorf("cell %q has %d runs, others have %d", cells[i].name, len(finals), len(reference))
		}
		median, more := medianOf(finals, reference)
		_, _ = fmt.Fprintf(t, "%s\t%.1f\t%s\t%s\t%.4f (%.4f to %.4f)\t%d of %d\t%s\n", cells[i].name, stats.MeanOf(finals).Mean,
			text(stats.RatioOf(finals, stats.Finals(before.runs))), text(stats.RatioOf(finals, reference)),
			median.Mean, median.Low, median.High, more, len(finals), text(cells[i].growth()))
	}
	return t.Flush()
}

// text writes an interval; a quotient by zero is a dash.
func text(x stats.Interval) string {
	if math.IsNaN(x.Mean) {
		return "-"
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", x.Mean, x.Low, x.High)
}
