package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// python skips a test where there is none.
func python(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed; the test plays programs in it: ", err)
	}
}

// own is a configuration of three sites in the folder of a test, with a script and a command.
func own(t *testing.T, more, script string) (file string) {
	t.Helper()
	const common = `mode: lockstep
seed: 1
arms: [a, b, c]
privacy: {mechanism: tree, epsilon: 2, horizon: 150}
testnet: {nodes: 3, topology: ring}
`
	dir := t.TempDir()
	file = filepath.Join(dir, "own.yaml")
	for name, text := range map[string]string{file: common + more, filepath.Join(dir, "my.py"): script} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return file
}

// portOf returns a file of the repository.
func portOf(t *testing.T, name string) string {
	t.Helper()
	b := require.Value(os.ReadFile(name))(t)
	return string(b)
}

const ucbPort = "../../internal/lab/program/testdata/ucb.py"

// TestALearnerInPythonDoesWhatTheSameInGoDoes, to the last bit of regret: the program is learner ucb, line by line.
func TestALearnerInPythonDoesWhatTheSameInGoDoes(t *testing.T) {
	python(t)
	file := own(t, `protocol: {name: average}
learner: {name: ucb, program: {command: [python3, my.py]}}
world: {kind: bernoulli, bernoulli: {draw: sites}}
experiment:
  seeds: 2
  cells: [{name: go, set: {learner.name: ucb}}, {name: python, set: {learner.name: program}}]
`, portOf(t, ucbPort))
	rows := playFile(t, t.TempDir(), file).file(t, "rows.jsonl")
	half := bytes.Index(rows, []byte(`{"cell":"python"`))
	rename := strings.NewReplacer(`"cell":"python"`, `"cell":"go"`, `"learner_name":"program"`, `"learner_name":"ucb"`)
	if half < 0 || string(rows[:half]) != rename.Replace(string(rows[half:])) {
		t.Errorf("the rows differ:\n%s", rows)
	}
}

// TestAnEditedProgramIsPlayedAgain, and one that stayed is not.
func TestAnEditedProgramIsPlayedAgain(t *testing.T) {
	python(t)
	const more = `protocol: {name: average}
learner: {name: program, program: {command: [python3, my.py]}}
world: {kind: bernoulli, bernoulli: {means: [[0.2, 0.8, 0.5]]}}
experiment: {seeds: 1}
`
	const always = "import sys\nsys.stdin.readline()\nprint('{\"ok\": true}', flush=True)\nfor line in sys.stdin:\n    print('{\"arm\": 0}', flush=True)\n"
	file, dir := own(t, more, always), t.TempDir()
	first := playFile(t, dir, file)
	if again := playFile(t, dir, file); !strings.Contains(again.stderr, "1 of 1 runs are finished") {
		t.Errorf("it is played again: %s", again.stderr)
	}
	if again := playFile(t, t.TempDir(), filepath.Join(dir, "config.yaml")); again.Cells[0].Regret != first.Cells[0].Regret {
		t.Error("the folder of results does not play the same again")
	}
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "my.py"), []byte(strings.ReplaceAll(always, `"arm": 0`, `"arm": 1`)), 0o600))
	edited := playFile(t, dir, file)
	if strings.Contains(edited.stderr, "finished") || first.Cells[0].Regret == edited.Cells[0].Regret {
		t.Errorf("an edited script is not played: %s", edited.stderr)
	}
}

// TestShardsOfAProgramMerge wherever they are played from, since the program is copied, and can be run, like the file.
func TestShardsOfAProgramMerge(t *testing.T) {
	file, dir := own(t, `protocol: {name: average}
learner: {name: program, program: {command: [./my.py]}}
world: {kind: bernoulli, bernoulli: {means: [[0.2, 0.8, 0.5]]}}
experiment: {seeds: 2}
`, "#!/bin/sh\nread x; echo '{\"ok\": true}'; while read x; do echo '{\"arm\": 0}'; done\n"), t.TempDir()
	if err := os.Chmod(filepath.Join(filepath.Dir(file), "my.py"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	must(t, exitOK, "experiment", "run", file, "-o", dir+"/1", "--shard", "1/2")
	must(t, exitOK, "experiment", "run", dir+"/1/config.yaml", "-o", dir+"/2", "--shard", "2/2")
	must(t, exitOK, "experiment", "merge", dir+"/1", dir+"/2", "-o", dir+"/merged")
	if said := must(t, exitOK, "experiment", "run", dir+"/merged/config.yaml", "-o", dir+"/merged"); !strings.Contains(said, "2 of 2 runs are finished") {
		t.Error(said)
	}
}

// TestWhatAProgramDoesWrongNamesThePlace, and programs are for the simulator alone.
func TestWhatAProgramDoesWrongNamesThePlace(t *testing.T) {
	python(t)
	const more = `protocol: {name: average}
learner: {name: program, program: {command: [python3, my.py]}}
world: {kind: bernoulli, bernoulli: {means: [[0.2, 0.8, 0.5]]}}
experiment: {seeds: 1, first_seed: 9, cells: [{name: mine}]}
`
	file := own(t, more, "import sys\nprint('{\"ok\": true}', flush=True)\nfor line in sys.stdin:\n    if '\"round\":7' in line: sys.exit('no idea')\n    if 'hello' not in line and '\"role\"' not in line: print('{\"arm\": 2}', flush=True)\n")
	c, _, stderr := peerd(t, "experiment", "run", file, "-o", t.TempDir())
	if want := `cell "mine": seed 9: peer 0, round 7: learner.program (python3 `; c != exitUnexpected || !strings.Contains(stderr, want) || !strings.Contains(stderr, "no idea") || !strings.Contains(stderr, `want {"arm": K}`) {
		t.Errorf("code %d: %s", c, stderr)
	}
	must(t, exitOK, "config", "check", file)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "config.yaml"), nil, 0o600))
	live := []string{file, "--set", "mode=live", "--set", "seed=0", "--set", "world.kind=application"}
	for _, args := range [][]string{
		{"testnet", file},
		{"audit", file},
		{"run", file},
		append([]string{"config", "check"}, live...), append([]string{"run"}, live...),
		{"experiment", "run", file, "--engine", "processes", "-o", t.TempDir()},
		{"experiment", "run", file, "--set", "learner.program.command=[python3, my.py, config.yaml]", "-o", t.TempDir()},
	} {
		if said := must(t, exitConfig, args...); !strings.Contains(said, "plays in the simulator alone") && !strings.Contains(said, "config.yaml: want another name") {
			t.Errorf("%v: %s", args, said)
		}
	}
}
