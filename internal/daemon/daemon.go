// Package daemon is a running peer: its place in a network, its store, its links and its API.
package daemon

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
)

// Daemon is a running peer's parts.
type Daemon struct {
	*place
	player
	backend
	unlock func() // unlocks the folder
	server *api.Server
}

// A place is what a peer is in its network, and the host that shows it there.
type place struct {
	log        *slog.Logger
	mu         sync.RWMutex // held for writing while a change of the network replaces both
	deployment *Deployment
	host       *gossip.Host // nil for a peer that must not show itself
}

// now returns the present deployment and host.
func (p *place) now() (*Deployment, *gossip.Host) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.deployment, p.host
}

// A player is what plays at a place: a live peer, or one in lockstep.
type player interface {
	// play plays until ctx is done or something fails; fail ends the peer.
	play(ctx context.Context, fail context.CancelCauseFunc) error
	// about adds to a status what is known of this kind of peer alone. The host is nil for a peer that must not show itself.
	about(d *api.Status, s *node.Status, t *Deployment, host *gossip.Host)
	silence() error // leaves the network
	close() error
	Backup(ctx context.Context, to io.Writer) error
}

// A backend answers what concerns decisions: the site of a live peer does, and a peer in lockstep refuses.
type backend interface {
	Decide(ctx context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision]
	Reward(ctx context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt]
	Actions() []string
	Features() decision.Shape
	Status(ctx context.Context) (node.Status, error)
	Ledger(ctx context.Context, from, limit uint64) iter.Seq2[[]byte, error]
	Ready(ctx context.Context) error
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
	unlock, err := LockDir(s.Dir)
	if err != nil {
		return nil, err
	}
	p := &Daemon{place: &place{log: log}, unlock: unlock}
	defer func() {
		if err != nil {
			err = errors.Join(withOwner(s.Dir, err), p.Close())
		}
	}()
	if p.deployment, err = NewDeployment(s); err != nil {
		return nil, err
	}
	var metrics []prometheus.Collector
	if s.Mode == config.Lockstep {
		step, err := newStepped(p.place, o.Trace)
		if err != nil {
			return nil, err
		}
		p.player, p.backend = step, step
	} else {
		live, err := newLive(p.place)
		if err != nil {
			return nil, err
		}
		p.player, p.backend, metrics = live, live.site, live.metrics
	}
	p.server, err = api.NewServer(api.Config{
		Dir: s.Dir, Listen: s.API.Listen, MaxBody: int64(s.API.MaxBody), Backend: p, Logger: log, Version: o.Version, Every: p.deployment.Network.Every,
		Collectors: metrics, NoisedCounts: p.deployment.Spec.Privacy.NoisedCounts(),
	})
	return p, err
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
	all.Go(func() { manager.run(ctx) })
	deployment, host := p.now()
	if host != nil {
		p.log.Info("peer is up", "peer", deployment.Network.Peers[deployment.Self].Name, "network", deployment.Network.Name, "addresses", host.Addrs())
	}
	err := p.play(ctx, cancel)
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

// Close ends the peer. It need not have played, and is called once.
func (p *Daemon) Close() error {
	defer p.unlock()
	if p.player == nil {
		return nil
	}
	errs := []error{p.silence()}
	if p.server != nil {
		errs = append(errs, p.server.Close())
	}
	return errors.Join(append(errs, p.close())...)
}
