package claims

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"peerd.dev/configs"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/catalog"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal"
)

// Options say which claims are judged, and from what.
type Options struct {
	IDs      []string
	Quick    bool
	Jobs     int       // runs at a time; 0 for as many as processors
	Out      string    // folder that has a folder of results for each figure
	Stored   bool      // judge what is in Out and play nothing
	Progress io.Writer // lines and bars for people
}

// A played figure has the cells that claims need, by name.
type played struct {
	config  *config.Config
	cells   map[string]Cell // never ranged over
	size    string
	why     string // no cells are there
	program string
}

// Run plays the figures that claims need, each once and no other cells than those, and judges the claims.
func Run(ctx context.Context, o Options) (*Document, error) {
	begin := time.Now()
	t, err := Read()
	if err != nil {
		return nil, err
	}
	some, err := t.pick(o.IDs)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(o.Out); o.Stored && (err != nil || !info.IsDir()) {
		return nil, config.Failf(config.ErrUsage, "%s is no folder: name one that has a folder of results for each figure", o.Out)
	}
	names, cells := needs(some, o.Quick)
	figures := make(map[string]*played) // never ranged over
	for i, name := range names {
		f, err := t.open(name, o.Quick)
		if err != nil {
			return nil, err
		}
		figures[name] = f
		if len(cells[name]) == 0 || f.why != "" {
			continue
		}
		if !o.Stored {
			_, _ = fmt.Fprintf(o.Progress, "%d of %d: %s\n", i+1, len(names), name)
			err = f.play(ctx, filepath.Join(o.Out, name), cells[name], o)
		}
		if err == nil {
			err = f.read(filepath.Join(o.Out, name), cells[name])
		}
		if errors.Is(err, context.Canceled) {
			return nil, config.Failf(context.Canceled, "interrupted in %s; the same command with -o %s goes on", name, o.Out)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	d := &Document{Quick: o.Quick, Out: o.Out}
	for i := range some {
		d.Claims = append(d.Claims, judge(&some[i], figures, o.Quick))
	}
	if len(o.IDs) == 0 {
		d.Errata = t.Errata
	}
	for _, name := range names {
		if v := figures[name].program; v != "" && !slices.Contains(d.Programs, v) {
			d.Programs = append(d.Programs, v)
		}
	}
	d.Seconds = time.Since(begin).Seconds()
	return d, nil
}

// needs returns the figures that decide claims, in the order of their first claim, and the cells of each.
func needs(some []Claim, quick bool) (names []string, cells map[string][]string) {
	cells = make(map[string][]string)
	for i := range some {
		if quick && some[i].Full != "" {
			continue
		}
		for _, p := range some[i].Parts {
			for _, at := range p.places {
				if !slices.Contains(names, at.figure) {
					names = append(names, at.figure)
				}
				if at.cell != "" && !slices.Contains(cells[at.figure], at.cell) {
					cells[at.figure] = append(cells[at.figure], at.cell)
				}
			}
		}
	}
	return names, cells
}

// open loads the configuration of a figure with at least the seeds that a verdict needs. It notes data that is not there.
func (t *Table) open(name string, quick bool) (f *played, err error) {
	f = new(played)
	at := slices.IndexFunc(t.Files, func(f File) bool { return f.Name == name })
	if x, ok := catalog.Find(name); ok {
		if data := x.Missing(); data != "" {
			f.why = fmt.Sprintf("no folder %s in PEERD_DATA: scripts/fetch-data.sh gets it", data)
			return f, nil
		}
		var sets []string
		if slices.Contains(t.Ten, name) && !quick {
			sets = []string{"experiment.seeds=10"}
		}
		if at >= 0 && quick {
			sets = entries(t.Files[at].Quick)
		} else if at >= 0 {
			sets = entries(t.Files[at].Set)
		}
		f.config, err = x.Load(quick, sets)
	} else if at >= 0 {
		x := t.Files[at]
		sets := entries(x.Set)
		if quick {
			sets = append(sets, entries(x.Quick)...)
		}
		var text []byte
		if text, err = configs.Files.ReadFile(x.Path); err == nil {
			f.config, err = plan.Schema().LoadText(x.Path, text, sets)
		}
	} else {
		err = fmt.Errorf("configs/claims.yaml: no figure is called %s", name)
	}
	if err == nil && plan.ExperimentOf(&f.config.Settings).Seeds < fewest {
		f.config, err = f.config.Reload([]string{fmt.Sprintf("experiment.seeds=%d", fewest)})
	}
	return f, err
}

// entries writes settings as --set has them.
func entries(set map[string]any) (all []string) {
	for _, key := range slices.Sorted(maps.Keys(set)) {
		all = append(all, key+"="+config.ValueText(set[key]))
	}
	return all
}

// only returns the configuration of a figure with some of its cells. The hash of a cell does not depend on the others.
func (f *played) only(names []string) (*config.Config, error) {
	all, err := plan.Cells(f.config)
	if err != nil {
		return nil, err
	}
	some := "experiment.cells="
	for _, cell := range all {
		if slices.Contains(names, cell.Name) {
			some += fmt.Sprintf("\n- name: %q\n  set:", cell.Name)
			for _, entry := range cell.Set {
				some += "\n    " + strings.Replace(entry, "=", ": ", 1)
			}
		}
	}
	return f.config.Reload([]string{some})
}

// play plays some cells of a figure into a folder of results.
func (f *played) play(ctx context.Context, out string, names []string, o Options) error {
	c, err := f.only(names)
	if err != nil {
		return err
	}
	return experiment.Run(ctx, c, experiment.Options{
		Out: out, Jobs: o.Jobs, Progress: o.Progress, Show: func(*experiment.Document) error { return nil },
	})
}

// read takes cells of a figure from a folder of results.
func (f *played) read(dir string, names []string) error {
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); errors.Is(err, fs.ErrNotExist) {
		f.why = "no finished experiment of " + filepath.Base(dir) + " is stored"
		return nil
	}
	r, err := experiment.Read(dir)
	if err != nil {
		return err
	}
	cells, err := plan.Cells(r.Config)
	if err != nil {
		return err
	}
	wanted, err := plan.Cells(f.config)
	if err != nil {
		return err
	}
	v := &r.Manifest.Version
	f.cells, f.program = make(map[string]Cell), fmt.Sprintf("peerd %s %.12s (program %.12s)", v.Version, v.Revision, r.Manifest.Program)
	seconds := make(map[string]float64) // never ranged over
	for _, m := range r.Manifest.Cells {
		seconds[m.Cell] = m.Seconds
	}
	for i := range cells {
		c := &cells[i]
		if !slices.Contains(names, c.Name) {
			continue
		}
		n := plan.TestnetOf(&c.Settings).Nodes
		if k := slices.IndexFunc(wanted, func(w plan.CellConfig) bool { return w.Name == c.Name }); k >= 0 {
			if w := &wanted[k]; c.RoundCount() < w.RoundCount() || n < plan.TestnetOf(&w.Settings).Nodes {
				f.why = fmt.Sprintf("what is stored of %s is smaller than this form: %s rounds of %d peers", filepath.Base(dir), terminal.Number(c.RoundCount()), n)
				return nil
			}
		}
		cost := plan.ExperimentOf(&c.Settings).Cost
		f.cells[c.Name] = Cell{Name: c.Name, Runs: r.Runs[i], Shares: plan.Shares(c), Hub: cost.Hub, Link: cost.Link, Seconds: seconds[c.Name]}
		if f.size == "" {
			f.size = fmt.Sprintf("%d sites, %d arms, %s rounds", c.SitesOf(n), len(c.Arms), terminal.Number(c.RoundCount()))
		}
	}
	return nil
}
