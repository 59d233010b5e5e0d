package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/lab/catalog"
)

func TestExperimentList(t *testing.T) {
	got, stdout, _ := peerd(t, "experiment", "list", "--json")
	var l catalog.List
	if err := json.Unmarshal([]byte(stdout), &l); err != nil || got != exitOK || len(l.Figures) != len(catalog.Figures()) || l.Seconds <= 0 {
		t.Errorf("code %d, %v: %d figures, %v s", got, err, len(l.Figures), l.Seconds)
	}
	got, stdout, _ = peerd(t, "experiment", "list")
	if got != exitOK || !strings.Contains(stdout, "\nbaselines ") || !strings.Contains(stdout, "PEERD_DATA/diabetes") {
		t.Errorf("code %d:\n%s", got, stdout)
	}
}

// TestExperimentsByName plays a figure by its name and draws it again.
func TestExperimentsByName(t *testing.T) {
	t.Chdir(t.TempDir())
	short := []string{"--set", "privacy.horizon=200", "--set", "experiment.cells=[{name: noise}, {name: no noise, set: {privacy.epsilon: inf, privacy.mechanism: none}}]"}
	run := func(args ...string) (stdout, stderr string) {
		t.Helper()
		got, stdout, stderr := peerd(t, append([]string{"experiment"}, args...)...)
		if got != exitOK {
			t.Fatalf("%q: code %d\n%s%s", args, got, stdout, stderr)
		}
		return stdout, stderr
	}
	run(append([]string{"run", "counts", "--quick"}, short...)...)
	dir := filepath.Join("runs", "quick", "counts")
	r := &played{dir: dir}
	svg := r.file(t, "figure.svg")
	if !bytes.Contains(svg, []byte("Mean over 10 seeds")) {
		t.Errorf("the quick form has other seeds:\n%s", svg)
	}

	stdout, _ := run("report", dir)
	if !strings.Contains(stdout, "no noise") || !strings.Contains(stdout, "\nplayed by ") || !bytes.Equal(svg, r.file(t, "figure.svg")) {
		t.Errorf("the report is another:\n%s", stdout)
	}
	talk := &played{dir: filepath.Join("a", "talk")}
	run("report", dir, "-o", talk.dir, "--set", "experiment.figure.log=none")
	if !bytes.Equal(svg, r.file(t, "figure.svg")) || bytes.Equal(svg, talk.file(t, "figure.svg")) {
		t.Error("--set draws the same figure, or not in the folder of -o")
	}
	for set, want := range map[string]string{"privacy.epsilon=3": "privacy.epsilon was 1 when it was played", "experiment.first_seed=9": "experiment.first_seed was 1 when", "experiment.cells=[]": "manifest.json does not have it"} {
		if got, _, stderr := peerd(t, "experiment", "report", dir, "--set", set); got == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("--set %s: code %d\n%s", set, got, stderr)
		}
	}

	run(append([]string{"run", "counts", "learners", "-o", "both", "--quick", "--set", "privacy.epsilon=3"}, short...)...)
	if got, _, stderr := peerd(t, "experiment", "report", "runs"); got == exitOK || !strings.Contains(stderr, "has no manifest.json") {
		t.Errorf("a folder without results: code %d\n%s", got, stderr)
	}
	if _, err := os.Stat(filepath.Join("both", "learners", "figure.png")); err != nil {
		t.Error(err)
	}
}

func TestExperimentNamesAreRefused(t *testing.T) {
	t.Setenv("PEERD_DATA", "")
	for want, args := range map[string][]string{
		"no figure is called baseline (nearest: baselines)": {"baseline"},
		"`peerd experiment list` lists them":                {"zebra", "--quick"},
		"is a file, and --quick is of figures by NAME":      {"../../configs/rows.yaml", "--quick"},
		"--quick is of figures: name one":                   {"--quick", "-c", "../../configs/rows.yaml"},
		"counts is named twice":                             {"counts", "counts"},
		"two configurations":                                {"counts", "-c", "../../configs/rows.yaml"},
		"PEERD_DATA is not set":                             {"fig2c", "-o", filepath.Join(t.TempDir(), "x")},
	} {
		if got, _, stderr := peerd(t, append([]string{"experiment", "run"}, args...)...); got == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%q: code %d, want %q\n%s", args, got, want, stderr)
		}
	}
	parts, err := catalog.Choose([]string{"all"}, true, nil)
	if err != nil || len(parts) != len(catalog.Figures()) {
		t.Fatal(len(parts), err)
	}
	for _, p := range parts {
		if f, _ := catalog.Find(p.Name); (f.Needs != "") != (p.Skipped != "") || (p.Config == nil) != (p.Skipped != "") {
			t.Errorf("%s: skipped: %q", p.Name, p.Skipped)
		}
	}
}

// TestAnInterruptedBatchGoesOn: what one of several experiments has finished is kept, and nothing after it begins.
func TestAnInterruptedBatchGoesOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	parts, err := catalog.Choose([]string{"counts", "learners"}, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	var played []string
	batch, err := catalog.PlayEach(ctx, io.Discard, "runs", parts, func(p *catalog.Part, _ *catalog.BatchPart) error {
		played = append(played, p.Name)
		cancel()
		return ctx.Err()
	})
	if batch != nil || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted in counts; finished runs are kept, and the same command with -o runs goes on") || len(played) != 1 {
		t.Errorf("%v: %q", err, played)
	}
}
