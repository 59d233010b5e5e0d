// Package experiment plays the cells of a configuration in the simulator, over seeds, and
// keeps the results in a folder.
package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"peerd.dev/gossip/topology"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/program"
	"peerd.dev/internal/lab/progress"
	"peerd.dev/internal/version"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/stats"
	"peerd.dev/node/lab/world"
)

// Title returns the base name of a configuration's file without its extension.
func Title(c *config.Config) string {
	return strings.TrimSuffix(filepath.Base(c.File), filepath.Ext(c.File))
}

// A cellRun is a cell with its network and its results.
type cellRun struct {
	plan.CellConfig
	graph    *topology.Graph // nil if the peers do not communicate
	gap      float64         // spectral, of the graph; 0 without one
	world    world.Source
	began    string // scripts before the first run
	hash     string
	runs     []stats.Run // by seed
	finished []bool      // by seed
	each     []float64   // seconds of finished runs, by seed
	seconds  float64     // of the finished runs, added up
	bound    cellBound   // nil where none is computed
	alone    []float64   // by run, see boundAlone
}

// Options say where the results of an experiment go, and how its runs are played.
type Options struct {
	Out      string                // folder
	Jobs     int                   // runs at a time; 0 for as many as processors
	Engine   Engine                // plays the peers; nil for the simulator
	Progress io.Writer             // lines and bars for people
	Show     func(*Document) error // called with the results before figures are drawn
}

// An Engine plays the peers of runs in place of the simulator.
type Engine interface {
	// Name returns what manifests call it.
	Name() string
	// Refuse returns which setting it cannot play.
	Refuse(s *config.Settings) error
	// Play plays the run of a number, until ctx is done.
	Play(ctx context.Context, s *config.Settings, graph *topology.Graph, run uint64) (*sim.Played, error)
}

// engine returns the name of the engine, empty for the simulator.
func (o *Options) engine() string {
	if o.Engine == nil {
		return ""
	}
	return o.Engine.Name()
}

// A playing is an experiment in a folder of results that is locked.
type playing struct {
	program string
	cells   []cellRun
	folder  resultFolder
	unlock  func()
}

// begin prepares the cells, and opens the folder and locks it.
func (o *Options) begin(c *config.Config) (*playing, error) {
	if o.Jobs < 0 {
		return nil, config.Failf(config.ErrUsage, "--jobs: %d: want 1 or more, or 0 for as many as processors", o.Jobs)
	}
	program, err := version.ProgramHash() // another program might play a cell differently
	if err != nil {
		return nil, err
	}
	cells, err := prepare(c, program, o.engine())
	if err != nil {
		return nil, err
	}
	for i := range cells {
		if o.Engine == nil {
			break
		}
		if err = o.Engine.Refuse(&cells[i].Settings); err != nil {
			return nil, fmt.Errorf("cell %q: %w", cells[i].Name, err)
		}
	}
	p := &playing{program: program, cells: cells, folder: resultFolder(o.Out)}
	p.unlock, err = p.folder.open(o.Progress)
	return p, err
}

// play plays the runs of a shard that are not finished.
func (p *playing) play(ctx context.Context, o Options, shard Shard) error {
	// Simulated peers make much garbage and hold little: collect it less often.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	if err := p.folder.take(p.cells, true, o.Progress); err != nil {
		return err
	}
	if done, all := finished(p.cells, shard); done > 0 {
		_, _ = fmt.Fprintf(o.Progress, "%d of %d runs are finished in %s and are not played again\n", done, all, p.folder)
	}
	return stopped(playCells(ctx, &o, p.folder, p.cells, shard), p.cells, shard, o.Out)
}

// Run plays the cells of a configuration that are not finished in the folder of
// results, and writes the results there.
func Run(ctx context.Context, c *config.Config, o Options) error {
	begin := time.Now()
	p, err := o.begin(c)
	if err != nil {
		return err
	}
	defer p.unlock()
	if err := p.play(ctx, o, Shard{}); err != nil {
		return err
	}
	m := newManifest(c, p.program, p.cells, begin)
	m.Engine = o.engine()
	return p.write(c, m, o)
}

// write writes and shows the results.
func (p *playing) write(c *config.Config, m *Manifest, o Options) error {
	doc := sumUp(c, p.cells)
	doc.Seconds, doc.Out = time.Since(m.Begin).Seconds(), o.Out
	if err := p.folder.write(m, doc, p.cells, c); err != nil {
		return err
	}
	if err := o.Show(doc); err != nil {
		return err
	}
	return errors.Join(p.folder.draw(figureOf(c, p.cells)), doc.lawful())
}

// seed returns the seed of run k, from 0.
func (r *cellRun) seed(k int) uint64 { return plan.ExperimentOf(&r.Settings).FirstSeed + uint64(k) }

// finish records run k.
func (r *cellRun) finish(k int, run keptRun) {
	r.runs[k], r.finished[k], r.each[k] = run.Run, true, run.Seconds
	r.seconds += run.Seconds
}

// A run is run number k of a cell, from 0.
type run struct {
	cell *cellRun
	k    int
}

// finished reports whether the run is finished.
func (r run) finished() bool { return r.cell.finished[r.k] }

// runsOf returns the runs of a shard, in their order.
func runsOf(cells []cellRun, shard Shard) (all []run) {
	place := 0
	for i := range cells {
		for k := range cells[i].runs {
			if shard.has(place) {
				all = append(all, run{&cells[i], k})
			}
			place++
		}
	}
	return all
}

// finished returns how many runs of a shard are finished, and how many there are.
func finished(cells []cellRun, shard Shard) (done, all int) {
	runs := runsOf(cells, shard)
	for _, r := range runs {
		if r.finished() {
			done++
		}
	}
	return done, len(runs)
}

// playCells plays the remaining runs of a shard, several at a time, and saves each when it is finished.
func playCells(ctx context.Context, o *Options, f resultFolder, cells []cellRun, shard Shard) error {
	var jobs []run
	steps, unfinished := uint64(0), make(map[*cellRun]bool) // never ranged over
	for _, r := range runsOf(cells, shard) {
		if !r.finished() {
			jobs = append(jobs, r)
			steps += r.cell.steps()
			unfinished[r.cell] = true
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	p := progress.New(o.Progress, fmt.Sprintf("%d cells, %d runs", len(unfinished), len(jobs)), steps)
	defer p.End()
	var mu sync.Mutex // of the cells and their files
	return stats.EachOf(ctx, cmp.Or(o.Jobs, runtime.GOMAXPROCS(0)), len(jobs), func(ctx context.Context, i int) error {
		cell, k := jobs[i].cell, jobs[i].k
		begin := time.Now()
		run, err := cell.play(ctx, k, o.Engine, p.Add)
		if err != nil {
			return fmt.Errorf("cell %q: %w", cell.Name, err)
		}
		keep := keptRun{Seconds: time.Since(begin).Seconds(), Run: run}
		mu.Lock()
		defer mu.Unlock()
		cell.finish(k, keep)
		return f.keep(cell.hash, keep)
	})
}

// stopped adds to an interruption what the experiment has finished.
func stopped(err error, cells []cellRun, shard Shard, out string) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	done, all := finished(cells, shard)
	return config.Failf(context.Canceled, "interrupted; %d of %d runs are finished in %s, and the same command with -o %s plays the others", done, all, out, out)
}

// prepare returns the cells of a configuration, checked and with their networks and worlds.
func prepare(c *config.Config, program, engine string) ([]cellRun, error) {
	configs, err := plan.Cells(c)
	if err != nil {
		return nil, err
	}
	worlds := make(map[string]world.Source) // by what they are made of; never ranged over
	var cells []cellRun
	figure := plan.ExperimentOf(&c.Settings).Figure
	for _, cell := range configs {
		x, net := plan.ExperimentOf(&cell.Settings), plan.TestnetOf(&cell.Settings)
		r := cellRun{CellConfig: cell, runs: make([]stats.Run, x.Seeds), finished: make([]bool, x.Seeds), each: make([]float64, x.Seeds)}
		if !plan.Apart(&cell.Settings) {
			r.graph, _, err = graphs.Build(net.Topology, net.Nodes, max(1, cell.Seed))
			if err != nil {
				return nil, config.Failf(config.ErrRefused, "cell %q: testnet.topology: %w", cell.Name, err)
			}
			r.gap = graphs.SpectralGap(r.graph)
		}
		if err = r.drawable(&figure); err != nil {
			return nil, err
		}
		n := cell.SitesOf(net.Nodes)
		made := madeOf(&cell, append(plan.Schema().Under("world"), "arms")...) + strconv.Itoa(n)
		if worlds[made] == nil {
			if worlds[made], err = plan.OpenWorld(&cell.Settings, n); err != nil {
				return nil, fmt.Errorf("cell %q: %w", cell.Name, err)
			}
		}
		r.world = worlds[made]
		if _, bad := plan.SitesOfNetwork(r.world); bad == nil && x.Instances > 0 {
			return nil, config.Failf(config.ErrRefused, "cell %q: experiment.instances: %d, want 0 with a world that draws no means for every run",
				cell.Name, x.Instances)
		}
		if r.began, err = r.scripts(); err != nil {
			return nil, fmt.Errorf("cell %q: %w", cell.Name, err)
		}
		r.hash = digest(&cell, program, engine, r.world.Data()+r.began)
		if r.bound, err = r.lowerBound(); err != nil {
			return nil, fmt.Errorf("cell %q: %w", cell.Name, err)
		}
		if r.alone, err = r.boundAlone(); err != nil {
			return nil, fmt.Errorf("cell %q: %w", cell.Name, err)
		}
		cells = append(cells, r)
	}
	return cells, nil
}

// steps returns how many agent steps a run of the cell takes.
func (r *cellRun) steps() uint64 { return uint64(plan.TestnetOf(&r.Settings).Nodes) * r.RoundCount() }

// play plays run k of the cell, from 0.
func (r *cellRun) play(ctx context.Context, k int, engine Engine, progress func(steps uint64)) (stats.Run, error) {
	programs := program.NewRun(ctx, r.seed(k), r.RoundCount(), filepath.Dir(r.File))
	s := plan.Play(&r.Settings, programs)
	result, err := stats.One(ctx, r.seed(k), func(run uint64) (c sim.Config, bad error) {
		if r.graph == nil {
			c, bad = SimulateAlone(s, r.world, run)
		} else {
			c, bad = Simulate(s, r.world, config.Neighbours(plan.TestnetOf(s).Nodes, r.graph.Edges()), run)
		}
		c.Cover = plan.ExperimentOf(s).Coverage
		if bad == nil && c.Cover && c.Truth == nil {
			bad = config.Failf(config.ErrRefused, "experiment.coverage: want false with %s: the world states no means", s.With("world.kind"))
		}
		if plan.Command(s) != nil {
			programs.Guard(c.Worlds)
		}
		if bad == nil && engine != nil {
			c.Played, bad = engine.Play(ctx, s, r.graph, run)
		}
		return c, bad
	}, func(rounds uint64) { progress(rounds * uint64(plan.TestnetOf(s).Nodes)) })
	if err = programs.Close(err); err == nil {
		err = r.unchanged()
	}
	if err != nil {
		return stats.Run{}, err
	}
	return stats.NewRun(r.seed(k), &result), nil
}
