package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// smallExperiment has two cells with three seeds each, in lockstep on three sites.
func smallExperiment(more ...string) []string {
	args := []string{"experiment", "run", "../../configs/rows.yaml"}
	for _, s := range append([]string{
		"mode=lockstep", "seed=1", "rounds.count=150", "experiment.seeds=3", "testnet.nodes=3", "world.bernoulli.means=[[.9, .3, .2], [.4, .9, .3], [.9, .2, .4]]",
		"experiment.cells=[{set: {privacy.epsilon: [1, 2]}}]",
	}, more...) {
		args = append(args, "--set", s)
	}
	return args
}

// must runs peerd and returns what it prints on both outputs.
func must(t *testing.T, want code, args ...string) string {
	t.Helper()
	c, stdout, stderr := peerd(t, args...)
	if c != want {
		t.Fatalf("%q: code %d, want %d: %s%s", args, c, want, stdout, stderr)
	}
	return stdout + stderr
}

func rowsOf(t *testing.T, dir string) []byte {
	t.Helper()
	return (&played{dir: dir}).file(t, "rows.parquet")
}

// TestShardsMergeToTheSameBytes: jobs and shards make no difference, and a shard that is not whole is named.
func TestShardsMergeToTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, exitOK, append(smallExperiment(), "-o", at("whole"))...)
	want := rowsOf(t, at("whole"))
	for _, jobs := range []string{"1", "2"} {
		must(t, exitOK, append(smallExperiment(), "-o", at(jobs), "--jobs", jobs)...)
		if !bytes.Equal(rowsOf(t, at(jobs)), want) {
			t.Errorf("with %s jobs the rows are others", jobs)
		}
	}
	for _, i := range []string{"1", "2", "3"} {
		said := must(t, exitOK, append(smallExperiment(), "-o", at("shard"+i), "--shard", i+"/3")...)
		if !strings.Contains(said, "shard "+i+"/3: 2 of its 2 runs are finished, of 6") || !strings.Contains(said, "peerd experiment merge") {
			t.Errorf("shard %s says %s", i, said)
		}
		if _, err := os.Stat(at("shard" + i + "/rows.parquet")); err == nil {
			t.Error("a shard has rows")
		}
	}
	merge := func(want code, dirs ...string) string {
		args := []string{"experiment", "merge", "-o", at("merged")}
		for _, d := range dirs {
			args = append(args, at(d))
		}
		return must(t, want, args...)
	}
	if said := merge(exitData, "shard1", "shard3"); !strings.Contains(said, `shard 2/3, of which no folder is named, lacks 2, such as cell "ε = 1" with seed 2`) {
		t.Error(said)
	}
	// As a copy that was made while the run's line was written.
	require.NoError(t, os.CopyFS(at("torn"), os.DirFS(at("shard2"))))
	names, err := filepath.Glob(at("torn/cells/*.jsonl"))
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	require.NoError(t, os.Truncate(names[0], 400))
	if said := merge(exitData, "shard1", "torn", "shard3"); !strings.Contains(said, "and not taken: 1") || !strings.Contains(said, "shard 2/3, in "+at("torn")+", lacks 1") {
		t.Error(said)
	}
	if _, err := os.Stat(at("merged")); err == nil {
		t.Error("something was begun")
	}
	merge(exitOK, "shard1", "torn", "shard2", "shard3")
	if !bytes.Equal(rowsOf(t, at("merged")), want) {
		t.Error("merged rows are others")
	}
	for _, name := range []string{"config.yaml", "figure.svg"} {
		if !bytes.Equal((&played{dir: at("merged")}).file(t, name), (&played{dir: at("whole")}).file(t, name)) {
			t.Errorf("merged, %s is another", name)
		}
	}
}

// TestForeignShardsAreRefused by what differs.
func TestForeignShardsAreRefused(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	shard := func(name, shard string, set ...string) {
		must(t, exitOK, append(smallExperiment(set...), "-o", at(name), "--shard", shard)...)
	}
	shard("one", "1/2")
	shard("two", "2/2")
	for want, set := range map[string][]string{
		"privacy.horizon of cell \"ε = 1\" is 14000, not 15000": {"privacy.horizon=14000"},
		"experiment.seeds is 2, not 3":                          {"experiment.seeds=2"},
		"its cell 2 is \"ε = 3\", not \"ε = 2\"":                {"experiment.cells=[{set: {privacy.epsilon: [1, 3]}}]"},
	} {
		shard("other", "2/2", set...)
		if said := must(t, exitConfig, "experiment", "merge", at("one"), at("other"), "-o", at("merged")); !strings.Contains(said, want) {
			t.Errorf("want %q in %s", want, said)
		}
	}
	file := at("two/shard.json")
	b := require.Value(os.ReadFile(file))(t)
	edit := func(old, text string) {
		require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(b, []byte(old), []byte(text)), 0o600))
	}
	program, _, _ := strings.Cut(string(b[bytes.Index(b, []byte(`"program": "`))+len(`"program": "`):]), `"`)
	edit(program, "feed")
	if said := must(t, exitConfig, "experiment", "merge", at("one"), at("two"), "-o", at("merged")); !strings.Contains(said, "its program is") {
		t.Error(said)
	}
	edit(`"2/2"`, `"2/3"`)
	if said := must(t, exitConfig, "experiment", "merge", at("one"), at("two"), "-o", at("merged")); !strings.Contains(said, "its number of shards is 3, not 2") {
		t.Error(said)
	}
	for _, bad := range []string{"9/8", "0/8", "1", "1/0", "a/b", "+1/2", "1/2/3"} {
		must(t, exitUsage, append(smallExperiment(), "-o", at("bad"), "--shard", bad)...)
	}
	if said := must(t, exitUsage, append(smallExperiment(), "-o", at("one"), "--shard", "2/2")...); !strings.Contains(said, "holds shard 1/2") {
		t.Error(said)
	}
	must(t, exitUsage, "experiment", "merge", dir, "-o", at("merged"))
	must(t, exitUsage, "experiment", "merge", at("one"), "-o", at("two"))
	must(t, exitUsage, "experiment", "merge", at("one"))
	must(t, exitUsage, append(smallExperiment(), "-o", at("bad"), "--jobs", "-1")...)
	must(t, exitUsage, append(smallExperiment(), "-o", at("bad"), "--engine", "hardware")...)
}

// TestProcessesGiveTheSameRows: what processes in lockstep play has the simulator's rows, and settings that they cannot
// play are refused.
func TestProcessesGiveTheSameRows(t *testing.T) {
	dir := t.TempDir()
	set := []string{"experiment.cells=[]", "experiment.seeds=2"}
	must(t, exitOK, append(smallExperiment(set...), "-o", dir+"/sim")...)
	must(t, exitOK, append(smallExperiment(set...), "-o", dir+"/processes", "--engine", "processes")...)
	if !bytes.Equal(rowsOf(t, dir+"/sim"), rowsOf(t, dir+"/processes")) {
		t.Error("the rows of processes are others")
	}
	for want, set := range map[string][]string{
		"mode: live":                  {"mode=live", "seed=0"},
		"experiment.alone: true":      {"experiment.alone=true"},
		"experiment.faults.loss: 0.1": {"experiment.faults.loss=.1"},
		"experiment.liars.count: 1":   {"experiment.liars.count=1"},
		"experiment.coverage: true":   {"experiment.coverage=true"},
		"world.bernoulli.instance":    {"world.bernoulli.means=[]", "world.bernoulli.draw=shared"},
	} {
		if said := must(t, exitConfig, append(smallExperiment(set...), "-o", dir+"/refused", "--engine", "processes")...); !strings.Contains(said, want) {
			t.Errorf("want %q in %s", want, said)
		}
	}
}
