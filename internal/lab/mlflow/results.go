package mlflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/stats"
)

// results are what a folder of results holds.
type results struct {
	title    string
	manifest experiment.Manifest
	summary  experiment.Document
	runs     [][]stats.Run // by cell
}

func open(dir string) (*results, error) {
	r := new(results)
	for name, doc := range map[string]any{"manifest.json": &r.manifest, "summary.json": &r.summary} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = json.Unmarshal(b, doc)
		}
		if err != nil {
			return nil, config.Failf(config.ErrUsage, "%s is no folder of results: %w; name the folder that peerd experiment run wrote", dir, err)
		}
	}
	c, err := plan.Schema().Load(filepath.Join(dir, "config.yaml"), nil)
	if err != nil {
		return nil, err
	}
	r.title = plan.ExperimentOf(&c.Settings).Figure.Title
	for _, c := range r.manifest.Cells {
		b, err := os.ReadFile(filepath.Join(dir, "cells", c.Hash+".jsonl"))
		if err != nil {
			return nil, err
		}
		seeds := make([]stats.Run, r.manifest.Seeds)
		for l := range bytes.Lines(b) {
			var kept struct{ Run stats.Run }
			if err := json.Unmarshal(l, &kept); err != nil {
				return nil, fmt.Errorf("%s: cell %q: %w", dir, c.Cell, err)
			}
			if k := kept.Run.Seed - r.manifest.FirstSeed; k < r.manifest.Seeds {
				seeds[k] = kept.Run
			}
		}
		r.runs = append(r.runs, seeds)
	}
	return r, nil
}
