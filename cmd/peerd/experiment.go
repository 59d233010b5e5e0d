package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"peerd.dev/node/experiment"
	"peerd.dev/node/sim"
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
		Short: "Play a configuration's network in the simulator, once a seed",
		Long: `Play the network of a configuration in the simulator, once a seed and as many at
once as there are processors. The peers are the daemon's own; what happens is what
processes in lockstep would do. The same seed gives the same result. Noise comes from
the seeds, so simulated runs protect nobody.

The folder of results holds manifest.json (resolved settings, version, machine),
curves.csv (regret by seed and round) and summary.json.`,
		Example: `  peerd experiment run configs/testnet.yaml
  peerd experiment run configs/rows.yaml --set experiment.faults.loss=0.3 --set experiment.seeds=50 -o runs/loss`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.config = args[0]
			c, err := o.load()
			if err != nil {
				return err
			}
			if out == "" {
				name := strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
				out = filepath.Join("runs", time.Now().Format("2006-01-02-150405-")+name)
			}
			return runExperiment(cmd.Context(), o, c, out)
		},
	}
	run.Flags().StringVarP(&out, "out", "o", "", "folder for the results (default runs/<time>-<name>)")
	cmd.AddCommand(run)
	return cmd
}

// experimentDocument is the result of an experiment, over seeds.
type experimentDocument struct {
	Seeds    uint64              `json:"seeds"`
	Peers    int                 `json:"peers"`
	Rounds   uint64              `json:"rounds"`
	Regret   experiment.Interval `json:"regret"` // of the average honest peer at the end
	Alone    experiment.Interval `json:"regret_alone"`
	Messages float64             `json:"messages_a_peer_and_round"`
	Bytes    float64             `json:"bytes_a_peer_and_round"`
	Lost     float64             `json:"lost_share"`
	Refused  uint64              `json:"refused"`
	Epsilon  float64             `json:"epsilon_spent"` // by each peer; -1 for infinity
	Private  bool                `json:"private"`       // never: noise comes from seeds
	Seconds  float64             `json:"seconds"`
	Out      string              `json:"out"`
}

func runExperiment(ctx context.Context, o *options, c *Config, out string) error {
	s := &c.Settings
	// Simulated peers make garbage at a high rate and hold little: let it lie longer.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	graph, _, err := buildGraph(s.Testnet.Topology, s.Testnet.Nodes, max(1, s.Seed))
	if err != nil {
		return failf(exitConfig, "testnet.topology: %w", err)
	}
	world, err := s.sites(s.Testnet.Nodes)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	begin := time.Now()
	if err = writeManifest(filepath.Join(out, "manifest.json"), c, begin); err != nil {
		return err
	}
	links := neighbours(s.Testnet.Nodes, graph.Edges())
	seeds := seedsFrom(s.Experiment.FirstSeed, s.Experiment.Seeds)
	p := newProgress(o.stderr, fmt.Sprintf("%d seeds", len(seeds)), 2*uint64(len(seeds))*s.RoundCount())
	defer p.end()
	together, err := experiment.Runs(ctx, seeds, func(run uint64) (sim.Config, error) { return s.simulation(world, links, run) }, p.add)
	if err != nil {
		return err
	}
	single, err := experiment.Runs(ctx, seeds, func(run uint64) (sim.Config, error) { return s.aloneRun(world, run) }, p.add)
	if err != nil {
		return err
	}
	if err := writeCurves(filepath.Join(out, "curves.csv"), seeds, together, single); err != nil {
		return err
	}
	doc := sumUp(s, together, single)
	doc.Seconds, doc.Out = time.Since(begin).Seconds(), out
	if err := writeJSONFile(filepath.Join(out, "summary.json"), doc); err != nil {
		return err
	}
	p.end()
	return o.print(doc, func(w io.Writer) { writeExperiment(w, s, doc) })
}

func sumUp(s *Settings, together, single []sim.Result) experimentDocument {
	d := experimentDocument{Seeds: uint64(len(together)), Peers: s.Testnet.Nodes, Rounds: s.RoundCount(), Epsilon: together[0].Spent}
	if math.IsInf(d.Epsilon, 1) {
		d.Epsilon = -1
	}
	var a, b []float64
	var messages, lost, size uint64
	for i := range together {
		a, b = append(a, last(together[i].Regret)), append(b, last(single[i].Regret))
		messages += together[i].Messages
		lost += together[i].Lost
		size += together[i].Bytes
		d.Refused += together[i].Refused
	}
	steps := float64(d.Seeds) * float64(d.Peers) * float64(d.Rounds)
	d.Regret, d.Alone = experiment.MeanOf(a), experiment.MeanOf(b)
	d.Messages, d.Bytes = float64(messages)/steps, float64(size)/steps
	if messages > 0 {
		d.Lost = float64(lost) / float64(messages)
	}
	return d
}

func writeExperiment(w io.Writer, s *Settings, d experimentDocument) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "network\t%d peers, %s, protocol %s, %d rounds, %d seeds\n", d.Peers, s.Testnet.Topology, s.Protocol.Name, d.Rounds, d.Seeds)
	_, _ = fmt.Fprintf(t, "regret of a peer\t%s\t95 %% interval over seeds\n", meanText(d.Regret))
	_, _ = fmt.Fprintf(t, "  alone\t%s\n", meanText(d.Alone))
	_, _ = fmt.Fprintf(t, "messages\t%.3g a peer and round, %.3g bytes; %.1f %% lost, %d refused\n", d.Messages, d.Bytes, 100*d.Lost, d.Refused)
	_, _ = fmt.Fprintf(t, "ε charged\t%s a peer; simulated, so not private\n", strconv.FormatFloat(d.Epsilon, 'g', 4, 64))
	_, _ = fmt.Fprintf(t, "results\t%s\t%.1f s\n", d.Out, d.Seconds)
	_ = t.Flush()
}

// writeManifest writes down what is needed to get the same results again.
func writeManifest(name string, c *Config, begin time.Time) error {
	settings := map[string]string{}
	for _, k := range schema() {
		settings[k.Name] = valueText(c.value(k.Name).Interface())
	}
	return writeJSONFile(name, map[string]any{
		"command": os.Args, "configuration": c.File, "settings": settings,
		"version": readVersion(), "go": runtime.Version(), "machine": runtime.GOOS + "/" + runtime.GOARCH,
		"processors": runtime.NumCPU(), "begin": begin.UTC().Format(time.RFC3339),
	})
}

func writeCurves(name string, seeds []uint64, together, single []sim.Result) error {
	f, err := renameio.NewPendingFile(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // does nothing after success
	w := csv.NewWriter(f)
	_ = w.Write([]string{"seed", "round", "regret_together", "regret_alone"}) // errors stay with the writer
	for i, seed := range seeds {
		for j, round := range together[i].Points {
			_ = w.Write([]string{
				strconv.FormatUint(seed, 10), strconv.FormatUint(round, 10),
				strconv.FormatFloat(together[i].Regret[j], 'g', -1, 64), strconv.FormatFloat(single[i].Regret[j], 'g', -1, 64),
			})
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

func writeJSONFile(name string, doc any) error {
	f, err := renameio.NewPendingFile(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // does nothing after success
	if err := printJSON(f, doc); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
