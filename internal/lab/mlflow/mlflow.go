// Package mlflow writes the results of experiments as a folder that MLflow reads as its file store.
package mlflow

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/stats"
)

// Exported is what an export wrote.
type Exported struct {
	Out        string `json:"out"`
	Experiment string `json:"experiment"` // its name in MLflow
	ID         string `json:"experiment_id"`
	Runs       int    `json:"runs"`
	Kept       int    `json:"kept"` // runs that were there already
}

// Export adds a folder of results to the file store in a folder: a run for the experiment, with its files as artifacts,
// and below it a run for every cell with the means over seeds. A run that the store has is left as it is.
func Export(dir, out string) (*Exported, error) {
	r, err := experiment.Read(dir)
	if err != nil {
		return nil, err
	}
	m, doc := &r.Manifest, r.Report()
	title := plan.ExperimentOf(&r.Config.Settings).Figure.Title
	e := &Exported{Out: out, Experiment: title}
	if e.ID, err = store(out).experiment(title, m.Begin); err != nil {
		return nil, err
	}
	add := func(parent string, x *run) error {
		x.begin, x.end = m.Begin, m.Begin.Add(time.Duration(m.Seconds*float64(time.Second)))
		tags := map[string]string{
			"mlflow.user": "peerd", "mlflow.source.type": "LOCAL", "mlflow.source.name": strings.Join(m.Command, " "),
			"mlflow.note.content": strings.Join(doc.NotPrivate, " "), "peerd.version": m.Version.Version,
		}
		if m.Version.Revision != "" {
			tags["mlflow.source.git.commit"] = m.Version.Revision
		}
		if parent != "" {
			tags["mlflow.parentRunId"] = parent
		}
		x.tags = tags
		added, err := store(out).add(e.ID, x)
		if added {
			e.Runs++
		} else {
			e.Kept++
		}
		return err
	}
	whole := &run{name: title, params: map[string]string{"experiment.first_seed": fmt.Sprint(m.FirstSeed), "experiment.seeds": fmt.Sprint(m.Seeds)}}
	words := []string{whole.params["experiment.first_seed"], whole.params["experiment.seeds"]}
	for i := range m.Cells {
		words = append(words, m.Cells[i].Cell, m.Cells[i].Hash)
	}
	whole.id = idOf(words...)
	for _, name := range []string{"config.yaml", "manifest.json", "summary.json", "rows.parquet", "figure.svg", "figure.png"} {
		whole.artifacts = append(whole.artifacts, filepath.Join(dir, name))
	}
	if err := add("", whole); err != nil {
		return nil, err
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		cell := &run{id: idOf(whole.id, c.Name), name: c.Name, params: c.Settings, metrics: means(c, &doc.Cells[i])}
		if err := add(whole.id, cell); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// means returns the metrics of a cell: means over seeds with the ends of their intervals, and numbers of its summary.
func means(c *experiment.CellResult, d *experiment.CellDocument) map[string][]point {
	all := make(map[string][]point)
	rounds, regret := stats.Curve(c.Runs)
	for k, round := range rounds {
		add := func(name string, x float64) { all[name] = append(all[name], point{round, x}) }
		add("regret", regret[k].Mean)
		if len(c.Runs) > 1 {
			add("regret_low", regret[k].Low)
			add("regret_high", regret[k].High)
		}
	}
	last := rounds[len(rounds)-1]
	final := map[string]float64{
		"messages_a_peer_and_round": d.Messages, "bytes_a_peer_and_round": d.Bytes, "lost_share": d.Lost, "spectral_gap": d.Gap,
	}
	if d.Own != nil {
		final["own_regret"] = d.Own.Mean
	}
	if d.Epsilon >= 0 { // else infinite
		final["epsilon_spent"] = d.Epsilon
	}
	for name, x := range final {
		all[name] = []point{{last, x}}
	}
	return all
}
