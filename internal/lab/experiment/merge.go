package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
)

// Merge takes the finished runs of shards, which it does not change, and writes the results as [Run] does.
func Merge(ctx context.Context, dirs []string, o Options) error {
	begin := time.Now()
	out := resultFolder(o.Out)
	if _, err := os.Stat(out.shard()); err == nil {
		return config.Failf(config.ErrUsage, "%s is the folder of a shard: name another folder with -o", o.Out)
	}
	shards := make([]*Manifest, len(dirs))
	for i, dir := range dirs {
		m, err := resultFolder(dir).readShard()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return config.Failf(config.ErrUsage, "%s is no folder of a shard: it has no shard.json, which peerd experiment run --shard writes", dir)
		case err != nil:
			return err
		}
		shards[i] = m
		if what := differs(shards[0], m); what != "" {
			return config.Failf(config.ErrRefused, "%s is of another experiment than %s: %s", dir, dirs[0], what)
		}
	}
	c, cells, err := shards[0].prepare(resultFolder(dirs[0]))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err = resultFolder(dir).take(cells, false, o.Progress); err != nil {
			return err
		}
	}
	if err = missing(dirs, shards, cells); err != nil {
		return err
	}
	p := &playing{program: shards[0].Program, cells: cells, folder: out}
	if p.unlock, err = p.folder.open(o.Progress); err != nil {
		return err
	}
	defer p.unlock()
	if err := p.keepMerged(o.Progress); err != nil {
		return err
	}
	m := newManifest(c, p.program, cells, begin)
	m.Version, m.Engine = shards[0].Version, shards[0].Engine
	return p.write(c, m, o)
}

// prepare returns the cells of a shard's experiment as its program had them.
func (m *Manifest) prepare(f resultFolder) (*config.Config, []cellRun, error) {
	c, err := plan.Schema().Load(f.path("config.yaml"), nil)
	if err != nil {
		return nil, nil, err
	}
	cells, err := prepare(c, m.Program, m.Engine)
	if err != nil {
		return nil, nil, err
	}
	now := newManifest(c, m.Program, cells, time.Now())
	now.Version, now.Engine, now.Shard = m.Version, m.Engine, m.Shard
	if what := differs(m, now); what != "" {
		return nil, nil, config.Failf(config.ErrRefused, "%s does not give the settings of %s, which version %s wrote: %s", f.path("config.yaml"), f.shard(), m.Version.Version, what)
	}
	c.File = m.File
	return c, cells, nil
}

// differs returns in what a shard is not of the experiment of another one, empty for nothing.
func differs(a, b *Manifest) string {
	for _, x := range []struct {
		what string
		a, b any
	}{
		{"its program", a.Version.Version + " " + a.Program[:min(12, len(a.Program))], b.Version.Version + " " + b.Program[:min(12, len(b.Program))]},
		{"its engine", a.Engine, b.Engine},
		{"experiment.seeds", a.Seeds, b.Seeds},
		{"experiment.first_seed", a.FirstSeed, b.FirstSeed},
		{"its number of shards", path.Base(a.Shard), path.Base(b.Shard)},
		{"its number of cells", len(a.Cells), len(b.Cells)},
	} {
		if x.a != x.b {
			return fmt.Sprintf("%s is %v, not %v", x.what, x.b, x.a)
		}
	}
	for i := range a.Cells {
		p, q := &a.Cells[i], &b.Cells[i]
		switch {
		case p.Cell != q.Cell:
			return fmt.Sprintf("its cell %d is %q, not %q", i+1, q.Cell, p.Cell)
		case p.Data != q.Data:
			return fmt.Sprintf("the records of cell %q are others: %s, not %s", p.Cell, q.Data, p.Data)
		case p.Hash == q.Hash:
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(p.Settings)) {
			if now := q.Settings[key]; now != p.Settings[key] && !drawn(key) {
				return fmt.Sprintf("%s of cell %q is %s, not %s", key, p.Cell, now, p.Settings[key])
			}
		}
		return fmt.Sprintf("cell %q has other settings", p.Cell)
	}
	return ""
}

// missing returns which shards lack runs.
func missing(dirs []string, shards []*Manifest, cells []cellRun) error {
	first, err := ParseShard(shards[0].Shard)
	if err != nil {
		return err
	}
	var errs []error
	for i := range first.Of {
		shard := Shard{i + 1, first.Of}
		lacks := slices.DeleteFunc(runsOf(cells, shard), run.finished)
		if len(lacks) == 0 {
			continue
		}
		where := "of which no folder is named"
		if k := slices.IndexFunc(shards, func(m *Manifest) bool { return m.Shard == shard.String() }); k >= 0 {
			where = "in " + dirs[k]
		}
		errs = append(errs, fmt.Errorf("shard %v, %s, lacks %d, such as cell %q with seed %d", shard, where, len(lacks), lacks[0].cell.Name, lacks[0].cell.seed(lacks[0].k)))
	}
	if errs == nil {
		return nil
	}
	done, all := finished(cells, Shard{})
	return config.Failf(config.ErrData, "%d of %d runs are missing; peerd experiment run --shard with the same -o plays them\n%w", all-done, all, errors.Join(errs...))
}

// keepMerged keeps the runs that the folder does not have.
func (p *playing) keepMerged(w io.Writer) error {
	if err := p.folder.take(p.cells, true, w); err != nil {
		return err
	}
	for i := range p.cells {
		cell := &p.cells[i]
		had, _, _, err := readKept(p.folder.cell(cell.hash), cell.hash)
		if err != nil {
			return err
		}
		for k := range cell.runs {
			if _, ok := had[cell.seed(k)]; ok {
				continue
			}
			if err := p.folder.keep(cell.hash, keptRun{Seconds: cell.each[k], Run: cell.runs[k]}); err != nil {
				return err
			}
		}
	}
	return nil
}
