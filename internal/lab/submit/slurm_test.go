package submit

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
)

func load(t *testing.T, set ...string) *config.Config {
	t.Helper()
	c, err := plan.Schema().Load("../../../configs/rows.yaml", append([]string{"rounds.count=100", "experiment.seeds=4"}, set...))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// program writes a shell script that stands for a command.
func program(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o755); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
}

// TestOnlyShardsThatAreNotFinishedAreSubmitted: what is finished or in the queue is not, and the job that merges waits for
// the others. Commands of Slurm are played by scripts; scripts/show/slurm.sh has the real ones.
func TestOnlyShardsThatAreNotFinishedAreSubmitted(t *testing.T) {
	bin, out := t.TempDir(), filepath.Join(t.TempDir(), `it's $HOME %a "b"`)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	calls := filepath.Join(bin, "calls")
	program(t, bin+"/sbatch", `echo "$*" >>"`+calls+`"; wc -l <"`+calls+`"`)
	queue := func(lines string) { program(t, bin+"/squeue", "echo '"+lines+"'") }
	o := Options{To: "slurm", Name: "Rows, ε = 1", Out: out, Shards: 2, CPUs: 1, Progress: io.Discard}
	submit := func(states, want string) {
		t.Helper()
		_ = os.Remove(calls)
		d, err := Submit(t.Context(), load(t), o)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := os.ReadFile(calls) // none without a call
		if got := strings.ReplaceAll(string(b), out+"/", ""); got != want {
			t.Errorf("sbatch was called with %q, want %q", got, want)
		}
		if got := d.Shards[0].State + " " + d.Shards[1].State; got != states {
			t.Errorf("shards are %s, want %s", got, states)
		}
	}
	play := func(number int) {
		t.Helper()
		e := experiment.Options{Out: filepath.Join(out, "shards", string(rune('0'+number))), Progress: io.Discard}
		if _, err := experiment.RunShard(t.Context(), load(t), e, experiment.Shard{Number: number, Of: 2}); err != nil {
			t.Fatal(err)
		}
	}
	submit("new new", "--parsable --array=1,2 play.sh\n--parsable --kill-on-invalid-dep=yes --dependency=afterok:1 merge.sh\n")
	play(1)
	queue("1 2 RUNNING\n7 1 PENDING")
	submit("finished running", "")
	queue("7 2 RUNNING")
	submit("finished failed", "--parsable --array=2 play.sh\n--parsable --kill-on-invalid-dep=yes --dependency=afterok:1 merge.sh\n")
	play(2)
	submit("finished finished", "--parsable merge.sh\n")
	if _, err := Submit(t.Context(), load(t, "privacy.epsilon=2"), o); err == nil || !strings.Contains(err.Error(), "privacy.epsilon of cell \"all\" is 2, not 1") {
		t.Error(err)
	}
	o.Shards = 3
	if _, err := Submit(t.Context(), load(t), o); err == nil || !strings.Contains(err.Error(), "--shards is 3, not 2") {
		t.Error(err)
	}

	program(t, out+"/peerd", `printf '%s|' "$@"`)
	t.Setenv("SLURM_ARRAY_TASK_ID", "2")
	for script, want := range map[string]string{
		"play.sh":  "experiment|run|@/config.yaml|--shard|2/2|--jobs|1|-o|@/shards/2|",
		"merge.sh": "experiment|merge|@/shards/1|@/shards/2|-o|@/results|",
	} {
		if _, err := command(t.Context(), "sh", filepath.Join(out, script)); err != nil {
			t.Fatal(err)
		}
		log := map[string]string{"play.sh": "2.txt", "merge.sh": "merge.txt"}[script]
		b, err := os.ReadFile(filepath.Join(out, "log", log))
		if got := strings.ReplaceAll(string(b), out, "@"); err != nil || got != want {
			t.Errorf("%s: %v, calls peerd with %s, want %s", script, err, got, want)
		}
	}
}

// TestOptionsAreChecked: what a shell or an engine would read otherwise is refused.
func TestOptionsAreChecked(t *testing.T) {
	good := Options{To: "slurm", Out: "x", Shards: 8, CPUs: 1, Sbatch: []string{"partition=long", "oversubscribe"}}
	if err := good.check(8); err != nil {
		t.Error(err)
	}
	for flag, change := range map[string]func(o *Options){
		"-o FOLDER": func(o *Options) { o.Out = "" },
		"--shards":  func(o *Options) { o.Shards = 0 },
		"8 runs":    func(o *Options) { o.Shards = 9 },
		"--cpus":    func(o *Options) { o.CPUs = 0 },
		"--memory":  func(o *Options) { o.Memory = "4GB" },
		"--to":      func(o *Options) { o.To = "nomad" },
		"--image":   func(o *Options) { o.To = "kubernetes" },
		"--time":    func(o *Options) { o.Time = 1 },
		"--sbatch":  func(o *Options) { o.Sbatch = []string{"comment=a\nrm"} },
	} {
		o := good
		change(&o)
		if err := o.check(8); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
