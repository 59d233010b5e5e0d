package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"peerd.dev/internal/config"
)

// A Shard is a fixed share of the runs of an experiment: in the order of cells and seeds, every run whose place, from 0, is
// Number-1 modulo Of. The zero Shard has all of them.
type Shard struct{ Number, Of int }

// mostShards bounds the shards of an experiment.
const mostShards = 10_000

// ParseShard reads a shard such as 3/8.
func ParseShard(text string) (s Shard, err error) {
	i, n, ok := strings.Cut(text, "/")
	s.Number, err = strconv.Atoi(i)
	if err == nil {
		s.Of, err = strconv.Atoi(n)
	}
	if !ok || err != nil || s.Of < 1 || s.Of > mostShards || s.Number < 1 || s.Number > s.Of || s.String() != text {
		return Shard{}, config.Failf(config.ErrUsage, "--shard: %s: want i/n, from 1/n to n/n with n up to %d, such as 3/8", text, mostShards)
	}
	return s, nil
}

// String returns what ParseShard reads.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }

// has reports whether the run at a place is the shard's.
func (s Shard) has(place int) bool { return s.Of == 0 || place%s.Of == s.Number-1 }

// ShardDocument says how much of a shard is finished.
type ShardDocument struct {
	Shard    string  `json:"shard"`
	Finished int     `json:"finished"` // runs of the shard
	Runs     int     `json:"runs"`     // of the shard
	All      int     `json:"all_runs"` // of the experiment
	Seconds  float64 `json:"seconds"`
	Out      string  `json:"out"`
}

// Write prints what is finished and what comes next.
func (d *ShardDocument) Write(w io.Writer) {
	_, _ = fmt.Fprintf(w, "shard %s: %d of its %d runs are finished, of %d in all  %.1f s\n", d.Shard, d.Finished, d.Runs, d.All, d.Seconds)
	_, _ = fmt.Fprintf(w, "results  %s; when all shards are finished: peerd experiment merge FOLDER... -o FOLDER\n", d.Out)
}

// RunShard plays the runs of a shard that are not finished in the folder of results, and keeps them there. There are no
// rows and figures before [Merge].
func RunShard(ctx context.Context, c *config.Config, o Options, shard Shard) (*ShardDocument, error) {
	begin := time.Now()
	p, err := o.begin(c)
	if err != nil {
		return nil, err
	}
	defer p.unlock()
	m := newManifest(c, p.program, p.cells, begin)
	m.Shard, m.Engine = shard.String(), o.engine()
	if err := p.folder.claim(m, c, p.cells); err != nil {
		return nil, err
	}
	if err := p.play(ctx, o, shard); err != nil {
		return nil, err
	}
	d := &ShardDocument{Shard: shard.String(), Seconds: time.Since(begin).Seconds(), Out: o.Out}
	d.Finished, d.Runs = finished(p.cells, shard)
	_, d.All = finished(p.cells, Shard{})
	return d, nil
}

func (f resultFolder) shard() string { return f.path("shard.json") }

// claim makes the folder a shard's. One of another shard is refused: each folder says of which runs it has all.
func (f resultFolder) claim(m *Manifest, c *config.Config, cells []cellRun) error {
	had, err := f.readShard()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && had.Shard != m.Shard {
		return config.Failf(config.ErrUsage, "%s holds shard %s: name another folder with -o", f, had.Shard)
	}
	if err := f.writeConfig(c, cells); err != nil {
		return err
	}
	return writeJSONFile(f.shard(), m)
}

// readShard returns what a shard says of itself.
func (f resultFolder) readShard() (*Manifest, error) {
	b, err := os.ReadFile(f.shard())
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("%s: %w", f.shard(), err)
	}
	return m, nil
}
