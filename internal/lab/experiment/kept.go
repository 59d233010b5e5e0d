package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"peerd.dev/internal/config"
	"peerd.dev/node/lab/stats"
)

// A keptRun is a line of a cell's file: a finished run, so that it need not be played again.
type keptRun struct {
	Seconds float64   `json:"seconds"` // it took
	Sum     string    `json:"sum"`     // checksum of the cell's hash and Run
	Run     stats.Run `json:"run"`
}

// sumOf returns the checksum of a run of a cell.
func sumOf(cell string, r *stats.Run) (string, error) {
	b, err := json.Marshal(r)
	h := sha256.New()
	config.HashLine(h, cell, string(b))
	return hex.EncodeToString(h.Sum(nil)), err
}

// keep adds a finished run to its cell's file.
func (f resultFolder) keep(cell string, k keptRun) (err error) {
	if k.Sum, err = sumOf(cell, &k.Run); err != nil {
		return err
	}
	b, err := json.Marshal(&k)
	if err != nil {
		return err
	}
	w, err := os.OpenFile(f.cell(cell), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	n, err := w.Write(append(b, '\n'))
	if end, bad := w.Seek(0, io.SeekCurrent); n > 0 && err != nil && bad == nil { // as on a full disk: no part of a line stays
		bad = w.Truncate(end - int64(n))
		err = errors.Join(err, bad)
	}
	return errors.Join(err, w.Close())
}

// take takes the finished runs that the folder has. A run that was taken before must be the same. Damaged lines are
// reported, and taken out of the folder's files if it is the experiment's own.
func (f resultFolder) take(cells []cellRun, own bool, w io.Writer) error {
	for i := range cells {
		cell := &cells[i]
		file := f.cell(cell.hash)
		kept, good, damaged, err := readKept(file, cell.hash)
		if damaged > 0 {
			_, _ = fmt.Fprintf(w, "cell %q: damaged in %s, and not taken: %d\n", cell.Name, file, damaged)
			if own {
				err = writeFile(file, func(w io.Writer) error { _, bad := w.Write(good); return bad })
			}
		}
		if err != nil {
			return fmt.Errorf("the folder of results: %w", err)
		}
		for k := range cell.runs {
			run, ok := kept[cell.seed(k)]
			if ok && cell.finished[k] {
				if had, bad := sumOf(cell.hash, &cell.runs[k]); bad != nil || had != run.Sum {
					return config.Failf(config.ErrRefused, "%s: the run of cell %q with seed %d is another one in a folder read before: one of them was changed", file, cell.Name, cell.seed(k))
				}
			} else if ok {
				cell.finish(k, run)
			}
		}
	}
	return nil
}

// readKept reads the file of a cell, and returns the lines that keep wrote.
func readKept(name, cell string) (runs map[uint64]keptRun, good []byte, damaged int, err error) {
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, 0, err
	}
	runs = make(map[uint64]keptRun)
	for l := range bytes.Lines(b) {
		var k keptRun
		err := json.Unmarshal(l, &k)
		if sum, bad := sumOf(cell, &k.Run); err != nil || bad != nil || k.Sum != sum || l[len(l)-1] != '\n' {
			damaged++
			continue
		}
		runs[k.Run.Seed] = k
		good = append(good, l...)
	}
	return runs, good, damaged, nil
}
