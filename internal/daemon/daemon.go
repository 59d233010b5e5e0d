// Package daemon is a running peer: its place in a network, its store, its links and its API.
package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/lockstep"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// readyTimeout is how long lockstep waits for all neighbours.
const readyTimeout = 30 * time.Second

// Daemon is a running peer's parts.
type Daemon struct {
	log       *slog.Logger
	unlock    func()         // unlocks the folder
	site      *site.Site     // in mode live
	node      *lockstep.Node // in lockstep
	server    *api.Server
	record    *Record // of the network document; nil without one
	links     *links  // nil for a peer that must not show itself
	run       gossip.Run
	complaint string // last complaint that was logged; used by follow
	noticed   string // last notice about the document that was logged; used by follow
	clock     bool   // a wrong clock was logged; used by follow
	metrics   []prometheus.Collector
	silent    sync.Once
	backup    sync.Mutex // one is written at a time
	gains     gains
	heard     heard
	alarm     chan struct{}
	damaged   chan error // receives damage of the store

	closers []io.Closer // in the order of closing

	mu         sync.RWMutex // held for writing while a change of the network replaces both
	deployment *Deployment
	host       *gossip.Host // nil for a peer that must not show itself
}

// now returns the present deployment and host.
func (p *Daemon) now() (*Deployment, *gossip.Host) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.deployment, p.host
}

// Options are what a peer needs in addition to its settings.
type Options struct {
	Trace   string // folder for a trace, only in lockstep; empty for none
	Version string // of the program, for the API
}

// New opens the peer of valid settings: its folder, which no other process may be using, the
// network file, the store and the network. [Daemon.Run] plays it, and [Daemon.Close] ends it.
func New(s *config.Settings, o Options, log *slog.Logger) (_ *Daemon, err error) {
	if o.Trace != "" && s.Mode != config.Lockstep {
		return nil, config.Failf(config.ErrUsage, "--trace writes down what a peer keeps to itself; it needs mode: lockstep")
	}
	if s.Mode == config.Live {
		if err = OwnDir(s.Dir); err != nil {
			return nil, err
		}
	}
	if err = checkSocket(s.Dir); err != nil {
		return nil, err
	}
	p := &Daemon{log: log, heard: heard{now: time.Now, since: time.Now()}, run: gossip.NewRun(), alarm: make(chan struct{}, 1), damaged: make(chan error, 1)}
	if p.unlock, err = LockDir(s.Dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(withOwner(s.Dir, err), p.Close())
		}
	}()
	if p.deployment, err = NewDeployment(s); err != nil {
		return nil, err
	}
	if s.Mode == config.Lockstep {
		err = p.lockstep(o.Trace)
	} else {
		err = p.live()
	}
	if err != nil {
		return nil, err
	}
	p.server, err = api.NewServer(api.Config{
		Dir: s.Dir, Listen: s.API.Listen, MaxBody: int64(s.API.MaxBody), Backend: p, Logger: log, Version: o.Version, Every: p.deployment.Network.Every,
		Collectors: p.metrics, NoisedCounts: p.deployment.Spec.Privacy.NoisedCounts(),
	})
	return p, err
}

// live opens the store and, unless an earlier start found that the folder is an old
// copy, the network.
func (p *Daemon) live() (err error) {
	commits := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "peerd_store_commit_seconds", Help: "Time until what was written is durable.",
		Buckets: prometheus.ExponentialBuckets(100e-6, 2, 14),
	})
	if !p.deployment.Spec.Privacy.NoisedCounts() { // each decision is a commit
		p.metrics = append(p.metrics, commits, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "peerd_store_memory_bytes", Help: "Memory of the store: writes that are in no table yet, and blocks of tables.",
		}, func() float64 { return float64(p.site.StoreMemory()) }))
	}
	if err = os.RemoveAll(filepath.Join(p.deployment.s.Dir, copyDir)); err != nil { // of a backup that a crash ended
		return err
	}
	alarm := func(error) { p.alarm <- struct{}{} }
	o := store.Options{Observe: func(d time.Duration) { commits.Observe(d.Seconds()) }, Damaged: func(err error) { p.damaged <- err }}
	if p.site, err = p.deployment.site(p.log, o, alarm); err != nil {
		return withWayOut(p.deployment.s.Dir, err)
	}
	if p.site.OldCopy() {
		p.log.Error("nothing is released", "reason", p.site.Ready(context.Background()))
		return nil
	}
	c, err := p.hostConfig()
	if err != nil {
		return err
	}
	if p.host, err = gossip.NewHost(c); err != nil {
		return config.Failf(config.ErrNetwork, "%w", err)
	}
	p.links, p.record = newLinks(p.host), p.deployment.Record
	return nil
}

// hostConfig returns the configuration of the live peer's host.
func (p *Daemon) hostConfig() (c gossip.Config, err error) {
	c = p.deployment.HostConfig(p.site.Incarnation(), p.log)
	c.Checkpoint, _ = p.site.Checkpoint()
	c.Checkpoints, c.Run, c.MostRecords = true, p.run, p.site.MostRecords()
	c.OnRemembered, c.OnMemory, c.OnCheckpoint, c.OnRival = p.site.OnRemembered, p.site.OnMemory, p.site.OnCheckpoint, p.site.OnRival
	c.OnFork, c.Holds, c.Forks = p.site.OnFork, p.site.Holds, p.site.Forks()
	c.Known, err = p.site.Checkpoints()
	return c, err
}

func (p *Daemon) lockstep(trace string) error {
	seed := node.NewSeed(p.deployment.s.Seed)
	agent, err := p.deployment.agent(site.Life{Seed: seed}, seed.Noise())
	if err != nil {
		return err
	}
	var w bandit.World
	if !agent.Idle() {
		if w, err = p.deployment.world(seed); err != nil {
			return err
		}
	}
	record, tap, err := p.trace(trace)
	if err != nil {
		return err
	}
	c := p.deployment.HostConfig(0, p.log)
	c.Tap = tap
	if p.host, err = gossip.NewHost(c); err != nil {
		return config.Failf(config.ErrNetwork, "%w", err)
	}
	p.node = lockstep.New(lockstep.Config{
		Agent: agent, World: w, Transport: p.host, Neighbours: p.deployment.Links,
		Rounds: p.deployment.s.RoundCount(), Trace: record, Logger: p.log,
	})
	return nil
}

// Run plays until ctx is done or something fails.
func (p *Daemon) Run(ctx context.Context) error {
	spareCollections(ctx)
	manager, fault := newService(p.Ready, p.log)
	if fault != nil {
		return config.Failf(config.ErrUsage, "WATCHDOG_USEC: %w", fault)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	all.Go(func() {
		if err := p.server.Run(ctx); err != nil {
			cancel(err)
		}
	})
	all.Go(func() { p.watch(ctx, cancel) })
	all.Go(func() { manager.run(ctx) })
	deployment, host := p.now()
	if p.links != nil {
		all.Go(func() { p.confirm(ctx) })
	}
	if p.site != nil && !deployment.idle() {
		all.Go(func() { p.look(ctx) })
	}
	if p.record != nil {
		all.Go(func() {
			if err := p.follow(ctx); err != nil {
				cancel(err)
			}
		})
	}
	if host != nil {
		p.log.Info("peer is up", "peer", deployment.Network.Peers[deployment.Self].Name, "network", deployment.Network.Name, "addresses", host.Addrs())
	}
	err := p.play(ctx)
	cause := context.Cause(ctx)
	cancel(nil)
	all.Wait()
	p.log.Info("peer ends", "peer", p.deployment.Network.Peers[p.deployment.Self].Name)
	if err != nil {
		return withWayOut(p.deployment.s.Dir, err)
	}
	if cause != nil && !errors.Is(cause, context.Canceled) {
		return withWayOut(p.deployment.s.Dir, cause)
	}
	return nil
}

func (p *Daemon) play(ctx context.Context) error {
	if p.site != nil {
		if p.links == nil {
			return p.site.Run(ctx, nowhere{})
		}
		return p.site.Run(ctx, p.links)
	}
	ready, stop := context.WithTimeout(ctx, readyTimeout)
	defer stop()
	if err := p.host.Ready(ready); err != nil && ctx.Err() == nil {
		return config.Failf(config.ErrNetwork, "%w", err)
	}
	return p.node.Run(ctx)
}

// watch ends the peer with its network, unless it has to fall silent: then the network ends and
// decisions continue.
func (p *Daemon) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	var gone <-chan struct{}
	if p.node != nil { // a live host ends only when it is closed
		gone = p.host.Done()
	}
	for {
		select {
		case <-p.alarm:
			gone = nil
			_ = p.silence() // the rest of the network has nothing to send
		case <-gone:
			cancel(config.Failf(config.ErrNetwork, "%w", p.host.Err()))
			return
		case err := <-p.damaged:
			cancel(err)
			return
		case <-ctx.Done():
			return
		}
	}
}

// confirmEvery is the time between two questions. An answer can be about the question before, so
// while neighbours answer, the state to which a recovery goes back is at most about twice as old.
const confirmEvery = 5 * time.Minute

// confirm asks neighbours now and then what they remember of this peer's ledger.
func (p *Daemon) confirm(ctx context.Context) {
	tick := time.NewTicker(confirmEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if c, open := p.site.Checkpoint(); open {
				_, host := p.now()
				host.Confirm(ctx, c)
			}
		}
	}
}

// silence leaves the network.
func (p *Daemon) silence() (err error) {
	if p.links != nil {
		p.silent.Do(func() { err = p.links.close() })
	} else if p.host != nil {
		p.silent.Do(func() { err = p.host.Close() })
	}
	return err
}

// Close ends the peer. It need not have played, and is called once.
func (p *Daemon) Close() error {
	defer p.unlock()
	errs := []error{p.silence()}
	if p.server != nil {
		errs = append(errs, p.server.Close())
	}
	if p.site != nil {
		errs = append(errs, p.site.Close())
	}
	for _, c := range p.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// nowhere is the network of a peer that must not show itself.
type nowhere struct{}

func (nowhere) Send(context.Context, []protocol.Envelope) error { return nil }

func (nowhere) Inbox() <-chan protocol.Delivery { return nil }

func (nowhere) Advance(protocol.Checkpoint) {}
