package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/gossip/topology"
	"peerd.dev/node/experiment"
	"peerd.dev/node/sim"
	"peerd.dev/protocol"
)

func newExperiment(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Simulate networks over many seeds",
		Args:  cobra.NoArgs,
		RunE:  help,
	}
	var out string
	run := &cobra.Command{
		Use:   "run FILE",
		Short: "Play a configuration's cells in the simulator, once a seed",
		Long: `Play the cells of a configuration (experiment.cells) in the simulator, each once a
seed, as many runs at once as there are processors. The peers are the daemon's own; what
happens is what processes in lockstep would do. The same seed gives the same result.
Noise comes from the seeds, so simulated runs protect nobody.

The folder of results holds manifest.json (resolved settings of every cell, seeds,
version, machine, wall time), rows.jsonl and rows.parquet (regret by cell, seed and
round), summary.json, figure.svg and figure.png. An interrupted run goes on with the same
command and the same -o: cells that are finished are not played again.`,
		Example: `  peerd experiment run configs/figures/fig2a.yaml -o runs/fig2a
  peerd experiment run configs/rows.yaml --set experiment.faults.loss=0.3 --set experiment.seeds=50
  peerd experiment run configs/rows.yaml --set 'experiment.cells=[{set: {privacy.epsilon: [1, 2, 5]}}]'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.config = args[0]
			c, err := o.load()
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join("runs", time.Now().Format("2006-01-02-150405-")+configTitle(c))
			}
			return runExperiment(cmd.Context(), o, c, out)
		},
	}
	run.Flags().StringVarP(&out, "out", "o", "", "folder for the results (default runs/<time>-<name>)")
	cmd.AddCommand(run)
	return cmd
}

// configTitle returns the name of a configuration's file without what is around it.
func configTitle(c *Config) string {
	return strings.TrimSuffix(filepath.Base(c.File), filepath.Ext(c.File))
}

// A cellRun is a cell with its network and what came of it.
type cellRun struct {
	cellConfig
	graph  *topology.Graph
	gap    float64 // spectral, of the graph
	hash   string
	result cellResult
	done   bool
}

func runExperiment(ctx context.Context, o *options, c *Config, out string) error {
	// Simulated peers make garbage at a high rate and hold little: let it lie longer.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	begin := time.Now()
	cells, err := o.experiment(c)
	if err != nil {
		return err
	}
	f := resultFolder(out)
	if err = os.MkdirAll(f.path("cells"), 0o755); err != nil {
		return err
	}
	m := newManifest(c, cells, begin)
	if err = writeJSONFile(f.path("manifest.json"), m); err != nil {
		return err
	}
	total, done := uint64(0), 0
	for i := range cells {
		cell := &cells[i]
		if cell.result, cell.done = f.readCell(cell.hash); cell.done {
			done++
			continue
		}
		total += c.Experiment.Seeds * cell.steps()
	}
	if done > 0 {
		_, _ = fmt.Fprintf(o.stderr, "%d of %d cells are finished in %s and are not played again\n", done, len(cells), out)
	}
	p := newProgress(o.stderr, fmt.Sprintf("%d cells, %d seeds", len(cells)-done, c.Experiment.Seeds), max(1, total))
	defer p.end()
	for i := range cells {
		cell := &cells[i]
		if cell.done {
			continue
		}
		if err = cell.play(ctx, p.add); err != nil {
			return stopped(err, cell.Name, cells, out)
		}
		if err = writeJSONFile(f.cell(cell.hash), &cell.result); err != nil {
			return err
		}
		cell.done = true
	}
	p.end()
	doc := sumUp(c, cells)
	doc.Seconds, doc.Out = time.Since(begin).Seconds(), out
	m.end(cells)
	if err := f.write(m, doc, cells, c.figure(cells)); err != nil {
		return err
	}
	if err := o.print(doc, func(w io.Writer) { writeExperiment(w, doc) }); err != nil {
		return err
	}
	return doc.lawful()
}

// stopped says what an experiment has finished before it was interrupted.
func stopped(err error, name string, cells []cellRun, out string) error {
	done := 0
	for i := range cells {
		if cells[i].done {
			done++
		}
	}
	if codeOf(coded(err)) == exitInterrupted {
		return failf(exitInterrupted, "interrupted; %d of %d cells are finished in %s, and the same command with -o %s plays the others", done, len(cells), out, out)
	}
	return fmt.Errorf("cell %q: %w", name, err)
}

// experiment returns the cells of a configuration, checked and with their networks.
func (o *options) experiment(c *Config) ([]cellRun, error) {
	configs, err := o.cells(c)
	if err != nil {
		return nil, err
	}
	program, err := programHash()
	if err != nil {
		return nil, err
	}
	var cells []cellRun
	for _, cell := range configs {
		r := cellRun{cellConfig: cell, hash: cell.digest(program)}
		r.graph, _, err = buildGraph(cell.Testnet.Topology, cell.Testnet.Nodes, max(1, cell.Seed))
		if err != nil {
			return nil, failf(exitConfig, "cell %q: testnet.topology: %w", cell.Name, err)
		}
		r.gap = topology.SpectralGap(r.graph)
		if _, ok := r.x(c.Experiment.Figure.X); c.Experiment.Figure.Kind == "final" && !ok {
			return nil, failf(exitConfig, "cell %q: experiment.figure.x: %s is %s, want a finite number in all cells",
				cell.Name, c.Experiment.Figure.X, valueText(cell.value(c.Experiment.Figure.X).Interface()))
		}
		cells = append(cells, r)
	}
	return cells, nil
}

// steps returns how many agent steps a run of the cell takes.
func (r *cellRun) steps() uint64 { return uint64(r.Testnet.Nodes) * r.RoundCount() }

// play runs the cell over its seeds.
func (r *cellRun) play(ctx context.Context, progress func(steps uint64)) error {
	s := &r.Settings
	begin := time.Now()
	world, err := s.sites(s.Testnet.Nodes)
	if err != nil {
		return err
	}
	links := neighbours(s.Testnet.Nodes, r.graph.Edges())
	if s.Experiment.Alone {
		links = make([][]protocol.Peer, s.Testnet.Nodes)
	}
	seeds := seedsFrom(s.Experiment.FirstSeed, s.Experiment.Seeds)
	results, err := experiment.Runs(ctx, seeds, func(run uint64) (sim.Config, error) {
		c, bad := s.simulation(world, links, run)
		c.Laws = s.Experiment.Laws
		return c, bad
	}, func(rounds uint64) { progress(rounds * uint64(s.Testnet.Nodes)) })
	if err != nil {
		return err
	}
	r.result = cellResult{Cell: r.Name}
	for i := range results {
		r.result.Runs = append(r.result.Runs, experiment.NewRun(seeds[i], &results[i]))
	}
	r.result.Seconds = time.Since(begin).Seconds()
	return nil
}
