// Command liars reads the rows of an experiment whose cells differ in liars, and compares each
// cell with the cell of the same name without liars, seed by seed. It fails if a detectable lie
// costs more than allowed, and lists the lies that cannot be detected.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"peerd.dev/node/lab/stats"
)

// wanted is the greatest allowed ratio of regret to the regret without liars, for detectable
// lies.
const wanted = 1.25

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: liars ROWS.jsonl")
		os.Exit(64)
	}
	f, err := os.Open(os.Args[1])
	if err == nil {
		err = compare(os.Stdout, f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "liars:", err)
		os.Exit(1)
	}
}

// A cell is the regret at the end by seed.
type cell struct {
	name   string
	finals []float64
}

// read returns the cells of rows in their order.
func read(r io.Reader) ([]cell, error) {
	var cells []cell
	seed, lines := uint64(0), bufio.NewScanner(r)
	for lines.Scan() {
		var row stats.Row
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, err
		}
		if n := len(cells); n == 0 || cells[n-1].name != row.Cell {
			cells, seed = append(cells, cell{name: row.Cell}), 0
		}
		c := &cells[len(cells)-1]
		if row.Seed != seed || len(c.finals) == 0 {
			c.finals, seed = append(c.finals, 0), row.Seed
		}
		c.finals[len(c.finals)-1] = row.Regret
	}
	return cells, lines.Err()
}

// lie splits a cell's name into the name without liars, their number, and their lies.
func lie(name string) (base, count, what string) {
	base, rest, _ := strings.Cut(name, ", count = ")
	count, what, _ = strings.Cut(rest, ", ")
	return base, count, what
}

// seen reports whether something can detect a lie: a trimmed merge, a check of every message, or
// peers that compare what they hold. Cells without a merge have none of these.
func seen(base, what string) bool {
	compared := strings.Contains(base, ", compared") && what == "fork"
	return compared || strings.Contains(base, ", trimmed") || strings.Contains(base, ", mean") &&
		slices.ContainsFunc(strings.Split(what, ", "), func(word string) bool {
			return word == "silent" || word == "malformed" || word == "outside" || word == "quiet" || word == "loud"
		})
}

// compare writes a table, and fails if a detectable lie certainly costs more than allowed.
func compare(w io.Writer, rows io.Reader) error {
	cells, err := read(rows)
	if err != nil {
		return err
	}
	honest := make(map[string][]float64) // by name; never ranged over
	for _, c := range cells {
		if _, count, _ := lie(c.name); count == "" {
			honest[c.name] = c.finals
		}
	}
	var broken, unsure, unseen []string
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "CELL\tLIARS\tLIE\tREGRET OF A PEER\tRATIO TO NO LIAR\t\n")
	for _, c := range cells {
		base, count, what := lie(c.name)
		if count == "" {
			_, _ = fmt.Fprintf(t, "%s\t0\t\t%.1f\t1\t\n", base, stats.MeanOf(c.finals).Mean)
			continue
		}
		reference := honest[base]
		if len(reference) != len(c.finals) || len(reference) < 2 {
			return fmt.Errorf("cell %q has %d runs and the one without liars %d; want as many, 2 at least", c.name, len(c.finals), len(reference))
		}
		ratio, verdict := stats.RatioOf(c.finals, reference), "seen"
		switch {
		case !seen(base, what):
			if verdict = "not seen"; ratio.Low > wanted {
				unseen = append(unseen, c.name)
			}
		case ratio.Low > wanted:
			verdict, broken = "TOO MUCH", append(broken, c.name)
		case ratio.Mean > wanted:
			verdict, unsure = "unsure", append(unsure, c.name)
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%.1f\t%.2f (%.2f to %.2f)\t%s\n", base, count, what, stats.MeanOf(c.finals).Mean, ratio.Mean, ratio.Low, ratio.High, verdict)
	}
	_ = t.Flush()
	list := func(title string, names []string) {
		if len(names) > 0 {
			_, _ = fmt.Fprintf(w, "\n%s\n  %s\n", title, strings.Join(names, "\n  "))
		}
	}
	list(fmt.Sprintf("nothing sees these, and they cost over %v times the regret:", wanted), unseen)
	list(fmt.Sprintf("seen, and above %v with an interval that holds it:", wanted), unsure)
	list(fmt.Sprintf("seen, and they cost over %v times the regret:", wanted), broken)
	if len(broken) > 0 {
		return errors.New("lies that are seen cost more than wanted")
	}
	return nil
}
