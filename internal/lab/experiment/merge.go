package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
)

// Merge takes the finished runs of shards, which it does not change, and writes the results as [Run] does.
func Merge(ctx context.Context, dirs []string, o Options) error {
	begin := time.Now()
	shards := make([]*Manifest, len(dirs))
	for i, dir := range dirs {
		m, err := resultFolder(dir).readShard()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return config.Failf(config.ErrUsage, "%s is no folder of a shard: it has no shard.json, which peerd experiment run --shard writes", dir)
		case err != nil:
			return err
		case sameFolder(dir, o.Out):
			return config.Failf(config.ErrUsage, "%s is the folder of a shard: name another folder with -o", o.Out)
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
	if err := collect(ctx, dirs, cells, o); err != nil {
		return err
	}
	if err := missing(dirs, shards, cells); err != nil {
		return err
	}
	p := &playing{program: shards[0].Program, cells: cells, folder: resultFolder(o.Out)}
	if p.unlock, err = p.folder.open(o.Progress); err != nil {
		return err
	}
	defer p.unlock()
	if err := p.keepMerged(ctx); err != nil {
		return stopped(err, cells, Shard{}, o.Out)
	}
	m := newManifest(c, p.program, cells, begin)
	m.Version, m.Engine = shards[0].Version, shards[0].Engine
	return p.write(c, m, o)
}

func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
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
		{"its number of shards", afterSlash(a.Shard), afterSlash(b.Shard)},
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

func afterSlash(text string) string {
	_, after, _ := strings.Cut(text, "/")
	return after
}

// collect takes the finished runs of shards. The same run in two of them must be the same.
func collect(ctx context.Context, dirs []string, cells []cellRun, o Options) error {
	for _, dir := range dirs {
		f := resultFolder(dir)
		for i := range cells {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			cell := &cells[i]
			kept, _, damaged, err := readKept(f.cell(cell.hash), cell.hash)
			if err != nil {
				return err
			}
			if damaged > 0 {
				_, _ = fmt.Fprintf(o.Progress, "cell %q: damaged in %s, and not taken: %d\n", cell.Name, f.cell(cell.hash), damaged)
			}
			for k := range cell.runs {
				run, ok := kept[cell.seed(k)]
				if !ok {
					continue
				}
				if !cell.finished[k] {
					cell.finish(k, run)
					continue
				}
				if had, err := sumOf(cell.hash, &cell.runs[k]); err != nil || had != run.Sum {
					return config.Failf(config.ErrRefused, "%s: the run of cell %q with seed %d is another one in a shard named before: one of them was changed", f.cell(cell.hash), cell.Name, cell.seed(k))
				}
			}
		}
	}
	return nil
}

// missing returns which shards lack runs.
func missing(dirs []string, shards []*Manifest, cells []cellRun) error {
	first, err := ParseShard(shards[0].Shard)
	if err != nil {
		return err
	}
	var errs []error
	for i := range first.Of {
		lacks, shard := 0, Shard{i + 1, first.Of}
		var one run
		for place, r := range places(cells) {
			if shard.has(place) && !r.finished() {
				if lacks++; lacks == 1 {
					one = r
				}
			}
		}
		if lacks == 0 {
			continue
		}
		where := "of which no folder is named"
		if k := slices.IndexFunc(shards, func(m *Manifest) bool { return m.Shard == shard.String() }); k >= 0 {
			where = "in " + dirs[k]
		}
		errs = append(errs, fmt.Errorf("shard %v, %s, lacks %d, such as cell %q with seed %d", shard, where, lacks, one.cell.Name, one.cell.seed(one.k)))
	}
	if errs == nil {
		return nil
	}
	done, all := finished(cells, Shard{})
	return config.Failf(config.ErrData, "%d of %d runs are missing; peerd experiment run --shard with the same -o plays them\n%w", all-done, all, errors.Join(errs...))
}

// keepMerged keeps the runs that the folder does not have.
func (p *playing) keepMerged(ctx context.Context) error {
	for i := range p.cells {
		cell := &p.cells[i]
		had, _, err := p.folder.kept(cell.hash)
		if err != nil {
			return err
		}
		for k := range cell.runs {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
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
