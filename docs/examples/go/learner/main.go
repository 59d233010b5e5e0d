// Command learner has a learner of its own, ε-greedy, and plays it in the simulator and in the audit.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/node/lab/audit"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// greedyParams are the parameters of the learner.
type greedyParams struct {
	Explore float64 // probability of a random arm
}

// Words implements bandit.Params.
func (greedyParams) Words() bandit.Words {
	return bandit.Words{Name: "greedy", Summary: "pulls the arm with the greatest mean, and sometimes a random one"}
}

// New implements bandit.Params.
func (p greedyParams) New(c bandit.Config) (bandit.Learner, error) {
	if !(p.Explore >= 0 && p.Explore <= 1) {
		return nil, fmt.Errorf("greedy: explore %v, want 0 to 1", p.Explore)
	}
	return &greedy{Arms: bandit.Arms{N: c.Arms}, explore: p.Explore, rng: c.Rand}, nil
}

// greedy adds up rewards by arm, as bandit.Arms does, and saves nothing.
type greedy struct {
	bandit.Arms
	bandit.Stateless
	explore float64
	rng     *rand.Rand
}

// Choose implements bandit.Learner.
func (g *greedy) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	if c, ok := bandit.Forced(b, t, g.rng); ok {
		return c
	}
	c := bandit.Choice{Arm: bandit.Greatest(b, t, b.X, b.X), Propensity: 1 - g.explore}
	best, offered := c.Arm, g.offered(t)
	if g.rng.Float64() < g.explore {
		c.Arm = offered[g.rng.IntN(len(offered))]
	}
	if c.Arm != best {
		c.Propensity = 0
	}
	c.Propensity += g.explore / float64(len(offered))
	return c
}

// offered returns the arms that may be chosen.
func (g *greedy) offered(t bandit.Turn) (all []bandit.Arm) {
	for k := range bandit.Arm(g.N) {
		if !slices.Contains(t.Excluded, k) {
			all = append(all, k)
		}
	}
	return all
}

func main() {
	log.SetFlags(0)
	spec := node.Spec{
		Arms: 2, Graph: [][]protocol.Peer{{1, 2}, {0, 2}, {0, 1}},
		Learner:  greedyParams{Explore: 0.05},
		Protocol: protocol.AverageParams{Consistency: protocol.Max, F: 1, Rate: 1. / 3, Patience: 8},
		Privacy: node.Privacy{
			Mode: dp.Lockstep, Budget: account.Budget{Epsilon: 5 * dp.Nano}, Mechanism: dp.Tree, RecordsPerUser: 1, Horizon: 2000,
		},
	}
	if err := simulate(spec); err != nil {
		log.Fatal(err)
	}
	if err := check(spec); err != nil {
		log.Fatal(err)
	}
}

// simulate plays three sites, over all of which the first arm pays more.
func simulate(spec node.Spec) error {
	means := world.BernoulliParams{Means: [][]float64{{.9, .4}, {.3, .5}, {.8, .3}}, Draw: world.Given}
	source, err := world.Open(means, world.Config{Arms: 2, Sites: 3})
	if err != nil {
		return err
	}
	sites, err := source.Sites(nil)
	if err != nil {
		return err
	}
	c := sim.Config{Spec: spec, Rounds: 2000, Points: 1, Network: node.NewSeed(1), Truth: sites.Overall()}
	for i := range 3 {
		seed := node.PeerSeed(1, protocol.Peer(i))
		w, err := sites.World(i, rand.NewChaCha8(seed.Of("world")))
		if err != nil {
			return err
		}
		c.Seeds, c.Worlds = append(c.Seeds, seed), append(c.Worlds, w)
	}
	result, err := sim.Run(c)
	if err != nil {
		return err
	}
	for i, pulls := range result.Pulls {
		fmt.Printf("simulator: peer %d pulls the better arm most: %t\n", i, pulls[0] > pulls[1])
	}
	return nil
}

// check looks for private data in what such peers send.
func check(spec node.Spec) error {
	spec.Privacy.Mode = dp.Private
	report, err := audit.Run(context.Background(), audit.Config{Spec: spec, Runs: audit.MinRuns, Seed: 1})
	if err != nil {
		return err
	}
	fmt.Println("audit passed:", report.Passed)
	return nil
}
