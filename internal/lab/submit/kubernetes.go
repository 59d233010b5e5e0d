package submit

import (
	"os"
	"path/filepath"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
)

// Kubernetes writes an Indexed Job with an index for each shard, and a Job that merges.
func Kubernetes(c *config.Config, o Options) (*Document, error) {
	if o.Image == "" {
		return nil, config.Failf(config.ErrUsage, "want an image that has peerd on its path, and a shell: --image NAME")
	}
	if err := experiment.Valid(c); err != nil {
		return nil, err
	}
	settings, err := experiment.Resolved(c)
	if err != nil {
		return nil, err
	}
	j := &job{Options: &o, Config: settings}
	d := &Document{To: "kubernetes", Out: o.Out}
	play, merge := filepath.Join(o.Out, "play.yaml"), filepath.Join(o.Out, "merge.yaml")
	if o.DryRun {
		_, err := o.Stdout.Write(append(append(j.text("play.yaml"), "---\n"...), j.text("merge.yaml")...))
		return nil, err
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return nil, err
	}
	d.Next = []string{
		"kubectl apply -f " + shell(play), "kubectl wait --for=condition=complete --timeout=24h job/" + j.Title(), "kubectl apply -f " + shell(merge),
	}
	d.Files, err = j.write("play.yaml", "merge.yaml")
	return d, err
}
