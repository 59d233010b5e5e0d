package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"peerd.dev/gossip/topology"
	"peerd.dev/node/api"
)

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

// testnetRun says what becomes of a run of a testnet.
type testnetRun struct {
	Keep     bool                         // the peers' folders and logs
	Progress io.Writer                    // lines and tables for people
	Show     func(*testnetDocument) error // called with the results
}

// runTestnet runs a network of processes until all rounds are played or, with an
// application, until ctx is done.
func runTestnet(ctx context.Context, s *Settings, o testnetRun) (err error) {
	begin := time.Now()
	dir, err := os.MkdirTemp("", "peerd-testnet-")
	if err != nil {
		return err
	}
	t := &testnet{s: s, dir: dir}
	defer func() {
		t.stop()
		switch {
		case o.Keep:
			_, _ = fmt.Fprintf(o.Progress, "peers' folders are in %s\n", dir)
		case err != nil && ctx.Err() == nil && len(t.procs) > 0:
			_, _ = fmt.Fprintf(o.Progress, "logs of the peers are in %s\n", dir)
		default:
			_ = os.RemoveAll(dir)
		}
	}()
	if t.graph, _, err = buildGraph(s.Testnet.Topology, s.Testnet.Nodes, max(1, s.Seed)); err != nil {
		return failf(ErrRefused, "testnet.topology: %w", err)
	}
	if s.World.Kind == Application {
		return t.serve(ctx, o.Progress)
	}
	world, err := s.sites(s.Testnet.Nodes)
	if err != nil {
		return err
	}
	t.announce(o.Progress)
	world.announce(o.Progress)
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
	_, _ = fmt.Fprintf(o.Progress, "all linked after %.1f s\n", time.Since(begin).Seconds())
	table := newLiveTable(o.Progress)
	last, err := t.watch(ctx, table.every(), func(all []api.Status, done bool) {
		table.show(done, func(w io.Writer, wide bool) { t.write(w, all, wide) })
	})
	if err != nil {
		return err
	}
	doc := t.summary(last, time.Since(begin))
	if s.Testnet.Seeds > 0 {
		t.stop() // the machine is free for simulations
		if doc.Seeds, err = t.compare(ctx, o.Progress, world); err != nil {
			return err
		}
	}
	return o.Show(&doc)
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
			} else if !d.Ready {
				waiting = t.names[i] + " is not linked to all its neighbours"
			}
		}
		if waiting == "" {
			return nil
		}
		if time.Now().After(deadline) {
			return failf(ErrNetwork, "not ready in time: %s", waiting)
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
func (t *testnet) watch(ctx context.Context, every time.Duration, show func(all []api.Status, done bool)) ([]api.Status, error) {
	for {
		all := make([]api.Status, len(t.procs))
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
				return nil, failf(ErrNetwork, "%s: %w", t.names[i], err)
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
