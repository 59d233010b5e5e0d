package experiment

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/stats"
)

// Results are the finished runs of a folder of results.
type Results struct {
	Config   *config.Config
	Manifest Manifest
	Cells    []CellResult
}

// A CellResult has the finished runs of a cell, by seed.
type CellResult struct {
	plan.CellConfig
	Runs    []stats.Run
	Seconds float64
}

// Read reads the finished runs of a folder of results, whatever program played them.
func Read(dir string) (*Results, error) {
	r := new(Results)
	b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return nil, err
	}
	if err = json.Unmarshal(b, &r.Manifest); err != nil {
		return nil, err
	}
	if r.Config, err = plan.Schema().Load(filepath.Join(dir, "config.yaml"), nil); err != nil {
		return nil, err
	}
	cells, err := plan.Cells(r.Config)
	if err != nil {
		return nil, err
	}
	for i, c := range cells {
		x := CellResult{CellConfig: c}
		f, err := os.Open(filepath.Join(dir, "cells", r.Manifest.Cells[i].Hash+".jsonl"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bufio.NewReader(f))
		for d.More() {
			var k keptRun
			if err := d.Decode(&k); err != nil {
				return nil, err
			}
			x.Runs, x.Seconds = append(x.Runs, k.Run), x.Seconds+k.Seconds
		}
		_ = f.Close()
		r.Cells = append(r.Cells, x)
	}
	return r, nil
}
