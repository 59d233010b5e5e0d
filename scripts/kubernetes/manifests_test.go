// Package kubernetes checks what peerd experiment submit --to kubernetes writes against the types of Kubernetes. It is a
// module of its own, so that they are no dependency of peerd's.
package kubernetes

import (
	"os/exec"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// manifests returns the documents of a submission by kind and name.
func manifests(t *testing.T, args ...string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", append([]string{
		"run", "./cmd/peerd", "experiment", "submit", "configs/figures/fig2a.yaml", "--to", "kubernetes", "--dry-run", "-o", "jobs",
	}, args...)...)
	cmd.Dir = "../.."
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	all := make(map[string]string)
	for _, text := range strings.Split(string(out), "\n---\n") {
		var about struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(text), &about); err != nil {
			t.Fatal(err)
		}
		all[about.Kind+" "+about.Metadata.Name] = text
	}
	return all
}

// strict decodes a document, in which all fields must be of its type.
func strict[T any](t *testing.T, all map[string]string, name string) (to T) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(all[name]), &to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	delete(all, name)
	return to
}

// TestManifestsAreOfTheirTypes: every field is known, a failed index is tried again alone, no container is root, and
// hostile texts stay texts.
func TestManifestsAreOfTheirTypes(t *testing.T) {
	const image = "example.org/x:1\" # {a: b}\n"
	all := manifests(t, "--image", image, "--shards", "5", "--cpus", "2", "--memory", "3G", "--time", "90m", "--set", "experiment.figure.title=a: 'b' # \"c\"")
	play := strict[batch.Job](t, all, "Job peerd-fig2a")
	merge := strict[batch.Job](t, all, "Job peerd-fig2a-merge")
	settings := strict[core.ConfigMap](t, all, "ConfigMap peerd-fig2a")
	claim := strict[core.PersistentVolumeClaim](t, all, "PersistentVolumeClaim peerd-fig2a")
	if len(all) > 0 {
		t.Errorf("more documents: %v", all)
	}
	s := &play.Spec
	if *s.CompletionMode != batch.IndexedCompletion || *s.Completions != 5 || *s.Parallelism != 5 || *s.BackoffLimitPerIndex != 3 || *s.MaxFailedIndexes != 5 {
		t.Errorf("%+v", s)
	}
	if claim.Spec.AccessModes[0] != core.ReadWriteMany || claim.Spec.Resources.Requests.Storage().String() != "1Gi" {
		t.Errorf("%+v", claim.Spec)
	}
	if text := settings.Data["config.yaml"]; !strings.Contains(text, "\nexperiment:\n") || !strings.Contains(text, "title: 'a: ''b'' # \"c\"'") {
		t.Error(text)
	}
	for _, job := range []batch.Job{play, merge} {
		p := job.Spec.Template.Spec
		c := p.Containers[0]
		if !*p.SecurityContext.RunAsNonRoot || *c.SecurityContext.AllowPrivilegeEscalation || !*c.SecurityContext.ReadOnlyRootFilesystem ||
			c.SecurityContext.Capabilities.Drop[0] != "ALL" || p.RestartPolicy != core.RestartPolicyNever || *p.ActiveDeadlineSeconds != 5400 {
			t.Errorf("%+v", p)
		}
		if c.Image != image || c.Resources.Requests.Cpu().String() != "2" || c.Resources.Limits.Memory().String() != "3Gi" {
			t.Errorf("%+v", c)
		}
		if p.Volumes[1].PersistentVolumeClaim.ClaimName != claim.Name || p.Volumes[0].ConfigMap.Name != settings.Name {
			t.Errorf("%+v", p.Volumes)
		}
		if len(c.Args) != 1 || exec.Command("sh", "-nc", c.Args[0]).Run() != nil {
			t.Errorf("%q", c.Args)
		}
	}
	if args := play.Spec.Template.Spec.Containers[0].Args[0]; !strings.Contains(args, `--shard "$((JOB_COMPLETION_INDEX + 1))/5" --jobs 2 -o "/results/peerd-fig2a/shards/$((JOB_COMPLETION_INDEX + 1))"`) {
		t.Error(args)
	}
	if all = manifests(t, "--image", "x", "--claim", "mine"); all["PersistentVolumeClaim peerd-fig2a"] != "" || strict[batch.Job](t, all, "Job peerd-fig2a").Spec.Template.Spec.Volumes[1].PersistentVolumeClaim.ClaimName != "mine" {
		t.Error("a claim that is there is made again, or not used")
	}
}
