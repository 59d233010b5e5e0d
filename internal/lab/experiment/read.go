package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/version"
	"peerd.dev/node/lab/stats"
)

// Results are the runs of a finished experiment, as its folder has them, whatever program played them.
type Results struct {
	Out      string
	Config   *config.Config
	Manifest Manifest
	Runs     [][]stats.Run // by cell and seed
	cells    []cellRun
}

// Read reads a folder of results, with values of --set, which may change how results are drawn and nothing that was played.
func Read(dir string, set ...string) (*Results, error) {
	f := resultFolder(dir)
	r := &Results{Out: dir}
	b, err := os.ReadFile(f.path("manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, config.Failf(config.ErrUsage, "%s has no manifest.json: it is no folder of results, or its experiment is not finished; the command that began it goes on", dir)
	}
	if err == nil {
		err = json.Unmarshal(b, &r.Manifest)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path("manifest.json"), err)
	}
	if r.Config, err = plan.Schema().Load(f.path("config.yaml"), set); err != nil {
		return nil, err
	}
	if r.cells, err = prepare(r.Config, r.Manifest.Program, r.Manifest.Engine); err != nil {
		return nil, err
	}
	for i := range r.cells {
		cell := &r.cells[i]
		if err := r.fill(f, cell); err != nil {
			return nil, fmt.Errorf("%s: cell %q: %w", dir, cell.Name, err)
		}
		r.Runs = append(r.Runs, cell.runs)
	}
	return r, nil
}

// fill reads the runs of a cell.
func (r *Results) fill(f resultFolder, cell *cellRun) error {
	i := slices.IndexFunc(r.Manifest.Cells, func(m ManifestCell) bool { return m.Cell == cell.Name })
	if i < 0 {
		return errors.New("manifest.json does not have it: what was played stays, and --set is for experiment.figure and experiment.cost")
	}
	was := r.Manifest.Cells[i]
	for key, value := range cell.Values() {
		drawn := key == "experiment.cells" || strings.HasPrefix(key, "experiment.figure.") || strings.HasPrefix(key, "experiment.cost.")
		if before, ok := was.Settings[key]; ok && before != value && !drawn {
			return config.Failf(config.ErrUsage, "%s was %s when it was played, and is %s now: what was played stays, and --set is for experiment.figure and experiment.cost", key, before, value)
		}
	}
	cell.hash = was.Hash
	kept, _, _, err := readKept(f.cell(cell.hash), cell.hash)
	if err != nil {
		return err
	}
	for k := range cell.runs {
		run, ok := kept[cell.seed(k)]
		if !ok {
			return fmt.Errorf("the run of seed %d is not in %s: play the experiment again with the same -o", cell.seed(k), f.cell(cell.hash))
		}
		cell.finish(k, run)
	}
	return nil
}

// A Report is the table of results that were read.
type Report struct {
	*Document
	Played version.Info `json:"played_by"`
	Drawn  version.Info `json:"drawn_by"`
}

// Report returns the table.
func (r *Results) Report() *Report {
	doc := sumUp(r.Config, r.cells)
	doc.Seconds, doc.Out = r.Manifest.Seconds, r.Out
	return &Report{doc, r.Manifest.Version, version.Read()}
}

// Draw draws the figure of the results again, in another folder, which it makes, or in the one they are in.
func (r *Results) Draw(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return resultFolder(dir).draw(figureOf(r.Config, r.cells))
}

// Write prints the table, and which programs played the runs and read them.
func (r *Report) Write(w io.Writer) {
	r.Document.Write(w)
	_, _ = fmt.Fprintf(w, "played by %s\ndrawn by  %s\n", built(r.Played), built(r.Drawn))
}

// built names a version and its commit.
func built(v version.Info) string {
	text := v.Version
	if v.Revision != "" {
		text += ", commit " + v.Revision
	}
	if v.Modified {
		text += " with changes"
	}
	return text
}
