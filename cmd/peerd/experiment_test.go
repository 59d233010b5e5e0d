package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/parquet-go/parquet-go"

	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/stats"
)

// played is what an experiment wrote.
type played struct {
	experiment.Document
	dir    string
	stderr string
}

func (o *played) file(t *testing.T, name string) []byte {
	t.Helper()
	return require.Value(os.ReadFile(filepath.Join(o.dir, name)))(t)
}

// play runs an experiment of rows.yaml with two cells.
func play(t *testing.T, dir string, more ...string) *played {
	t.Helper()
	return playFile(t, dir, "../../configs/rows.yaml", append([]string{
		"rounds.count=400", "experiment.seeds=3", "experiment.faults.loss=0.2",
		"experiment.cells=[{name: together}, {name: alone, set: {experiment.alone: true}}]",
	}, more...)...)
}

func playFile(t *testing.T, dir, file string, set ...string) *played {
	t.Helper()
	args := []string{"experiment", "run", file, "--json", "-o", dir}
	for _, s := range set {
		args = append(args, "--set", s)
	}
	c, stdout, stderr := peerd(t, args...)
	if c != exitOK {
		t.Fatalf("code %d: %s%s", c, stdout, stderr)
	}
	r := &played{dir: dir, stderr: stderr}
	require.NoError(t, json.Unmarshal([]byte(stdout), &r.Document))
	return r
}

var sameBytes = []string{"rows.jsonl", "rows.parquet", "figure.svg", "figure.png"}

// TestTheSameSeedsAreTheSameBytes: two runs write the same files, other seeds write others, and
// the files agree with the summary.
func TestTheSameSeedsAreTheSameBytes(t *testing.T) {
	a, b := play(t, t.TempDir()), play(t, t.TempDir())
	c := play(t, t.TempDir(), "experiment.first_seed=2")
	for _, name := range sameBytes {
		if !bytes.Equal(a.file(t, name), b.file(t, name)) {
			t.Errorf("%s: the same seeds gave other bytes", name)
		}
		if bytes.Equal(a.file(t, name), c.file(t, name)) {
			t.Errorf("%s: other seeds gave the same bytes", name)
		}
	}
	rows := require.Value(parquet.ReadFile[stats.Row](filepath.Join(a.dir, "rows.parquet")))(t)
	if len(rows) != 2*3*100 {
		t.Errorf("%d rows, want 100 a cell and seed", len(rows))
	}
	var lines []stats.Row
	for d := json.NewDecoder(bytes.NewReader(a.file(t, "rows.jsonl"))); d.More(); {
		var row stats.Row
		require.NoError(t, d.Decode(&row))
		lines = append(lines, row)
	}
	if !reflect.DeepEqual(lines, rows) {
		t.Error("rows.parquet and rows.jsonl differ")
	}
	sum := 0.0
	for _, r := range rows {
		if r.Cell == "together" && r.Round == 400 {
			sum += r.Regret / 3
		}
	}
	if got := a.Cells[0].Regret.Mean; got < sum-1e-9 || got > sum+1e-9 {
		t.Errorf("mean regret %v, the rows say %v", got, sum)
	}
	together, alone := a.Cells[0], a.Cells[1]
	if together.Private || a.Seeds != 3 || together.Peers != 5 || together.Rounds != 400 || together.Epsilon != 1 ||
		together.Bytes <= 0 || together.Lost < .15 || together.Lost > .25 ||
		!(together.Regret.Low < together.Regret.Mean && together.Regret.Mean < together.Regret.High) {
		t.Errorf("%+v", together)
	}
	if alone.Messages != 0 || alone.Gap != 0 || alone.Ratio.Mean != alone.Regret.Mean/together.Regret.Mean {
		t.Errorf("%+v", alone)
	}
	var m experiment.Manifest
	require.NoError(t, json.Unmarshal(a.file(t, "manifest.json"), &m))
	if len(m.Cells) != 2 || m.Cells[1].Settings["experiment.alone"] != "true" || m.Cells[0].Settings["experiment.alone"] != "false" ||
		m.Seconds <= 0 || m.Seeds != 3 || m.Version.Go == "" || m.Program == "" || m.Command[0] != "peerd" {
		t.Errorf("%+v", m)
	}
}

// TestTheResolvedConfigurationPlaysTheSameAgain: whatever was on the command line.
func TestTheResolvedConfigurationPlaysTheSameAgain(t *testing.T) {
	a := play(t, t.TempDir())
	again := playFile(t, t.TempDir(), filepath.Join(a.dir, "config.yaml"))
	for _, name := range append(sameBytes, "config.yaml") {
		if !bytes.Equal(a.file(t, name), again.file(t, name)) {
			t.Errorf("%s differs", name)
		}
	}
}

// cellFiles returns the names of the files in which an experiment of play keeps its runs, and the
// lines of the first.
func cellFiles(t *testing.T, dir string) (names []string, lines [][]byte) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "cells", "*.jsonl"))
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	b := require.Value(os.ReadFile(names[0]))(t)
	return names, slices.Collect(bytes.Lines(b))
}

// TestFinishedRunsAreNotPlayedAgain: only runs with the same settings are reused, and the result
// is the same as if all had been played.
func TestFinishedRunsAreNotPlayedAgain(t *testing.T) {
	dir := t.TempDir()
	a := play(t, dir)
	had := make(map[string][]byte)
	for _, name := range sameBytes {
		had[name] = a.file(t, name)
	}
	names, lines := cellFiles(t, dir)
	// As after a kill in the first cell while its last run was written.
	require.NoError(t, os.WriteFile(names[0], bytes.Join([][]byte{lines[0], lines[1], lines[2][:20]}, nil), 0o600))
	again := play(t, dir)
	if !strings.Contains(again.stderr, "5 of 6 runs are finished") {
		t.Errorf("stderr says %q", again.stderr)
	}
	for _, name := range sameBytes {
		if !bytes.Equal(had[name], again.file(t, name)) {
			t.Errorf("%s changed", name)
		}
	}
	if _, whole := cellFiles(t, dir); !bytes.Equal(bytes.Join(whole[:2], nil), bytes.Join(lines[:2], nil)) || len(whole) != 3 {
		t.Errorf("the file holds %d runs", len(whole))
	}
	if more := play(t, dir, "experiment.seeds=5"); !strings.Contains(more.stderr, "6 of 10 runs are finished") {
		t.Errorf("with more seeds stderr says %q", more.stderr)
	} else if fresh := play(t, t.TempDir(), "experiment.seeds=5"); !bytes.Equal(more.file(t, "rows.jsonl"), fresh.file(t, "rows.jsonl")) {
		t.Error("rows depend on how many seeds were played before")
	}
	if other := play(t, dir, "privacy.epsilon=2", "experiment.figure.kind=none"); other.stderr != "" || other.Cells[0].Epsilon != 2 {
		t.Errorf("runs of other settings were taken over: %q %+v", other.stderr, other.Cells[0])
	}
	if _, err := os.Stat(filepath.Join(dir, "figure.svg")); err == nil {
		t.Error("the figure of an earlier experiment stands beside the rows of another")
	}
}

// TestDamagedRunsArePlayedAgain: a line that differs from what was written for its cell is
// reported and not used.
func TestDamagedRunsArePlayedAgain(t *testing.T) {
	dir := t.TempDir()
	rows := play(t, dir).file(t, "rows.jsonl")
	names, lines := cellFiles(t, dir)
	other := require.Value(os.ReadFile(names[1]))(t)
	edit := func(f func(r *stats.Run)) []byte {
		var k struct {
			Seconds float64   `json:"seconds"`
			Sum     string    `json:"sum"`
			Run     stats.Run `json:"run"`
		}
		require.NoError(t, json.Unmarshal(lines[1], &k))
		f(&k.Run)
		b := require.Value(json.Marshal(&k))(t)
		return append(b, '\n')
	}
	for name, b := range map[string][]byte{
		"cut": append(lines[1][:len(lines[1])/2:len(lines[1])/2], '\n'), "no object": []byte("3\n"), "no run": []byte("{}\n"), "of another cell": other,
		"a run without rows": edit(func(r *stats.Run) { r.Regret = nil }),
		"another number":     edit(func(r *stats.Run) { r.Regret[7]++ }),
		"another seed":       edit(func(r *stats.Run) { r.Seed = 9 }),
	} {
		require.NoError(t, os.WriteFile(names[0], bytes.Join([][]byte{lines[0], b, lines[2]}, nil), 0o600))
		again := play(t, dir)
		if !strings.Contains(again.stderr, "5 of 6 runs are finished") || !strings.Contains(again.stderr, "damaged in") {
			t.Errorf("%s: stderr says %q", name, again.stderr)
		}
		if !bytes.Equal(rows, again.file(t, "rows.jsonl")) {
			t.Errorf("%s: rows changed", name)
		}
	}
}

// TestOnlyFoldersOfExperimentsAreWrittenTo: and only by one experiment at a time.
func TestOnlyFoldersOfExperimentsAreWrittenTo(t *testing.T) {
	try := func(dir string) (code, string) {
		c, _, stderr := peerd(t, "experiment", "run", "../../configs/rows.yaml", "--set", "rounds.count=100", "--set", "experiment.seeds=1", "-o", dir)
		return c, stderr
	}
	dir := t.TempDir()
	mine := filepath.Join(dir, "manifest.json")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "cells"), 0o700))
	if c, stderr := try(dir); c != exitUsage || !strings.Contains(stderr, "another folder with -o") {
		t.Errorf("a folder of something else: code %d, %s", c, stderr)
	}
	if b, err := os.ReadFile(mine); err != nil || string(b) != "mine" {
		t.Errorf("the file of something else holds %q, %v", b, err)
	}
	dir = filepath.Join(t.TempDir(), "a folder", "für α")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "cells"), 0o755))
	other := flock.New(filepath.Join(dir, "cells", "lock"))
	if ok, err := other.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if c, stderr := try(dir); c != exitUnexpected || !strings.Contains(stderr, "in use by another experiment") {
		t.Errorf("a folder in use: code %d, %s", c, stderr)
	}
	_ = other.Unlock()
	if c, stderr := try(dir); c != exitOK {
		t.Errorf("a folder that is free again: code %d, %s", c, stderr)
	}
}

// TestResultsDoNotHangOnTheFigure: the results are written and shown even if there is nothing to
// draw.
func TestResultsDoNotHangOnTheFigure(t *testing.T) {
	dir := t.TempDir()
	c, stdout, stderr := peerd(t, "experiment", "run", "../../configs/rows.yaml", "-o", dir, "--set", "rounds.count=100", "--set", "experiment.seeds=2",
		"--set", "experiment.figure.log=y", "--set", "arms=[a, b]", "--set", "world.bernoulli.means=[[1, 1]]")
	if c != exitUnexpected || !strings.Contains(stderr, "nothing to draw") || !strings.Contains(stdout, "results  "+dir) {
		t.Errorf("code %d, %s, %s", c, stdout, stderr)
	}
	for _, name := range []string{"rows.jsonl", "rows.parquet", "summary.json", "manifest.json", "config.yaml"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestWorldsAreMadeBeforeAnythingRuns: also the last cell's worlds.
func TestWorldsAreMadeBeforeAnythingRuns(t *testing.T) {
	t.Setenv("PEERD_DATA", t.TempDir())
	out := filepath.Join(t.TempDir(), "out")
	c, _, stderr := peerd(t, "experiment", "run", "../../configs/figures/fig2c.yaml", "-o", out,
		"--set", "experiment.cells=[{name: first, set: {world.kind: bernoulli, world.bernoulli.draw: sites}}, {name: last}]")
	if c != exitData || !strings.Contains(stderr, `cell "last"`) {
		t.Errorf("code %d: %s", c, stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was begun")
	}
}

// TestBadCellsAreRefusedBeforeAnythingRuns: the error names every field and its cell.
func TestBadCellsAreRefusedBeforeAnythingRuns(t *testing.T) {
	for cells, wants := range map[string][]string{
		"[{set: {privacy.epsilon: [1, -2, 20]}}]": {
			`cell "ε = -2" of configuration ../../configs/rows.yaml refused`, "privacy.epsilon: -2: want a number over 0",
			`cell "ε = 20"`, "privacy.epsilon: 20: want at most 10 with privacy.accept_weak: false; a larger one protects almost no one (set by the cell)",
		},
		"[{set: {testnet.nodes: [5, 4]}}]": {`cell "nodes = 4"`, "world.bernoulli.means: ", "want at most 4 rows, one for each site, not 5"},
		"[{set: {seed: [" + strings.Repeat("1, ", 40) + "], world.bernoulli.instance: [" + strings.Repeat("1, ", 40) + "]}}]": {"want at most 1000 cells"},
		"[{name: a}, {name: a}]":                    {"experiment.cells: two cells are called \"a\""},
		"[{set: {privacy.epsilon: [1, inf]}}]":      {`cell "ε = ∞"`, "privacy.epsilon: inf: want a finite number"},
		"[{set: {testnet.topology: 'regular(3)'}}]": {`cell "regular(3)"`, "testnet.topology: regular(3)"},
		"[{set: {privacy: {epsilon: 1}}}]":          {"item 0 sets privacy, which is no setting"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		c, _, stderr := peerd(t, "experiment", "run", "../../configs/rows.yaml", "-o", out, "--set", "experiment.cells="+cells)
		if c != exitConfig {
			t.Errorf("%s: code %d, want 4: %s", cells, c, stderr)
		}
		for _, want := range wants {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: no %q in\n%s", cells, want, stderr)
			}
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: something was begun", cells)
		}
	}
}

// TestRunsTakeInstancesInTurn: the gaps between arms recur, and regret does not.
func TestRunsTakeInstancesInTurn(t *testing.T) {
	r := playFile(t, t.TempDir(), "../../configs/rows.yaml", "world.bernoulli.means=[]", "world.bernoulli.draw=sites",
		"rounds.count=1500", "experiment.seeds=5", "experiment.instances=2", "experiment.figure.kind=none")
	gaps, regrets := make(map[uint64]float64), make(map[uint64]float64)
	for l := range bytes.Lines(cellOf(t, r.dir)) {
		var kept struct{ Run stats.Run }
		require.NoError(t, json.Unmarshal(l, &kept))
		gaps[kept.Run.Seed], regrets[kept.Run.Seed] = kept.Run.Gap, kept.Run.Final()
	}
	if gaps[1] == gaps[2] || gaps[1] != gaps[3] || gaps[2] != gaps[4] || gaps[1] != gaps[5] {
		t.Errorf("gaps %v, want two in turn", gaps)
	}
	if regrets[1] == regrets[3] || regrets[3] == regrets[5] || regrets[2] == regrets[4] {
		t.Errorf("regrets %v: runs of an instance are the same", regrets)
	}
	c, _, stderr := peerd(t, "experiment", "run", "../../configs/rows.yaml", "-o", t.TempDir(), "--set", "experiment.instances=2")
	if c != exitConfig || !strings.Contains(stderr, "experiment.instances: 2, want 0 with a world that draws no means for every run") {
		t.Errorf("instances of given means: code %d, %s", c, stderr)
	}
}

// cellOf returns the file of the only cell of an experiment.
func cellOf(t *testing.T, dir string) []byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "cells", "*.jsonl"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%d cells, %v", len(names), err)
	}
	return require.Value(os.ReadFile(names[0]))(t)
}

// TestTheReportSaysHowRunsSpread: and which of them lose linearly: peers that pull at random.
func TestTheReportSaysHowRunsSpread(t *testing.T) {
	dir := t.TempDir()
	c, stdout, stderr := peerd(t, "experiment", "run", "../../configs/rows.yaml", "-o", dir, "--set", "privacy.horizon=20000", "--set", "rounds.count=2000",
		"--set", "experiment.seeds=3", "--set", "experiment.figure.kind=none", "--set", "world.bernoulli.means=[[0.9, 0.5, 0.1]]",
		"--set", "experiment.cells=[{name: learns}, {name: at random, set: {privacy.epsilon: 0.0001}}]", "--set", "world.traffic=[0.5, 1]")
	if c != exitOK {
		t.Fatalf("code %d: %s", c, stderr)
	}
	at := strings.Index(stdout, "CELL       MEDIAN")
	if at < 0 {
		t.Fatalf("no table of tails:\n%s", stdout)
	}
	linear := make(map[string]string)
	for _, l := range strings.Split(stdout[at:], "\n")[1:3] {
		name, rest, _ := strings.Cut(l, "  ")
		fields := strings.Fields(rest)
		linear[name] = fields[len(fields)-2]
	}
	if linear["learns"] != "0" || linear["at random"] != "3" {
		t.Errorf("runs that lose linearly: %v, want 0 and 3\n%s", linear, stdout)
	}
	var doc experiment.Document
	b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err == nil {
		err = json.Unmarshal(b, &doc)
	}
	if err != nil || doc.Cells[1].Tails.Linear != 3 || doc.Cells[1].Bound != nil || doc.Cells[0].Tails.Worst < doc.Cells[0].Tails.Median {
		t.Errorf("summary: %v, %+v", err, doc.Cells)
	}
}

// TestOddSitesAreJudgedByThemselves: where sites choose for their own users, tails are of own regrets, alone too, and an odd
// site is apart from the others, in the document and in the table.
func TestOddSitesAreJudgedByThemselves(t *testing.T) {
	dir := t.TempDir()
	c, stdout, stderr := peerd(t, "experiment", "run", "../../configs/personalized.yaml", "-o", dir, "--set", "privacy.horizon=500", "--set", "testnet.nodes=4",
		"--set", "experiment.seeds=3", "--set", "world.bernoulli.draw=given", "--set", "world.bernoulli.means=[[0.6, 0.5, 0.4, 0.3, 0.2]]",
		"--set", "world.bernoulli.odd=[[2, 4, 0.8]]", "--set", "experiment.cells=[{name: alone, set: {learner.name: imed, experiment.alone: true}}, {name: together}, {name: common, set: {learner.name: imed}}]")
	if c != exitOK {
		t.Fatalf("code %d: %s", c, stderr)
	}
	var doc experiment.Document
	b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err == nil {
		err = json.Unmarshal(b, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, cell := range doc.Cells {
		if cell.TailsOfOwn != (i < 2) || cell.TailsOfOwn && cell.Tails.Worst != cell.Owns[0].Worst {
			t.Errorf("%s: tails %+v, of own %v", cell.Cell, cell.Tails, cell.TailsOfOwn)
		}
		if len(cell.Owns) != 3 {
			t.Fatalf("%s: %+v", cell.Cell, cell.Owns)
		}
		all, odd, ordinary := cell.Owns[0], cell.Owns[1], cell.Owns[2]
		if all.Sites != "all" || odd.Sites != "odd" || ordinary.Sites != "ordinary" || all.Number != 12 || odd.Number != 3 || ordinary.Number != 9 {
			t.Errorf("%s: %+v", cell.Cell, cell.Owns)
		}
		if math.Abs(all.Mean.Mean-(odd.Mean.Mean+3*ordinary.Mean.Mean)/4) > 1e-9 || math.Abs(all.Mean.Mean-cell.Own.Mean) > 1e-9 || all.Worst != max(odd.Worst, ordinary.Worst) {
			t.Errorf("%s: all %+v, odd %+v, ordinary %+v", cell.Cell, all, odd, ordinary)
		}
		for k, x := range cell.Owns {
			alone := doc.Cells[0].Owns[k]
			if a := x.ToAlone; (a == nil) != (i == 0) || a != nil && (math.Abs(a.Mean.Mean-x.Mean.Mean/alone.Mean.Mean) > 1e-9 || math.Abs(*a.Worst-x.Worst/alone.Worst) > 1e-9 || a.Linear != alone.Linear) {
				t.Errorf("%s: %+v beside %+v alone", cell.Cell, x, alone)
			}
		}
	}
	table := stdout[strings.Index(stdout, "LOSE LINEARLY"):]
	for _, want := range []string{"alone     odd ", "alone     ordinary ", "together  odd ", "together  ordinary ", "common    odd "} {
		if !strings.Contains(table, "\n"+want) {
			t.Errorf("no row %q in\n%s", want, stdout)
		}
	}
}
