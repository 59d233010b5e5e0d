package world

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// judged is a document of a query, as a line of SVMlight has it: label, qid:number, column:value, and a comment
// behind #.
type judged struct {
	query  int // its number, from 0, in the order of the file
	label  float64
	column []int // from 1, ascending
	value  []float64
}

// readJudged calls each with the documents of a file, one by one; what it is given is good until it returns. A query
// ends where qid changes. If lines have no qid, sizes says how many documents each query has, in order.
func readJudged(r io.Reader, sizes []int, each func(*judged)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	var (
		d    = judged{query: -1}
		last string
		left int // documents of the query by sizes
	)
	n := 0
	for ; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			return fmt.Errorf("line %d is empty", n+1)
		}
		id, ok := "", false
		if len(words) > 1 {
			id, ok = strings.CutPrefix(words[1], "qid:")
		}
		features := words[1:]
		switch {
		case ok && len(sizes) > 0:
			return fmt.Errorf("line %d has a qid, and there is a file of sizes of queries", n+1)
		case ok:
			if features = features[1:]; d.query < 0 || id != last {
				d.query, last = d.query+1, id
			}
		default:
			for left == 0 {
				if d.query++; d.query >= len(sizes) {
					return fmt.Errorf("line %d has no qid, and no size of a query", n+1)
				}
				left = sizes[d.query]
			}
			left--
		}
		if err := d.read(words[0], features); err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
		each(&d)
	}
	switch {
	case lines.Err() != nil:
		return lines.Err()
	case n == 0:
		return errors.New("no document")
	case len(sizes) > 0 && (left > 0 || d.query < len(sizes)-1):
		return errors.New("fewer documents than the sizes of queries add up to")
	}
	return nil
}

// read reads label and features.
func (d *judged) read(label string, features []string) (err error) {
	if d.label, err = strconv.ParseFloat(label, 64); err != nil || !(d.label >= 0 && d.label <= 100) {
		return errors.New("want a label from 0 to 100")
	}
	d.column, d.value = d.column[:0], d.value[:0]
	for _, f := range features {
		name, text, ok := strings.Cut(f, ":")
		column, err := strconv.Atoi(name)
		if !ok || err != nil || column < 1 || column > maxColumn || len(d.column) > 0 && column <= d.column[len(d.column)-1] {
			return fmt.Errorf("want column:value with columns from 1 to %d, ascending", maxColumn)
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || !(value >= -1e30 && value <= 1e30) {
			return fmt.Errorf("column %d: want a number", column)
		}
		d.column, d.value = append(d.column, column), append(d.value, value)
	}
	return nil
}

// maxColumn is the greatest column that is read.
const maxColumn = 100_000

// readSizes reads a number a line.
func readSizes(r io.Reader) (sizes []int, err error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		n, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("line %d: want a number of documents", len(sizes)+1)
		}
		sizes = append(sizes, n)
	}
	return sizes, lines.Err()
}
