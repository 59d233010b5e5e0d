package world

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Load reads diabetic_data.csv: a header line that names the columns, in any
// order, then an encounter a line. Errors name the line and the column but not
// the cell, which is private.
func Load(r io.Reader) (*Records, error) {
	l := loader{csv: csv.NewReader(r)}
	l.csv.ReuseRecord = true
	if err := l.header(); err != nil {
		return nil, err
	}
	out := new(Records)
	for {
		e, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		e.row = len(out.rows)
		out.rows = append(out.rows, e)
	}
	if len(out.rows) == 0 {
		return nil, errors.New("world: a header line and no encounters")
	}
	return out, nil
}

// loader reads encounters one by one.
type loader struct {
	csv                 *csv.Reader
	patient, readmitted int // columns
	drugs               []drug
	columns             []int // of drugs
}

// header finds the columns.
func (l *loader) header() error {
	names, err := l.csv.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("world: line 1: no header, the file is empty")
	}
	if err != nil {
		return fmt.Errorf("world: %w", err)
	}
	all := drugs()
	l.drugs, l.columns = all[:], make([]int, len(all))
	want := map[string]*int{"patient_nbr": &l.patient, "readmitted": &l.readmitted}
	for i, d := range l.drugs {
		want[d.column] = &l.columns[i]
	}
	var missing []string
	for name, at := range want {
		if *at = slices.Index(names, name); *at < 0 {
			missing = append(missing, strconv.Quote(name))
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("world: line 1: no column %s", strings.Join(missing, ", "))
	}
	return nil
}

// next reads an encounter; its row is left to the caller.
func (l *loader) next() (*record, error) {
	cells, err := l.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	e := new(record)
	if e.patient, err = strconv.ParseUint(cells[l.patient], 10, 64); err != nil {
		return nil, l.bad(l.patient, "patient_nbr", "a whole number")
	}
	switch cells[l.readmitted] {
	case ">30":
		e.reward = 1
	case "<30", "NO":
	default:
		return nil, l.bad(l.readmitted, "readmitted", "NO, <30 or >30")
	}
	given := false
	for i, d := range l.drugs {
		had, ok := e.arms.dose(d, cells[l.columns[i]])
		if !ok {
			return nil, l.bad(l.columns[i], d.column, "No, Steady, Up or Down")
		}
		given = given || had
	}
	if !given {
		e.arms = 1 << nothing
	}
	return e, nil
}

// bad returns the error of a cell of the line read last.
func (l *loader) bad(column int, name, want string) error {
	line, _ := l.csv.FieldPos(column)
	return fmt.Errorf("world: line %d: column %q does not hold %s", line, name, want)
}
