// Package submit hands the shards of an experiment to engines that run jobs on many machines.
package submit

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal"
)

// Options say what is submitted, and what each shard gets.
type Options struct {
	To     string // slurm or kubernetes
	Name   string // of the experiment
	Out    string // folder
	Shards int
	DryRun bool
	CPUs   int
	Memory string        // such as 4G, binary; empty for the engine's own
	Time   time.Duration // limit; 0 for the engine's own
	Sbatch []string      // more options of sbatch, without dashes
	Image  string        // Kubernetes: with peerd and sh
	Claim  string        // Kubernetes: a volume claim that is there; empty for a new one

	Stdout, Progress io.Writer
}

// check returns which option is wrong, for a number of runs.
func (o *Options) check(runs int) error {
	bad := func(flag string, value any, want string) error {
		return config.Failf(config.ErrUsage, "--%s: %v: want %s", flag, value, want)
	}
	size := regexp.MustCompile(`^[1-9][0-9]*[KMGT]$`)
	switch {
	case o.To != "slurm" && o.To != "kubernetes":
		return bad("to", strconv.Quote(o.To), "slurm or kubernetes")
	case o.To == "kubernetes" && o.Image == "":
		return config.Failf(config.ErrUsage, "want an image that has peerd on its path, and a shell: --image NAME")
	case o.Out == "":
		return config.Failf(config.ErrUsage, "want a folder for scripts, shards and results: -o FOLDER")
	case o.Shards < 1 || o.Shards > min(runs, experiment.MostShards):
		return bad("shards", o.Shards, fmt.Sprintf("from 1 to %d, as there are %d runs", min(runs, experiment.MostShards), runs))
	case o.CPUs < 1:
		return bad("cpus", o.CPUs, "1 or more")
	case o.Memory != "" && !size.MatchString(o.Memory):
		return bad("memory", o.Memory, "a size such as 512M or 4G")
	case o.Time < 0 || o.Time%time.Minute != 0:
		return bad("time", o.Time, "whole minutes, such as 90m")
	}
	for _, s := range o.Sbatch {
		if !regexp.MustCompile(`^[a-z][a-z-]*(=[^\s'"\\]+)?$`).MatchString(s) {
			return bad("sbatch", s, "an option of sbatch without its dashes, such as partition=long")
		}
	}
	return nil
}

// Submit hands the shards of an experiment to an engine. With DryRun it prints what it would write; there is no document.
func Submit(ctx context.Context, c *config.Config, o Options) (*Document, error) {
	settings, runs, err := experiment.Resolved(c)
	if err == nil {
		err = o.check(runs)
	}
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Out)
	if err != nil {
		return nil, err
	}
	j := &job{Options: &o, Dir: dir, Config: settings}
	submit := j.slurm
	files := []string{"play.sh", "merge.sh"}
	if o.To == "kubernetes" {
		submit, files = j.kubernetes, []string{"play.yaml", "merge.yaml"}
		if err := inImage(c); err != nil {
			return nil, err
		}
	}
	if o.DryRun {
		for _, name := range files {
			if _, err := o.Stdout.Write(j.text(name)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	d := &Document{To: o.To, Out: o.Out}
	return d, submit(ctx, c, d)
}

// A Document says what became of the shards.
type Document struct {
	To       string   `json:"to"`
	Out      string   `json:"out"`
	Shards   []Shard  `json:"shards,omitempty"`
	Job      string   `json:"job,omitempty"`       // that plays the shards which are submitted
	MergeJob string   `json:"merge_job,omitempty"` // that waits for it
	Next     []string `json:"next"`                // commands
}

// A Shard is what is known of a shard.
type Shard struct {
	Number   int    `json:"shard"`
	Finished int    `json:"finished"` // runs
	Runs     int    `json:"runs"`
	State    string `json:"state"` // finished, new, failed, or as squeue says
}

// Write prints it.
func (d *Document) Write(w io.Writer) {
	if len(d.Shards) > 0 {
		t := terminal.NewTable(w)
		t.Printf("SHARD\tRUNS FINISHED\tSTATE\n")
		for _, s := range d.Shards {
			t.Printf("%d\t%d of %d\t%s\n", s.Number, s.Finished, s.Runs, s.State)
		}
		t.End()
	}
	if d.Job != "" {
		_, _ = fmt.Fprintf(w, "submitted  job %s\n", d.Job)
	}
	if d.MergeJob != "" {
		_, _ = fmt.Fprintf(w, "merge  job %s, when all shards are finished, into %s\n", d.MergeJob, filepath.Join(d.Out, "results"))
	}
	for _, c := range d.Next {
		_, _ = fmt.Fprintf(w, "next  %s\n", c)
	}
}

// A job is what templates are about.
type job struct {
	*Options
	Dir, Config string
}

// Title returns what jobs are called: the experiment's name in letters that all engines take, and as many as they take.
func (j *job) Title() string {
	letters := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(j.Name), "-")
	return strings.TrimRight("peerd-"+strings.Trim(letters[:min(40, len(letters))], "-"), "-")
}

//go:embed jobs.txt
var jobs string

// templates are the files that engines get.
var templates = template.Must(template.New("").Funcs(template.FuncMap{ //nolint:gochecknoglobals // parsed once, then only read
	// sh quotes for a shell, yaml for YAML, and indented indents the lines of a block of YAML.
	"sh":       shell,
	"yaml":     strconv.QuoteToASCII,
	"indented": func(s string) string { return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") },
}).Parse(jobs))

// shell quotes a word for a shell.
func shell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// text returns a file for an engine.
func (j *job) text(name string) []byte {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, j); err != nil {
		panic(err) // a template that does not suit job
	}
	return bytes.TrimLeft(b.Bytes(), "\n")
}

// write writes files for an engine.
func (j *job) write(names ...string) error {
	for _, name := range names {
		if err := os.WriteFile(j.path(name), j.text(name), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// kubernetes writes an Indexed Job with an index for each shard, and a Job that merges.
func (j *job) kubernetes(_ context.Context, _ *config.Config, d *Document) error {
	if err := os.MkdirAll(j.Dir, 0o755); err != nil {
		return err
	}
	d.Next = []string{
		"kubectl apply -f " + shell(filepath.Join(j.Out, "play.yaml")), "kubectl wait --for=condition=complete --timeout=24h job/" + j.Title(),
		"kubectl apply -f " + shell(filepath.Join(j.Out, "merge.yaml")),
	}
	return j.write("play.yaml", "merge.yaml")
}

// inImage refuses programs whose files are on this machine alone.
func inImage(c *config.Config) error {
	cells, err := plan.Cells(c)
	for i := range cells {
		files, bad := plan.Scripts(cells[i].Config)
		for _, file := range files {
			if !filepath.IsAbs(file.Word) {
				bad = config.Failf(config.ErrRefused, "cell %q: %s is not in a container: want a file of the image by its whole path", cells[i].Name, file.Word)
			}
		}
		err = errors.Join(err, bad)
	}
	return err
}
