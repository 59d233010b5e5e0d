package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/gossip/topology"
)

func newTestnet(o *options) *cobra.Command {
	var t testnetOptions
	cmd := &cobra.Command{
		Use:   "testnet",
		Short: "Run a network of real peers on this machine and show what they learn",
		Long: `Run a network of peers, each a process of its own, over TCP on the loopback
interface: wait until all are linked, show a live table, and end with a summary when
all rounds are played. No process is left behind, also when interrupted.

Regret is what a site lost against always pulling the arm that is best over all
sites. "Alone" is the same peer without neighbours, simulated beside the network.

With world.kind: application the peers wait for an application of yours: each answers
on a port of its own, which is printed with the file that holds its token, until the
network is interrupted.`,
		Example: `  peerd testnet -c configs/testnet.yaml
  peerd testnet -c configs/rows.yaml -n 8 -t 'regular(3)'
  peerd testnet -c configs/application.yaml
  peerd testnet -c configs/testnet.yaml --json --keep`,
		Args: cobra.NoArgs,
		RunE: o.run(func(ctx context.Context) error {
			if err := t.apply(o); err != nil {
				return err
			}
			c, err := o.load()
			if err != nil {
				return err
			}
			return runTestnet(ctx, o, &c.Settings, t)
		}),
	}
	cmd.Flags().IntVarP(&t.nodes, "nodes", "n", 0, "number of peers, short for --set testnet.nodes=; sites take the rows of world.means in turn")
	cmd.Flags().StringVarP(&t.topology, "topology", "t", "", "who talks to whom, short for --set testnet.topology=")
	cmd.Flags().BoolVar(&t.keep, "keep", false, "keep the peers' folders and logs")
	return cmd
}

type testnetOptions struct {
	nodes    int
	topology string
	keep     bool
}

// apply turns the flags into settings.
func (t testnetOptions) apply(o *options) error {
	if t.topology != "" {
		o.set = append(o.set, "testnet.topology="+t.topology)
	}
	if t.nodes == 0 {
		return nil
	}
	o.set = append(o.set, fmt.Sprintf("testnet.nodes=%d", t.nodes))
	c, err := o.read()
	if err != nil {
		return err
	}
	rows := c.World.Means
	if t.nodes < 1 || len(rows) < 2 || len(rows) == t.nodes {
		return nil
	}
	means := make([][]float64, t.nodes)
	for i := range means {
		means[i] = rows[i%len(rows)]
	}
	o.set = append(o.set, "world.means="+valueText(means))
	return nil
}

// testnet is a network of processes on this machine.
type testnet struct {
	s     *Settings
	dir   string
	graph *topology.Graph
	net   *Network
	procs []*process
	alone alone
	gaps  []float64
	names []string
	apis  []string // where the peers of an application answer

	seeds  map[int]uint64 // of single peers, in lockstep, instead of those that follow from the run's
	traced bool           // peers write traces
}

func runTestnet(ctx context.Context, o *options, s *Settings, opts testnetOptions) (err error) {
	begin := time.Now()
	dir, err := os.MkdirTemp("", "peerd-testnet-")
	if err != nil {
		return err
	}
	t := &testnet{s: s, dir: dir}
	defer func() {
		t.stop()
		switch {
		case opts.keep:
			_, _ = fmt.Fprintf(o.stderr, "peers' folders are in %s\n", dir)
		case err != nil && ctx.Err() == nil && len(t.procs) > 0:
			_, _ = fmt.Fprintf(o.stderr, "logs of the peers are in %s\n", dir)
		default:
			_ = os.RemoveAll(dir)
		}
	}()
	if t.graph, _, err = buildGraph(s.Testnet.Topology, s.Testnet.Nodes, max(1, s.Seed)); err != nil {
		return failf(exitConfig, "testnet.topology: %w", err)
	}
	if s.World.Kind == Application {
		return t.serve(ctx, o.stderr)
	}
	world, err := s.sites(s.Testnet.Nodes)
	if err != nil {
		return err
	}
	t.announce(o.stderr)
	world.announce(o.stderr)
	if err = t.lay(); err != nil {
		return err
	}
	if err = t.start(); err != nil {
		return err
	}
	// The baseline is computed while the processes come up.
	if t.alone, t.gaps, err = baseline(ctx, s, world); err != nil {
		return err
	}
	if err = t.waitReady(ctx); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(o.stderr, "all linked after %.1f s\n", time.Since(begin).Seconds())
	table := newLiveTable(o.stderr)
	last, err := t.watch(ctx, table.every(), func(all []statusDocument, done bool) {
		table.show(done, func(w io.Writer, wide bool) { t.write(w, all, wide) })
	})
	if err != nil {
		return err
	}
	doc := t.summary(last, time.Since(begin))
	if s.Testnet.Seeds > 0 {
		t.stop() // the machine is free for simulations
		if doc.Seeds, err = t.compare(ctx, o.stderr, world); err != nil {
			return err
		}
	}
	return o.print(doc, func(w io.Writer) { writeSummary(w, s, doc) })
}

func (t *testnet) announce(w io.Writer) {
	s, rounds := t.s, t.s.RoundCount()
	_, _ = fmt.Fprintf(w, "peerd testnet: %d peers, %s, %d arms, protocol %s\n", s.Testnet.Nodes, s.Testnet.Topology, len(s.Arms), s.Protocol.Name)
	if s.Mode == Lockstep {
		_, _ = fmt.Fprintf(w, "lockstep: noise comes from a seed, so NOTHING HERE IS PRIVATE; %d rounds\n", rounds)
		return
	}
	user := "reward"
	if s.Privacy.RecordsPerUser > 1 {
		user = fmt.Sprintf("user of up to %d rewards", s.Privacy.RecordsPerUser)
	}
	_, _ = fmt.Fprintf(w, "ε = %g for each %s at each site, over all rounds; %d rounds of %v, about %v\n",
		float64(s.Privacy.Epsilon), user, rounds, s.Rounds.Every, (time.Duration(rounds) * s.Rounds.Every).Round(time.Second))
}

// waitReady returns when all peers say that their neighbours are linked.
func (t *testnet) waitReady(ctx context.Context) error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		waiting := ""
		for i, p := range t.procs {
			if err := p.exited(); err != nil {
				return err
			}
			d, err := p.status(ctx)
			if err != nil {
				waiting = fmt.Sprintf("%s does not answer: %v", t.names[i], err)
			} else if !d.LinksUp {
				waiting = t.names[i] + " is not linked to all its neighbours"
			}
		}
		if waiting == "" {
			return nil
		}
		if time.Now().After(deadline) {
			return failf(exitNetwork, "not ready in time: %s", waiting)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// watch shows the state of all peers again and again until all rounds are played,
// and returns the last one.
func (t *testnet) watch(ctx context.Context, every time.Duration, show func(all []statusDocument, done bool)) ([]statusDocument, error) {
	for {
		all := make([]statusDocument, len(t.procs))
		done := true
		for i, p := range t.procs {
			if err := p.exited(); err != nil {
				return nil, err
			}
			d, err := p.status(ctx)
			if err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return nil, failf(exitNetwork, "%s: %w", t.names[i], err)
			}
			all[i] = d
			done = done && d.Round >= d.Rounds
		}
		show(all, done)
		if done {
			return all, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(every):
		}
	}
}

// stop ends all processes; it may be called twice.
func (t *testnet) stop() {
	for _, p := range t.procs {
		p.release()
	}
	for _, p := range t.procs {
		p.wait(3 * time.Second)
	}
}

func (t *testnet) logPath(i int) string { return filepath.Join(t.dir, t.names[i], "log.txt") }
