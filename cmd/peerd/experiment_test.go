package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestTheSameSeedsAreTheSameCurves: two runs write the same bytes, other seeds do
// not, and the summary adds up.
func TestTheSameSeedsAreTheSameCurves(t *testing.T) {
	run := func(more ...string) (experimentDocument, []byte) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		args := append([]string{
			"experiment", "run", "../../configs/rows.yaml", "--json", "-o", out,
			"--set", "rounds.count=500", "--set", "experiment.seeds=3", "--set", "experiment.faults.loss=0.2",
		}, more...)
		c, stdout, stderr := peerd(t, args...)
		if c != exitOK {
			t.Fatalf("code %d: %s", c, stderr)
		}
		var d experimentDocument
		if err := json.Unmarshal([]byte(stdout), &d); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"manifest.json", "summary.json"} {
			if b, err := os.ReadFile(filepath.Join(out, name)); err != nil || !json.Valid(b) {
				t.Errorf("%s: %v", name, err)
			}
		}
		curves, err := os.ReadFile(filepath.Join(out, "curves.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return d, curves
	}
	d, a := run()
	_, b := run()
	_, c := run("--set", "experiment.first_seed=2")
	if !bytes.Equal(a, b) {
		t.Error("the same seeds gave other curves")
	}
	if bytes.Equal(a, c) {
		t.Error("other seeds gave the same curves")
	}
	if lines := bytes.Count(a, []byte("\n")); lines != 1+3*100 {
		t.Errorf("%d lines of curves, want a header and 100 a seed", lines)
	}
	if d.Private || d.Seeds != 3 || d.Peers != 5 || d.Rounds != 500 || d.Epsilon != 1 || d.Bytes <= 0 ||
		d.Lost < .15 || d.Lost > .25 || !(d.Regret.Low < d.Regret.Mean && d.Regret.Mean < d.Regret.High) {
		t.Errorf("%+v", d)
	}
}
