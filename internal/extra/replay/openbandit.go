package replay

import (
	"encoding/csv"
	"errors"
	"fmt"
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
		lines := csv.NewReader(unmarked(r))
		lines.ReuseRecord = true
		at, err := openColumns(lines)
		for line := 1; err == nil; {
			var cells []string
			var record Record
			if cells, err = lines.Read(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				err = unread(line+1, err)
			} else {
				line, _ = lines.FieldPos(0)
				record, err = openBandit(line, cells, at)
			}
			if err == nil && !yield(record, nil) {
				return
			}
		}
		yield(Record{}, err)
	}
}

const wantColumns = "want the columns item_id, click and propensity_score, in UTF-8 with commas between them"

// openColumns finds the columns by their names. It quotes the names only if one is of theirs: without names the first line has a reward.
func openColumns(lines *csv.Reader) (at [3]int, err error) {
	names, err := lines.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return at, unread(1, err)
	}
	all, found := strings.Join(names, ","), ""
	for i, name := range []string{"item_id", "click", "propensity_score"} {
		if strings.Contains(strings.ToLower(all), name) {
			found = fmt.Sprintf(", %.60q", all)
		}
		if at[i] = slices.Index(names, name); at[i] < 0 {
			return at, wrong(1, "no column %s; the number of columns is %d%s: %s", name, len(names), found, wantColumns)
		}
		if slices.Contains(names[at[i]+1:], name) {
			return at, wrong(1, "two columns %s%s: want one", name, found)
		}
	}
	return at, nil
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
