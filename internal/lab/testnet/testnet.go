// Package testnet runs a network of peers on this machine, each a process of its own.
package testnet

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"peerd.dev/gossip/topology"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/lab/world"
)

// Net is a network of processes on this machine.
type Net struct {
	Settings  *config.Settings
	Dir       string
	Graph     *topology.Graph
	net       *config.Network
	Processes []*Process
	baseline  experiment.Baseline
	Names     []string
	apis      []string // where the peers of an application answer

	Seeds  map[int]uint64 // of single peers, in lockstep, instead of those that follow from the run's
	Traced bool           // peers write traces
}

// Options says what becomes of a run of a testnet.
type Options struct {
	Keep     bool                  // the peers' folders and logs
	Progress io.Writer             // lines and tables for people
	Show     func(*Document) error // called with the results
	Open     func(link string)     // called with the link of a page that shows all sites; nil for no page
}

// mostProcesses is the largest number of peers of a network of processes.
const mostProcesses = 200

// Run runs a network of processes until all rounds are played or, with an
// application, until ctx is done.
func Run(ctx context.Context, s *config.Settings, o Options) (err error) {
	begin := time.Now()
	n := plan.TestnetOf(s)
	if n.Nodes < 2 {
		return config.Failf(config.ErrRefused, "testnet.nodes: %d: want at least 2, since peers run for each other; `peerd experiment run` simulates one", n.Nodes)
	}
	if n.Nodes > mostProcesses {
		return config.Failf(config.ErrRefused, "testnet.nodes: %d: want at most %d, since each peer is a process on this machine; `peerd experiment run` simulates more", n.Nodes, mostProcesses)
	}
	dir, err := os.MkdirTemp("", "peerd-testnet-")
	if err != nil {
		return err
	}
	t := &Net{Settings: s, Dir: dir}
	defer func() {
		t.Stop()
		switch {
		case o.Keep:
			_, _ = fmt.Fprintf(o.Progress, "peers' folders are in %s\n", dir)
		case err != nil && ctx.Err() == nil && len(t.Processes) > 0:
			_, _ = fmt.Fprintf(o.Progress, "logs of the peers are in %s\n", dir)
		default:
			_ = os.RemoveAll(dir)
		}
	}()
	if t.Graph, _, err = graphs.Build(n.Topology, n.Nodes, max(1, s.Seed)); err != nil {
		return config.Failf(config.ErrRefused, "testnet.topology: %w", err)
	}
	if s.World.Kind == config.Application {
		return t.serve(ctx, &o)
	}
	if world.TraitsOf(plan.WorldParams(s)).Changing {
		return config.Failf(config.ErrRefused, "world.kind: %s, want arms that pay the same in all rounds, which regret is shown of; peerd experiment run plays it", s.World.Kind)
	}
	if err = plan.NoPrograms(s); err != nil {
		return err
	}
	source, err := plan.OpenWorld(s, s.SitesOf(n.Nodes))
	if err != nil {
		return err
	}
	t.announce(o.Progress)
	if about := source.About(); about != "" {
		_, _ = fmt.Fprintln(o.Progress, about)
	}
	if err = t.up(); err != nil {
		return err
	}
	// It is simulated while the processes come up.
	if t.baseline, err = experiment.NewBaseline(ctx, s, source, config.Neighbours(n.Nodes, t.Graph.Edges())); err != nil {
		return err
	}
	if err = t.WaitReady(ctx); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(o.Progress, "all linked after %.1f s\n", time.Since(begin).Seconds())
	board, end, err := t.openBoard(ctx, o.Open)
	if err != nil {
		return err
	}
	defer end()
	table := newLiveTable(o.Progress)
	last, err := t.Watch(ctx, table.every(), func(all []api.Status, done bool) {
		table.show(done, func(w io.Writer, wide bool) { t.write(w, all, wide) })
		board.show(all, nil)
	})
	if err != nil {
		return err
	}
	doc := t.summary(last, time.Since(begin))
	if n.Seeds > 0 {
		t.Stop() // the machine is free for simulations
		if doc.Seeds, err = t.compare(ctx, o.Progress, source); err != nil {
			return err
		}
	}
	if err = o.Show(&doc); err == nil {
		t.Stop()
		board.over(ctx, o.Progress, &doc)
	}
	return err
}

func (t *Net) announce(w io.Writer) {
	s, n, rounds := t.Settings, plan.TestnetOf(t.Settings), t.Settings.RoundCount()
	_, _ = fmt.Fprintf(w, "peerd testnet: %d peers, %s, %d actions, protocol %s\n", n.Nodes, n.Topology, len(s.Arms), s.Protocol.Name)
	if s.Mode == config.Lockstep {
		_, _ = fmt.Fprintf(w, "lockstep: noise comes from a seed, so NOTHING HERE IS PRIVATE; %d rounds\n", rounds)
		return
	}
	user := "reward"
	if s.Privacy.RecordsPerUser > 1 {
		user = fmt.Sprintf("user of up to %d rewards", s.Privacy.RecordsPerUser)
	}
	length := fmt.Sprintf("over all rounds; %d rounds of %v, about %v", rounds, s.Rounds.Every, (time.Duration(rounds) * s.Rounds.Every).Round(time.Second))
	if rounds == config.MostRounds {
		length = fmt.Sprintf("over its whole life; a round every %v, until an interrupt", s.Rounds.Every)
	}
	_, _ = fmt.Fprintf(w, "ε = %g for each %s at each site, %s\n", float64(s.Privacy.Epsilon), user, length)
}

// up writes the folders of all peers and starts a process for each.
func (t *Net) up() error {
	if err := t.WriteFolders(); err != nil {
		return err
	}
	return t.Start()
}

// WaitReady returns when all peers say that their neighbours are linked.
func (t *Net) WaitReady(ctx context.Context) error {
	deadline := time.Now().Add(30 * time.Second)
	return t.poll(ctx, 50*time.Millisecond, func(all []api.Status, silent error) (bool, error) {
		linked := silent == nil && !slices.ContainsFunc(all, func(d api.Status) bool { return !d.LinksUp })
		if linked || time.Now().Before(deadline) {
			return linked, nil
		}
		if at := slices.IndexFunc(all, func(d api.Status) bool { return !d.LinksUp }); silent == nil {
			silent = fmt.Errorf("%s is not linked to all its neighbours", t.Names[at])
		}
		return false, config.Failf(config.ErrNetwork, "not ready in time: %w", silent)
	})
}

// poll asks all peers how they are, again and again, until do says that this is enough. silent is the error of one that did not answer.
func (t *Net) poll(ctx context.Context, every time.Duration, do func(all []api.Status, silent error) (enough bool, err error)) error {
	for {
		all, silent := make([]api.Status, len(t.Processes)), error(nil)
		for i, p := range t.Processes {
			if err := p.Exited(); err != nil {
				return err
			}
			var err error
			if all[i], err = p.Status(ctx); err != nil {
				silent = fmt.Errorf("%s: %w", t.Names[i], err)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if enough, err := do(all, silent); enough || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
}

// Watch shows the state of all peers again and again until all rounds are played,
// and returns the last one.
func (t *Net) Watch(ctx context.Context, every time.Duration, show func(all []api.Status, done bool)) (last []api.Status, err error) {
	err = t.poll(ctx, every, func(all []api.Status, silent error) (bool, error) {
		if last = all; silent != nil {
			return false, config.Failf(config.ErrNetwork, "%w", silent)
		}
		done := !slices.ContainsFunc(all, func(d api.Status) bool { return d.Round < d.Rounds })
		show(all, done)
		return done, nil
	})
	return last, err
}

// Stop ends all processes; it may be called twice.
func (t *Net) Stop() {
	for _, p := range t.Processes {
		p.Release()
	}
	for _, p := range t.Processes {
		p.Wait(3 * time.Second)
	}
}

// LogPath returns the file that holds the output of peer i.
func (t *Net) LogPath(i int) string { return filepath.Join(t.Dir, t.Names[i], "log.txt") }
