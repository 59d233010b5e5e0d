// Package stepped is what a daemon needs to play a simulated world in lockstep, for comparisons with the simulator.
package stepped

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"sync"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
	"peerd.dev/node/kept"
	"peerd.dev/node/lab/lockstep"
)

// readyTimeout is how long lockstep waits for all neighbours.
const readyTimeout = 30 * time.Second

// A peer plays a simulated world in lockstep, which protects no one, and keeps nothing.
type peer struct {
	*lockstep.Node
	host    *gossip.Host
	closers []io.Closer // in the order of closing
}

// Open returns how a daemon opens its world and its network in lockstep, with a folder for a trace; empty for none.
func Open(trace string) daemon.Lockstep {
	return func(s *config.Settings, t *daemon.Deployment, log *slog.Logger) (_ daemon.Stepped, _ *gossip.Host, err error) {
		p := &peer{}
		defer func() {
			if err != nil {
				err = errors.Join(err, p.Close())
			}
		}()
		seed := node.NewSeed(s.Seed)
		agent, err := t.Spec.Agent(node.PeerConfig{Self: t.Self, Seed: seed, Noise: seed.Noise(), Keys: t.Keys, RoundEnds: true})
		if err != nil {
			return nil, nil, err
		}
		half, err := kept.New(&t.Spec, t.Self, seed)
		if err != nil {
			return nil, nil, err
		}
		var w bandit.World
		if !agent.Idle() {
			if w, err = t.World(seed); err != nil {
				return nil, nil, err
			}
		}
		record, tap, err := p.trace(trace, t)
		if err != nil {
			return nil, nil, err
		}
		c := t.HostConfig(0, log)
		c.Lossless, c.Tap = true, tap
		if p.host, err = gossip.NewHost(c); err != nil {
			return nil, nil, config.Failf(config.ErrNetwork, "%w", err)
		}
		p.Node = lockstep.New(lockstep.Config{
			Agent: agent, Half: half, World: w, Transport: p.host, Neighbours: t.Links,
			Rounds: s.RoundCount(), Trace: record, Logger: log,
		})
		return p, p.host, nil
	}
}

// Play implements [daemon.Player]. The peer ends with its network.
func (p *peer) Play(ctx context.Context, fail context.CancelCauseFunc) error {
	ctx, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer stop()
	watch.Go(func() {
		select {
		case <-p.host.Done():
			fail(config.Failf(config.ErrNetwork, "%w", p.host.Err()))
		case <-ctx.Done():
		}
	})
	ready, over := context.WithTimeout(ctx, readyTimeout)
	defer over()
	if err := p.host.Ready(ready); err != nil && ctx.Err() == nil {
		return config.Failf(config.ErrNetwork, "%w", err)
	}
	return p.Run(ctx)
}

func (*peer) About(*api.Status, *node.Status, *daemon.Deployment, *gossip.Host) {}

func (p *peer) Silence() error { return p.host.Close() }

func (p *peer) Close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func (*peer) Decide(_ context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision] {
	return simulated[decision.Decision](len(asks))
}

func (*peer) Reward(_ context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt] {
	return simulated[decision.Receipt](len(reports))
}

func (*peer) Inside(context.Context) (*node.Inside, error) {
	return nil, daemon.ErrLockstep
}

func (*peer) Actions() []string { return nil }

func (*peer) Features() (none decision.Shape) { return none }

func (*peer) Range() (least, most float64) { return 0, 1 }

func (*peer) Ledger(context.Context, uint64, uint64) iter.Seq2[[]byte, error] {
	return func(func([]byte, error) bool) {}
}

func (*peer) Ready(context.Context) error { return nil }

func (*peer) Backup(context.Context, io.Writer) error {
	return &decision.Refusal{Code: decision.Simulated, Reason: "this peer runs in lockstep and keeps nothing"}
}

// simulated refuses everything in lockstep, which protects no one.
func simulated[T any](n int) []decision.Outcome[T] {
	out := make([]decision.Outcome[T], n)
	for i := range out {
		out[i].Err = daemon.ErrLockstep
	}
	return out
}
