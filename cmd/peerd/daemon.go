package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"peerd.dev/gossip"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/site"
	"peerd.dev/protocol"
)

// daemon is a running peer's parts.
type daemon struct {
	*seat
	site    *site.Site // with slots
	node    *node.Node // in lockstep
	server  *api.Server
	host    *gossip.Host // nil for a peer that may not show itself
	metrics []prometheus.Collector
	silent  sync.Once
	alarm   chan struct{}

	closers []io.Closer // in the order of closing
}

func newDaemon(s *Settings, r runOptions, log *slog.Logger) (_ *daemon, err error) {
	p := &daemon{alarm: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if p.seat, err = newSeat(s); err != nil {
		return nil, err
	}
	if s.Mode == Lockstep {
		err = p.lockstep(r, log)
	} else {
		err = p.slots(log)
	}
	if err != nil {
		return nil, err
	}
	p.server, err = api.NewServer(api.Config{
		Dir: s.Dir, Listen: s.API.Listen, MaxBody: int64(s.API.MaxBody), Backend: p, Logger: log, Version: readVersion().Version,
		Collectors: p.metrics,
	})
	return p, err
}

// slots opens the store and, unless an earlier start found that the folder is an old
// copy, the network.
func (p *daemon) slots(log *slog.Logger) (err error) {
	commits := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "peerd_store_commit_seconds", Help: "Time until what was written is durable.",
		Buckets: prometheus.ExponentialBuckets(100e-6, 2, 14),
	})
	p.metrics = append(p.metrics, commits)
	alarm := func(error) { p.alarm <- struct{}{} }
	if p.site, err = p.seat.site(log, alarm, func(d time.Duration) { commits.Observe(d.Seconds()) }); err != nil {
		return err
	}
	if p.site.Behind() {
		log.Error("nothing is released", "reason", p.site.Ready(context.Background()))
		return nil
	}
	c := p.seat.host(p.site.Incarnation(), log)
	if c.Known, err = p.site.Seen(); err != nil {
		return err
	}
	c.Checkpoints, c.Checkpoint = true, p.site.Checkpoint()
	c.OnRemembered, c.OnCheckpoint = p.site.Told, p.site.Saw
	if p.host, err = gossip.NewHost(c); err != nil {
		return failf(exitNetwork, "%w", err)
	}
	return nil
}

func (p *daemon) lockstep(r runOptions, log *slog.Logger) error {
	seed := node.NewSeed(p.s.Seed)
	agent, err := p.agent(site.Life{Seed: seed}, seed.Noise())
	if err != nil {
		return err
	}
	w, err := p.world(seed)
	if err != nil {
		return err
	}
	trace, tap, err := p.trace(r.trace)
	if err != nil {
		return err
	}
	c := p.seat.host(0, log)
	c.Tap = tap
	if p.host, err = gossip.NewHost(c); err != nil {
		return failf(exitNetwork, "%w", err)
	}
	p.node = node.New(node.Config{
		Agent: agent, World: w, Transport: p.host, Neighbours: p.links,
		Rounds: p.s.RoundCount(), Trace: trace, Logger: log,
	})
	return nil
}

// run plays until ctx is done or something breaks.
func (p *daemon) run(ctx context.Context, s *Settings, log *slog.Logger) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	all.Go(func() {
		if err := p.server.Run(ctx); err != nil {
			cancel(err)
		}
	})
	all.Go(func() { p.watch(ctx, cancel) })
	if p.host != nil {
		log.Info("peer is up", "peer", p.self, "network", p.network.Name, "addresses", p.host.Addrs())
	}
	err := p.play(ctx, s)
	cause := context.Cause(ctx)
	cancel(nil)
	all.Wait()
	if err != nil {
		return err
	}
	if cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

func (p *daemon) play(ctx context.Context, s *Settings) error {
	if s.Mode == Slots {
		if p.host == nil {
			return p.site.Run(ctx, nowhere{})
		}
		return p.site.Run(ctx, p.host)
	}
	ready, stop := context.WithTimeout(ctx, readyTimeout)
	defer stop()
	if err := p.host.Ready(ready); err != nil && ctx.Err() == nil {
		return failf(exitNetwork, "%w", err)
	}
	return p.node.Run(ctx)
}

// watch ends the peer with its network, unless it has to fall silent: then the network
// ends and decisions go on.
func (p *daemon) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	var gone <-chan struct{}
	if p.host != nil {
		gone = p.host.Done()
	}
	for {
		select {
		case <-p.alarm:
			gone = nil
			_ = p.silence() // what is left of the network has nothing to say
		case <-gone:
			cancel(failf(exitNetwork, "%w", p.host.Err()))
			return
		case <-ctx.Done():
			return
		}
	}
}

// silence leaves the network.
func (p *daemon) silence() (err error) {
	if p.host != nil {
		p.silent.Do(func() { err = p.host.Close() })
	}
	return err
}

func (p *daemon) close() error {
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

// nowhere is the network of a peer that may not show itself.
type nowhere struct{}

func (nowhere) Send(context.Context, []protocol.Envelope) error { return nil }

func (nowhere) Inbox() <-chan protocol.Delivery { return nil }

func (nowhere) Advance(protocol.Checkpoint) {}
