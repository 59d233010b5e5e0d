package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// Agent audits agents of a learner and a protocol, such as a program's own: with public counts and, if both work with
// them, with noised ones, with the first mechanism that suits. It makes as few plays as [Run] can, always the same ones,
// which find what follows from rewards and not from releases; [Run] audits one configuration thoroughly.
//
// The error says in which histories what differs; it is nil if nothing was found. All peers are played in this process,
// several networks at once, so they share the variables of packages.
func Agent(ctx context.Context, l bandit.Params, p protocol.Params) error {
	public, err := suited(l, p, dp.ReplaceOne)
	if err != nil {
		return err
	}
	specs := []node.Spec{public}
	if noised, err := suited(l, p, dp.AddOrRemove); err == nil {
		specs = append(specs, noised)
	}
	for _, spec := range specs {
		r, err := Run(ctx, Config{Spec: spec, Topic: true, Runs: MinRuns, Seed: 1})
		if err != nil {
			return err
		}
		if !r.Passed {
			return fmt.Errorf("audit: learner %s with protocol %s, neighbours by %v: %s", l.Words().Name, p.Words().Name, spec.Privacy.Adjacency, strings.Join(r.Broken, "; "))
		}
	}
	return nil
}

// suited returns agents with the first mechanism that suits a learner and a protocol.
func suited(l bandit.Params, p protocol.Params, a dp.Adjacency) (node.Spec, error) {
	wrong := errors.New("audit: no mechanism suits the protocol")
	for _, m := range dp.Mechanisms() {
		if m == dp.None || !protocol.Suits(p, m) {
			continue
		}
		budget := account.Budget{Epsilon: dp.Nano}
		if m.Law() == dp.Gaussian { // few plays show most there
			budget = account.Budget{Epsilon: 5 * dp.Nano, Delta: 1e12}
		}
		spec := node.Spec{
			Arms: maxArms, Graph: complete(Peers), Learner: l, Protocol: p,
			Privacy: node.Privacy{Budget: budget, Mechanism: m, Adjacency: a, RecordsPerUser: 1, Horizon: 400},
		}
		if wrong = spec.Check(); wrong != nil {
			continue
		}
		streams, err := spec.Streams()
		if err == nil {
			_, err = streams.Charge()
		}
		if err == nil {
			return spec, nil
		}
		wrong = err
	}
	return node.Spec{}, wrong
}
