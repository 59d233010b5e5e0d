package daemon

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
	"peerd.dev/node/lockstep"
	"peerd.dev/node/site"
)

// readyTimeout is how long lockstep waits for all neighbours.
const readyTimeout = 30 * time.Second

// A stepped peer plays a simulated world in lockstep, which protects no one, and keeps nothing.
type stepped struct {
	*place
	*lockstep.Node
	closers []io.Closer // in the order of closing
}

// newStepped opens the world and the network.
func newStepped(at *place, trace string) (p *stepped, err error) {
	p = &stepped{place: at}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	seed := node.NewSeed(p.deployment.s.Seed)
	agent, err := p.deployment.agent(site.Life{Seed: seed}, seed.Noise())
	if err != nil {
		return nil, err
	}
	var w bandit.World
	if !agent.Idle() {
		if w, err = p.deployment.world(seed); err != nil {
			return nil, err
		}
	}
	record, tap, err := p.trace(trace)
	if err != nil {
		return nil, err
	}
	c := p.deployment.HostConfig(0, p.log)
	c.Tap = tap
	if p.host, err = gossip.NewHost(c); err != nil {
		return nil, config.Failf(config.ErrNetwork, "%w", err)
	}
	p.Node = lockstep.New(lockstep.Config{
		Agent: agent, World: w, Transport: p.host, Neighbours: p.deployment.Links,
		Rounds: p.deployment.s.RoundCount(), Trace: record, Logger: p.log,
	})
	return p, nil
}

// play implements player. The peer ends with its network.
func (p *stepped) play(ctx context.Context, fail context.CancelCauseFunc) error {
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

func (*stepped) about(*api.Status, *node.Status, *Deployment, *gossip.Host) {}

func (p *stepped) silence() error { return p.host.Close() }

func (p *stepped) close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func (*stepped) Decide(_ context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision] {
	return simulated[decision.Decision](len(asks))
}

func (*stepped) Reward(_ context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt] {
	return simulated[decision.Receipt](len(reports))
}

func (*stepped) Actions() []string { return nil }

func (*stepped) Features() (none decision.Shape) { return none }

func (*stepped) Ledger(context.Context, uint64, uint64) iter.Seq2[[]byte, error] {
	return func(func([]byte, error) bool) {}
}

func (*stepped) Ready(context.Context) error { return nil }

func (*stepped) Backup(context.Context, io.Writer) error {
	return &decision.Refusal{Code: decision.Simulated, Reason: "this peer runs in lockstep and keeps nothing"}
}

// simulated refuses everything in lockstep, which protects no one.
func simulated[T any](n int) []decision.Outcome[T] {
	out := make([]decision.Outcome[T], n)
	for i := range out {
		out[i].Err = &decision.Refusal{Code: decision.Simulated, Reason: "this peer runs in lockstep, which protects no one and accepts no real rewards; set mode: live"}
	}
	return out
}
