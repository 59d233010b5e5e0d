package mlflow

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A store is a folder of experiments.
type store string

// A point is the value of a metric after a number of rounds.
type point struct {
	step  uint64
	value float64
}

// A run is what MLflow calls one.
type run struct {
	id         string
	name       string
	begin, end time.Time
	params     map[string]string
	tags       map[string]string
	metrics    map[string][]point
	artifacts  []string // files that are copied
}

// The numbers by which meta.yaml names a finished run and a program on this machine.
const (
	finished = 3
	local    = 4
)

// idOf returns a hexadecimal name of 32 digits for what some words say.
func idOf(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// experiment makes the experiment of a name, unless the store has it, and returns its number: 18 digits of a hash of the name.
func (s store) experiment(name string, begin time.Time) (id string, err error) {
	sum := sha256.Sum256([]byte(name))
	id = strconv.FormatUint(1e17+binary.BigEndian.Uint64(sum[:])%9e17, 10)
	where, err := s.uri(id)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(string(s), id, "meta.yaml")); !errors.Is(err, fs.ErrNotExist) {
		return id, err
	}
	return id, s.meta(id, map[string]any{
		"experiment_id": id, "name": name, "artifact_location": where, "lifecycle_stage": "active",
		"creation_time": begin.UnixMilli(), "last_update_time": begin.UnixMilli(),
	})
}

// add writes a run of an experiment whole, or leaves the one that is there.
func (s store) add(experiment string, r *run) (added bool, err error) {
	name := filepath.Join(experiment, r.id)
	if _, err = os.Stat(filepath.Join(string(s), name)); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	draft := store(filepath.Join(string(s), ".peerd-"+r.id)) // MLflow sees no run in it: it is in no experiment
	defer func() { _ = os.RemoveAll(string(draft)) }()
	where, err := s.uri(name, "artifacts")
	if err != nil {
		return false, err
	}
	r.tags["mlflow.runName"] = r.name
	err = draft.meta("", map[string]any{
		"run_id": r.id, "run_uuid": r.id, "run_name": r.name, "experiment_id": experiment, "artifact_uri": where, "user_id": "peerd",
		"status": finished, "start_time": r.begin.UnixMilli(), "end_time": r.end.UnixMilli(), "lifecycle_stage": "active",
		"source_type": local, "source_name": "", "entry_point_name": "", "source_version": "", "tags": []string{}, "deleted_time": nil,
	})
	for folder, texts := range map[string]map[string]string{"params": r.params, "tags": r.tags, "metrics": r.lines(), "artifacts": nil} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(string(draft), folder), 0o755))
		for key, text := range texts {
			err = errors.Join(err, os.WriteFile(filepath.Join(string(draft), folder, key), []byte(text), 0o644)) //nolint:gosec // results are for all to read
		}
	}
	for _, file := range r.artifacts {
		b, bad := os.ReadFile(file)
		if errors.Is(bad, fs.ErrNotExist) {
			continue // an experiment need not have a figure
		}
		err = errors.Join(err, bad, os.WriteFile(filepath.Join(string(draft), "artifacts", filepath.Base(file)), b, 0o644)) //nolint:gosec // as above
	}
	if err != nil {
		return false, err
	}
	return true, os.Rename(string(draft), filepath.Join(string(s), name))
}

// lines returns the files of metrics: a line for every point.
func (r *run) lines() map[string]string {
	all := make(map[string]string)
	for name, points := range r.metrics {
		var b strings.Builder
		for _, p := range points {
			_, _ = fmt.Fprintf(&b, "%d %s %d\n", r.end.UnixMilli(), strconv.FormatFloat(p.value, 'g', -1, 64), p.step)
		}
		all[name] = b.String()
	}
	return all
}

// meta writes the file that says what a folder is.
func (s store) meta(folder string, doc map[string]any) error {
	b, err := yaml.Marshal(doc)
	dir := filepath.Join(string(s), folder)
	return errors.Join(err, os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "meta.yaml"), b, 0o644)) //nolint:gosec // as above
}

// uri returns where a folder of the store is. MLflow wants the whole path, so artifacts are not found after a move.
func (s store) uri(parts ...string) (string, error) {
	name, err := filepath.Abs(filepath.Join(append([]string{string(s)}, parts...)...))
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(name)}).String(), err
}
