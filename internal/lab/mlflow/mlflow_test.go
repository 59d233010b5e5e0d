package mlflow

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
)

// A readRun is a run as MLflow's file store reads it.
type readRun struct {
	meta    map[string]any
	params  map[string]string
	tags    map[string]string
	metrics map[string][]readPoint
}

type readPoint struct {
	at, step int64
	value    float64
}

var (
	runID  = regexp.MustCompile(`^[a-zA-Z0-9][\w-]{0,255}$`)
	number = regexp.MustCompile(`^[a-zA-Z0-9][\w-]{0,63}$`)
	key    = regexp.MustCompile(`^[/\w.\- ]{1,250}$`)
)

// readMeta reads a meta.yaml that has exactly the fields of some types.
func readMeta(t *testing.T, folder string, want map[string]string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, "meta.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	doc := make(map[string]any)
	if err := yaml.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(doc)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("%s: meta.yaml has %q, want %q", folder, got, want)
	}
	for name, kind := range want {
		if got := fmt.Sprintf("%T", doc[name]); got != kind {
			t.Errorf("%s: %s is a %s, want %s", folder, name, got, kind)
		}
	}
	return doc
}

// readTexts reads a folder with a file for every key.
func readTexts(t *testing.T, folder string) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil || !key.MatchString(f.Name()) {
			t.Errorf("%s: %q: %v", folder, f.Name(), err)
		}
		texts[f.Name()] = string(b)
	}
	return texts
}

// read reads a store strictly, and returns the runs of its only experiment by name.
func read(t *testing.T, root string) (name string, runs map[string]readRun) {
	t.Helper()
	inside, err := os.ReadDir(root)
	if err != nil || len(inside) != 1 || !number.MatchString(inside[0].Name()) {
		t.Fatalf("%v: %v, want an experiment", inside, err)
	}
	id := inside[0].Name()
	meta := readMeta(t, filepath.Join(root, id), map[string]string{
		"experiment_id": "string", "name": "string", "artifact_location": "string", "lifecycle_stage": "string",
		"creation_time": "int", "last_update_time": "int",
	})
	if meta["experiment_id"] != id || meta["lifecycle_stage"] != "active" || meta["artifact_location"] != "file://"+root+"/"+id {
		t.Errorf("experiment: %v", meta)
	}
	runs = make(map[string]readRun)
	folders, _ := filepath.Glob(filepath.Join(root, id, "*", "meta.yaml"))
	for _, f := range folders {
		folder := filepath.Dir(f)
		r := readRun{meta: readMeta(t, folder, map[string]string{
			"run_id": "string", "run_uuid": "string", "run_name": "string", "experiment_id": "string", "artifact_uri": "string", "user_id": "string",
			"status": "int", "start_time": "int", "end_time": "int", "lifecycle_stage": "string", "source_type": "int", "source_name": "string",
			"entry_point_name": "string", "source_version": "string", "tags": "[]interface {}", "deleted_time": "<nil>",
		}), params: readTexts(t, filepath.Join(folder, "params")), tags: readTexts(t, filepath.Join(folder, "tags")), metrics: make(map[string][]readPoint)}
		if base := filepath.Base(folder); !runID.MatchString(base) || r.meta["run_id"] != base || r.meta["run_uuid"] != base ||
			r.meta["experiment_id"] != id || r.meta["status"] != 3 || r.meta["source_type"] != 4 || r.meta["artifact_uri"] != "file://"+folder+"/artifacts" ||
			r.meta["run_name"] != r.tags["mlflow.runName"] {
			t.Errorf("run %s: %v", base, r.meta)
		}
		for metric, text := range readTexts(t, filepath.Join(folder, "metrics")) {
			for line := range strings.Lines(text) {
				var p readPoint
				if n, err := fmt.Sscanf(line, "%d %g %d\n", &p.at, &p.value, &p.step); n != 3 || err != nil || p.at != int64(r.meta["end_time"].(int)) {
					t.Errorf("metric %s: %q: %v", metric, line, err)
				}
				r.metrics[metric] = append(r.metrics[metric], p)
			}
		}
		runs[r.tags["mlflow.runName"]] = r
	}
	return meta["name"].(string), runs
}

// TestAnExportIsAFileStoreOfMLflow: with the numbers of summary.json, and a second one adds nothing.
func TestAnExportIsAFileStoreOfMLflow(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	c, err := plan.Schema().Load("../../../configs/rows.yaml", []string{
		"rounds.count=200", "experiment.seeds=3", "experiment.figure.title=A: \"title\" # ε",
		"experiment.cells=[{set: {privacy.epsilon: [1, 2]}}, {name: alone, set: {experiment.alone: true}}]",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err = experiment.Run(context.Background(), c, experiment.Options{Out: dir, Progress: io.Discard, Show: func(*experiment.Document) error { return nil }}); err != nil {
		t.Fatal(err)
	}
	first, err := Export(dir, out)
	if err != nil || first.Runs != 1+3 || first.Kept != 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, bad := Export(dir, out); bad != nil || again.Runs != 0 || again.Kept != 4 {
		t.Errorf("again: %+v, %v", again, bad)
	}
	name, runs := read(t, out)
	if name != `A: "title" # ε` || len(runs) != 4 {
		t.Fatalf("%d runs of %q", len(runs), name)
	}
	b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc experiment.Document
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	whole := runs[name]
	files := readTexts(t, strings.TrimPrefix(whole.meta["artifact_uri"].(string), "file://"))
	if files["summary.json"] != string(b) || files["rows.parquet"] == "" || files["figure.svg"] == "" || !strings.Contains(whole.tags["mlflow.note.content"], "private") {
		t.Errorf("artifacts %q, tags %q", slices.Sorted(maps.Keys(files)), whole.tags)
	}
	for _, cell := range doc.Cells {
		r := runs[cell.Cell]
		points := r.metrics["regret"]
		if last := points[len(points)-1]; len(points) != 100 || last.step != 200 || math.Abs(last.value-cell.Regret.Mean) > 1e-9 ||
			r.metrics["regret_low"][99].value >= last.value || r.metrics["own_regret"][0].value != cell.Own.Mean ||
			r.metrics["bytes_a_peer_and_round"][0].value != cell.Bytes || r.tags["mlflow.parentRunId"] != whole.meta["run_id"] {
			t.Errorf("cell %s: %v", cell.Cell, r)
		}
	}
	if e := runs["ε = 2"].params["privacy.epsilon"]; e != "2" {
		t.Errorf("privacy.epsilon is %q", e)
	}
	if x := time.UnixMilli(int64(whole.meta["start_time"].(int))); time.Since(x) > time.Hour || time.Since(x) < 0 {
		t.Errorf("began %v", x)
	}
}

// TestNoResultsAreRefused: nothing is written.
func TestNoResultsAreRefused(t *testing.T) {
	out := t.TempDir()
	if _, err := Export(t.TempDir(), out); err == nil || !strings.Contains(err.Error(), "no folder of results") {
		t.Errorf("got %v", err)
	}
	if inside, _ := os.ReadDir(out); len(inside) != 0 {
		t.Errorf("%v was written", inside)
	}
}
