package submit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
)

// A submission is what a folder keeps of the jobs that were submitted for it.
type submission struct {
	Shards int      `json:"shards"`
	Jobs   []string `json:"jobs"` // arrays
}

// slurm submits a task of an array for each shard that is neither finished nor in the queue, and a job that merges all.
func (j *job) slurm(ctx context.Context, c *config.Config, d *Document) error {
	had, err := j.begin(c)
	if err == nil {
		err = j.write("play.sh", "merge.sh")
	}
	if err != nil {
		return err
	}
	queue, err := queued(ctx, had.Jobs)
	if err != nil {
		_, _ = fmt.Fprintf(j.Progress, "%v: shards that run cannot be distinguished from failed ones, and are submitted again; a folder is locked while a shard runs in it\n", err)
	}
	shards, err := experiment.ShardsIn(j.path("config.yaml"), j.path("peerd"), j.shards())
	if err != nil {
		return err
	}
	var numbers, wait []string
	for i, s := range shards {
		one, number := Shard{Number: i + 1, Finished: s.Finished, Runs: s.Runs}, strconv.Itoa(i+1)
		switch task := queue[number]; {
		case s.Finished == s.Runs:
			one.State = "finished"
		case task.id != "":
			one.State = task.state
			wait = append(wait, task.id)
		default:
			one.State = "new"
			if len(had.Jobs) > 0 {
				one.State = "failed"
			}
			numbers = append(numbers, number)
		}
		d.Shards = append(d.Shards, one)
	}
	return j.submit(ctx, d, had, numbers, wait)
}

func (j *job) path(name string) string { return filepath.Join(j.Dir, name) }

// shards returns the folders of shards.
func (j *job) shards() (dirs []string) {
	for i := range j.Shards {
		dirs = append(dirs, filepath.Join(j.Dir, "shards", strconv.Itoa(i+1)))
	}
	return dirs
}

// begin makes the folder, with a copy of this program, so that all shards are played by the same one, or returns what was
// submitted from it.
func (j *job) begin(c *config.Config) (had submission, err error) {
	b, err := os.ReadFile(j.path("submitted.json"))
	if err == nil {
		if err = json.Unmarshal(b, &had); err != nil {
			return had, fmt.Errorf("%s: %w", j.path("submitted.json"), err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return had, err
	} else if inside, bad := os.ReadDir(j.Dir); bad == nil && len(inside) > 0 {
		return had, config.Failf(config.ErrUsage, "%s holds files that are of no submission: name another folder with -o", j.Out)
	}
	if len(had.Jobs) > 0 {
		before, bad := plan.Schema().Load(j.path("config.yaml"), nil)
		if bad != nil {
			return had, bad
		}
		what, bad := experiment.Differs(before, c)
		if had.Shards != j.Shards {
			what = fmt.Sprintf("--shards is %d, not %d", j.Shards, had.Shards)
		}
		if what != "" {
			bad = config.Failf(config.ErrUsage, "%s holds another submission: %s; name another folder with -o", j.Out, what)
		}
		return had, bad
	}
	for _, name := range []string{"log", "shards"} {
		if err = os.MkdirAll(j.path(name), 0o755); err != nil {
			return had, err
		}
	}
	had.Shards = j.Shards
	name, err := os.Executable()
	if err = errors.Join(err, j.keep(had), experiment.Keep(j.Dir, c)); err != nil {
		return had, err
	}
	program, err := os.ReadFile(name)
	if err != nil {
		return had, err
	}
	return had, os.WriteFile(j.path("peerd"), program, 0o755) //nolint:gosec // it is run
}

// keep writes what was submitted.
func (j *job) keep(s submission) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return renameio.WriteFile(j.path("submitted.json"), append(b, '\n'), 0o644)
}

// A task is a shard in the queue.
type task struct{ id, state string }

// queued returns by shard the tasks of arrays that Slurm has in its queue.
func queued(ctx context.Context, arrays []string) (map[string]task, error) {
	if len(arrays) == 0 {
		return nil, nil
	}
	out, err := command(ctx, "squeue", "--noheader", "--array", "--me", "--format=%F %K %T")
	if err != nil {
		return nil, err
	}
	tasks := make(map[string]task)
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 3 && slices.Contains(arrays, f[0]) {
			tasks[f[1]] = task{f[0] + "_" + f[1], strings.ToLower(f[2])}
		}
	}
	return tasks, nil
}

// submit submits shards by their numbers, and the job that merges after them and after tasks that are in the queue.
func (j *job) submit(ctx context.Context, d *Document, had submission, numbers, wait []string) error {
	if len(numbers) > 0 {
		id, err := sbatch(ctx, "--array="+strings.Join(numbers, ","), j.path("play.sh"))
		if err != nil {
			return err
		}
		d.Job, had.Jobs = id+" of shards "+strings.Join(numbers, ", "), append(had.Jobs, id)
		if err := j.keep(had); err != nil {
			return err
		}
		wait = append(wait, id)
	} else if len(wait) > 0 {
		return nil // the job that merges waits
	} else if _, err := os.Stat(j.path("results/manifest.json")); err == nil {
		d.Next = []string{"all is finished and merged in " + shell(filepath.Join(j.Out, "results"))}
		return nil
	}
	args := []string{j.path("merge.sh")}
	if len(wait) > 0 {
		args = append([]string{"--kill-on-invalid-dep=yes", "--dependency=afterok:" + strings.Join(wait, ":")}, args...)
	}
	id, err := sbatch(ctx, args...)
	d.MergeJob = id
	d.Next = []string{"when no job is left in squeue: the same command, which submits what failed"}
	return err
}

// sbatch submits a job and returns its number.
func sbatch(ctx context.Context, args ...string) (string, error) {
	out, err := command(ctx, "sbatch", append([]string{"--parsable"}, args...)...)
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";")
	return id, err
}

// command returns what a command of Slurm prints.
func command(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", config.Failf(config.ErrUnexpected, "%s: %w: %s", name, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}
