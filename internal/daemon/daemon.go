// Package daemon is a running peer: its place in a network, its store, its links and its API.
package daemon

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"sync"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
	"peerd.dev/node/site"
)

// Daemon is a running peer's parts.
type Daemon struct {
	*place
	Backend
	player  Player
	unlock  func() // unlocks the folder
	server  *api.Server
	promise promise
}

// A place is what a peer is in its network, and the host that shows it there.
type place struct {
	log        *slog.Logger
	mu         sync.RWMutex // held for writing while a change of the network replaces both
	deployment *Deployment
	host       *gossip.Host // nil for a peer that must not show itself
	additions  []Addition
}

// now returns the present deployment and host.
func (p *place) now() (*Deployment, *gossip.Host) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.deployment, p.host
}

// NewPage makes the page of a peer for people. It is nil unless an extra sets it: then there is no page.
var NewPage func(p *Daemon, log *slog.Logger) api.Page //nolint:gochecknoglobals // an extra sets it in its init

// An Addition is what an extra adds to a peer.
type Addition struct {
	Views   []api.View
	Keeper  site.Keeper                           // of a live peer; nil for none
	Tables  func(site.Source) site.Tables         // the same
	Service func(c *gossip.Config) gossip.Service // of a live peer's host with a configuration; nil for none
}

// Additions make what extras add to a peer. Its host can change, and is nil for a peer that must not show itself.
//
//nolint:gochecknoglobals // extras add to it in their init
var Additions []func(host func() *gossip.Host, log *slog.Logger) Addition

// ReceiptLines returns what neighbours have signed about the ledger of the peer in dir, and then what other peers have signed about
// theirs, each as a line of JSON without the newline. It is nil unless an extra sets it.
var ReceiptLines func(ctx context.Context, dir string) (lines [][]byte, err error) //nolint:gochecknoglobals // an extra sets it in its init

// NewStoreMetrics returns what observes the commits of a store, and metrics for [api.Config]. It is nil unless an extra sets it.
var NewStoreMetrics func(memory func() uint64) (observe func(d time.Duration), collectors []any) //nolint:gochecknoglobals // an extra sets it in its init

// A Player is what plays at a place: a live peer, or one in lockstep.
type Player interface {
	// Play plays until ctx is done or something fails; fail ends the peer.
	Play(ctx context.Context, fail context.CancelCauseFunc) error
	// About adds to a status what is known of this kind of peer alone. The host is nil for a peer that must not show itself.
	About(d *api.Status, s *node.Status, t *Deployment, host *gossip.Host)
	Silence() error // leaves the network
	Close() error
	Backup(ctx context.Context, to io.Writer) error
}

// A Backend answers what concerns decisions: the site of a live peer does, and a peer in lockstep refuses.
type Backend interface {
	Decide(ctx context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision]
	Reward(ctx context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt]
	Actions() []string
	Features() decision.Shape
	Range() (least, most float64)
	Status(ctx context.Context) (node.Status, error)
	Inside(ctx context.Context) (*node.Inside, error)
	Ledger(ctx context.Context, from, limit uint64) iter.Seq2[[]byte, error]
	Ready(ctx context.Context) error
}

// Options are what a peer needs in addition to its settings.
type Options struct {
	Lockstep Lockstep // nil for a program that refuses mode lockstep
	Version  string   // of the program, for the API
}

// Lockstep opens a peer that plays a simulated world in lockstep, and its host. Package stepped of the laboratory has one.
type Lockstep func(s *config.Settings, t *Deployment, log *slog.Logger) (Stepped, *gossip.Host, error)

// ErrLockstep refuses what a peer in lockstep does not do.
var ErrLockstep error = &decision.Refusal{Code: decision.Simulated, Reason: "this peer runs in lockstep, which protects no one and accepts no real rewards; set mode: live"}

// A Stepped is a peer in lockstep.
type Stepped interface {
	Player
	Backend
}

// New opens the peer of valid settings: its folder, which no other process may be using, the
// network file, the store and the network. [Daemon.Run] plays it, and [Daemon.Close] ends it.
func New(s *config.Settings, o Options, log *slog.Logger) (_ *Daemon, err error) {
	switch {
	case s.Mode == config.Lockstep && o.Lockstep == nil:
		return nil, config.Failf(config.ErrRefused, "mode: lockstep is for comparisons with the simulator, which this program does not have; want live")
	case s.Mode == config.Live:
		if err = OwnDir(s.Dir); err != nil {
			return nil, err
		}
	}
	if err = checkSocket(s.Dir); err != nil {
		return nil, err
	}
	unlock, err := awaitDir(s.Dir, log)
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
	for _, add := range Additions {
		p.additions = append(p.additions, add(func() *gossip.Host { _, host := p.now(); return host }, log))
	}
	var metrics []any
	if s.Mode == config.Lockstep {
		step, host, wrong := o.Lockstep(s, p.deployment, log)
		if wrong != nil {
			return nil, wrong
		}
		p.player, p.Backend, p.host = step, step, host
	} else {
		live, wrong := newLive(p.place)
		if wrong != nil {
			return nil, wrong
		}
		p.player, p.Backend, metrics = live, live.site, live.metrics
	}
	var page api.Page
	if NewPage != nil {
		page = NewPage(p, log)
	}
	var views []api.View
	for _, a := range p.additions {
		views = append(views, a.Views...)
	}
	p.server, err = api.NewServer(api.Config{
		Dir: s.Dir, Listen: s.API.Listen, Backend: p, Logger: log, Version: o.Version, Every: p.deployment.Network.Every,
		Collectors: metrics, Page: page, Views: views, HiddenCounts: p.deployment.hidesCounts(),
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
	err := p.player.Play(ctx, cancel)
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
	errs := []error{p.player.Silence()}
	if p.server != nil {
		errs = append(errs, p.server.Close())
	}
	return errors.Join(append(errs, p.player.Close())...)
}
