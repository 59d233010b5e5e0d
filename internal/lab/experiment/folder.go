package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal"
	"peerd.dev/internal/terminal/output"
	"peerd.dev/internal/version"
	"peerd.dev/node/lab/figure"
	"peerd.dev/node/lab/stats"
)

// A resultFolder is where an experiment keeps its results.
type resultFolder string

func (f resultFolder) path(name string) string { return filepath.Join(string(f), name) }

// cell returns the file of a cell's finished runs.
func (f resultFolder) cell(hash string) string {
	return f.path(filepath.Join("cells", hash+".jsonl"))
}

// lock returns the file that identifies a folder of results and keeps other experiments out.
func (f resultFolder) lock() string { return f.path(filepath.Join("cells", "lock")) }

// open makes the folder, unless it exists, and keeps other experiments out until unlock. A folder
// with files that are not an experiment's is not changed.
// Where the file system has no locks, as some of NFS, it is said on w: lines of two experiments at once are whole or found
// to be damaged.
func (f resultFolder) open(w io.Writer) (unlock func(), err error) {
	if f.strange() {
		return nil, config.Failf(config.ErrUsage, "%s holds files that are of no experiment: name another folder with -o", f)
	}
	l := flock.New(f.lock())
	ok := false
	if err = os.MkdirAll(f.path("cells"), 0o755); err == nil {
		ok, err = l.TryLock()
	}
	if slices.ContainsFunc([]error{syscall.ENOLCK, syscall.ENOSYS, errors.ErrUnsupported}, func(e error) bool { return errors.Is(err, e) }) {
		_, _ = fmt.Fprintf(w, "%s: %v: no lock keeps another experiment out of %s\n", f.lock(), err, f)
		ok, err = true, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the folder of results: %w", err)
	}
	if !ok {
		return nil, config.Failf(config.ErrUnexpected, "%s is in use by another experiment: wait for it, or name another folder with -o", f)
	}
	return func() { _ = l.Unlock() }, nil // the process ends with it anyway
}

// strange reports whether the folder has content that is not an experiment's.
func (f resultFolder) strange() bool {
	inside, err := os.ReadDir(string(f))
	if err != nil || len(inside) == 0 {
		return false
	}
	info, err := os.Stat(f.lock())
	return err != nil || !info.Mode().IsRegular()
}

// digest returns the hash of everything on which a run of a cell depends, except its seed: the
// program, the engine, the data and all settings other than cells, seeds and figures.
func digest(c *plan.CellConfig, program, engine, data string) string {
	h := sha256.New()
	config.HashLine(h, "program", program)
	if engine != "" {
		config.HashLine(h, "engine", engine)
	}
	config.HashLine(h, "data", data)
	for _, k := range plan.Schema().Keys() {
		if !drawn(k.Name) {
			config.HashLine(h, k.Name, config.ValueText(c.Value(k.Name).Interface()))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// drawn reports whether no run depends on a key: it is of cells, seeds or figures.
func drawn(key string) bool {
	return slices.Contains([]string{"experiment.cells", "experiment.first_seed", "experiment.seeds"}, key) ||
		strings.HasPrefix(key, "experiment.figure.") || strings.HasPrefix(key, "experiment.cost.")
}

// madeOf returns a text that is the same for cells in which some keys have the same values.
func madeOf(c *plan.CellConfig, keys ...string) string {
	var b strings.Builder
	for _, key := range keys {
		config.HashLine(&b, key, config.ValueText(c.Value(key).Interface()))
	}
	return b.String()
}

// A Manifest has what is needed, in addition to config.yaml, to get the same results again.
type Manifest struct {
	Command    []string       `json:"command"`
	File       string         `json:"configuration"`
	FirstSeed  uint64         `json:"first_seed"`
	Seeds      uint64         `json:"seeds"`
	Version    version.Info   `json:"version"`
	Program    string         `json:"program"` // hash of the executable
	Machine    string         `json:"machine"`
	Processors int            `json:"processors"`
	Engine     string         `json:"engine,omitempty"` // that played the peers; none for the simulator
	Shard      string         `json:"shard,omitempty"`  // of a folder of one
	Begin      time.Time      `json:"begin"`
	Seconds    float64        `json:"seconds"` // since Begin
	Cells      []ManifestCell `json:"cells"`
}

// A ManifestCell is the part of a manifest that is about one cell.
type ManifestCell struct {
	Cell     string            `json:"cell"`
	Hash     string            `json:"hash"`           // of all that its runs depend on but their seeds; its file in cells/
	Data     string            `json:"data,omitempty"` // hash of the file that records were read from
	Seconds  float64           `json:"seconds"`        // of its runs, added up
	Settings map[string]string `json:"settings"`
}

func newManifest(c *config.Config, program string, cells []cellRun, begin time.Time) *Manifest {
	x := plan.ExperimentOf(&c.Settings)
	m := &Manifest{
		Command: append([]string{"peerd"}, os.Args[1:]...), File: c.File, FirstSeed: x.FirstSeed, Seeds: x.Seeds,
		Version: version.Read(), Program: program, Machine: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(),
		Begin: begin.UTC(), Seconds: time.Since(begin).Seconds(),
	}
	for i := range cells {
		r := &cells[i]
		settings := r.Values()
		delete(settings, "experiment.cells") // all of them, in every one of them
		m.Cells = append(m.Cells, ManifestCell{Cell: r.Name, Hash: r.hash, Data: r.world.Data(), Seconds: r.seconds, Settings: settings})
	}
	return m
}

// write writes all files of a finished experiment but figures. Figures and rows of an earlier one
// go.
func (f resultFolder) write(m *Manifest, doc *Document, cells []cellRun, c *config.Config) error {
	for _, name := range []string{"figure.svg", "figure.png", "rows.parquet"} {
		if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	rows := tableOf(c, cells)
	if err := writeFile(f.path("rows.jsonl"), rows.WriteJSONL); err != nil {
		return err
	}
	if stats.Parquet != nil {
		if err := writeFile(f.path("rows.parquet"), rows.WriteParquet); err != nil {
			return err
		}
	}
	if err := f.writeConfig(c, cells); err != nil {
		return err
	}
	if err := writeJSONFile(f.path("summary.json"), doc); err != nil {
		return err
	}
	return writeJSONFile(f.path("manifest.json"), m)
}

// writeConfig writes every setting, resolved, and the files of programs next to it.
func (f resultFolder) writeConfig(c *config.Config, cells []cellRun) error {
	if err := f.keepScripts(cells); err != nil {
		return err
	}
	return writeFile(f.path("config.yaml"), func(w io.Writer) error { _, err := io.WriteString(w, resolved(c)); return err })
}

// resolved returns every setting as a configuration.
func resolved(c *config.Config) string {
	s, x := c.Settings, plan.ExperimentOf(&c.Settings)
	x.Figure.Title = figureTitle(c)
	s.Sections = s.Sections.With("experiment", x)
	return s.Schema().Text("All settings of an experiment of peerd, written by it.\n", s.Values())
}

// draw writes a figure, nil for none. Without the extra that draws there is none.
func (f resultFolder) draw(fig *figure.Figure) error {
	if fig == nil || figure.Draw == nil {
		return nil
	}
	return writeFile(f.path("figure.svg"), func(svg io.Writer) error {
		return writeFile(f.path("figure.png"), func(png io.Writer) error { return figure.Draw(fig, svg, png) })
	})
}

func writeJSONFile(name string, doc any) error {
	return writeFile(name, func(w io.Writer) error { return terminal.PrintJSON(w, doc) })
}

// writeFile writes a file whole or not at all.
func writeFile(name string, write func(w io.Writer) error) error {
	return output.WriteFile(context.Background(), name, 0o644, func(f *os.File) error { return write(f) })
}
