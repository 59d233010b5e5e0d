package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// kept returns the finished runs of a cell by their seeds, and how many lines of its file
// are not what keep wrote. These are taken out of it.
func (f resultFolder) kept(cell string) (runs map[uint64]keptRun, damaged int, err error) {
	runs, good, damaged, err := readKept(f.cell(cell), cell)
	if err != nil || damaged == 0 {
		return runs, 0, err
	}
	return runs, damaged, writeFile(f.cell(cell), func(w io.Writer) error {
		_, err := w.Write(good)
		return err
	})
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
