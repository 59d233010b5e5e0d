package replay

import (
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// OpenBandit reads the CSV form of the Open Bandit Dataset (Saito et al. 2021): columns item_id, click and propensity_score,
// in any order. Every position that was shown is a decision; other columns are not used.
func OpenBandit(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		lines := csv.NewReader(r)
		lines.ReuseRecord = true
		names, err := lines.Read()
		if err != nil {
			yield(Record{}, wrong(1, "want names of columns (%v)", err))
			return
		}
		var at [3]int
		for i, name := range []string{"item_id", "click", "propensity_score"} {
			if at[i] = slices.Index(names, name); at[i] < 0 {
				yield(Record{}, wrong(1, "no column %s: want the form of the Open Bandit Dataset", name))
				return
			}
		}
		for {
			cells, err := lines.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			var record Record
			if err == nil {
				line, _ := lines.FieldPos(0)
				record, err = openBandit(line, cells, at)
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

func openBandit(line int, cells []string, at [3]int) (r Record, err error) {
	r = Record{Line: line, Text: strings.Join(cells, ",")}
	if r.Action, err = strconv.Atoi(cells[at[0]]); err != nil || r.Action < 0 {
		return r, wrong(line, "item_id: want a whole number from 0")
	}
	if r.Reward, err = strconv.ParseFloat(cells[at[1]], 64); err != nil || !(r.Reward >= 0 && r.Reward <= 1) {
		return r, wrong(line, "click: want a number from 0 to 1")
	}
	r.Propensity, err = propensity(line, cells[at[2]])
	return r, err
}
