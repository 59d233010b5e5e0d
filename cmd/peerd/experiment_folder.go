package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"peerd.dev/node/experiment"
	"peerd.dev/node/experiment/figure"
)

// A resultFolder is where an experiment keeps what comes of it.
type resultFolder string

func (f resultFolder) path(name string) string { return filepath.Join(string(f), name) }

// cell returns the file of a finished cell.
func (f resultFolder) cell(hash string) string { return f.path(filepath.Join("cells", hash+".json")) }

// A cellResult is what a finished cell keeps, so that it need not be played again.
type cellResult struct {
	Cell    string           `json:"cell"`
	Seconds float64          `json:"seconds"`
	Runs    []experiment.Run `json:"runs"`
}

// readCell returns what a cell's file holds. A file that is not whole counts as none:
// the cell is played again.
func (f resultFolder) readCell(hash string) (r cellResult, ok bool) {
	b, err := os.ReadFile(f.cell(hash))
	return r, err == nil && json.Unmarshal(b, &r) == nil && len(r.Runs) > 0
}

// digest returns what a cell's result depends on: the program, the seeds and all
// settings but those of cells and figures.
func (c *cellConfig) digest(program string) string {
	h := sha256.New()
	line(h, "program", program)
	for _, k := range schema() {
		if k.Name != "experiment.cells" && !strings.HasPrefix(k.Name, "experiment.figure.") {
			line(h, k.Name, valueText(c.value(k.Name).Interface()))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// programHash returns the hash of this program, another of which might play a cell
// differently.
func programHash() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A manifest is what is needed to get the same results again.
type manifest struct {
	Command    []string       `json:"command"`
	File       string         `json:"configuration"`
	FirstSeed  uint64         `json:"first_seed"`
	Seeds      uint64         `json:"seeds"`
	Version    versionDoc     `json:"version"`
	Machine    string         `json:"machine"`
	Processors int            `json:"processors"`
	Begin      time.Time      `json:"begin"`
	Seconds    float64        `json:"seconds"` // since Begin; 0 until the experiment is finished
	Cells      []manifestCell `json:"cells"`
}

type manifestCell struct {
	Cell     string            `json:"cell"`
	Hash     string            `json:"hash"`    // of all that its result depends on; its file in cells/
	Seconds  float64           `json:"seconds"` // that it took when it was played; 0 until it is
	Settings map[string]string `json:"settings"`
}

func newManifest(c *Config, cells []cellRun, begin time.Time) *manifest {
	m := &manifest{
		Command: os.Args, File: c.File, FirstSeed: c.Experiment.FirstSeed, Seeds: c.Experiment.Seeds,
		Version: readVersion(), Machine: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(), Begin: begin.UTC(),
	}
	for i := range cells {
		r := &cells[i]
		settings := r.Values()
		delete(settings, "experiment.cells") // all of them, in every one of them
		m.Cells = append(m.Cells, manifestCell{Cell: r.Name, Hash: r.hash, Settings: settings})
	}
	return m
}

// end writes down how long it all took.
func (m *manifest) end(cells []cellRun) {
	m.Seconds = time.Since(m.Begin).Seconds()
	for i := range cells {
		m.Cells[i].Seconds = cells[i].result.Seconds
	}
}

// write writes all files of a finished experiment; fig is nil for none.
func (f resultFolder) write(m *manifest, doc *experimentDocument, cells []cellRun, fig *figure.Figure) error {
	var rows []experiment.Row
	for i := range cells {
		rows = append(rows, experiment.Rows(cells[i].Name, cells[i].result.Runs)...)
	}
	err := writeFile(f.path("rows.jsonl"), func(w io.Writer) error { return experiment.WriteJSONL(w, rows) })
	if err != nil {
		return err
	}
	err = writeFile(f.path("rows.parquet"), func(w io.Writer) error { return experiment.WriteParquet(w, rows) })
	if err != nil {
		return err
	}
	if fig != nil {
		err = writeFile(f.path("figure.svg"), func(svg io.Writer) error {
			return writeFile(f.path("figure.png"), func(png io.Writer) error { return fig.Write(svg, png) })
		})
		if err != nil {
			return err
		}
	}
	if err := writeJSONFile(f.path("summary.json"), doc); err != nil {
		return err
	}
	return writeJSONFile(f.path("manifest.json"), m)
}

func writeJSONFile(name string, doc any) error {
	return writeFile(name, func(w io.Writer) error { return printJSON(w, doc) })
}

// writeFile writes a file whole or not at all.
func writeFile(name string, write func(w io.Writer) error) error {
	f, err := renameio.NewPendingFile(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // does nothing after success
	if err := write(f); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
