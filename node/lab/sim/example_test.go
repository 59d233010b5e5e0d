package sim_test

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// Three peers in a triangle learn together which of two arms pays more over all sites. The same
// seed gives the same run.
func ExampleRun() {
	params := world.BernoulliParams{Means: [][]float64{{.9, .4}, {.3, .5}, {.8, .3}}, Draw: world.Given}
	source, err := world.Open(params, world.Config{Arms: 2, Sites: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	sites, err := source.Sites(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := sim.Config{
		Spec: node.Spec{
			Arms: 2, Graph: [][]protocol.Peer{{1, 2}, {0, 2}, {0, 1}},
			Learner:  learner.UCBParams{},
			Protocol: averaging.AverageParams{Consistency: averaging.Max, F: 1, Rate: 1. / 3, Patience: 8},
			Privacy: node.Privacy{
				Mode: dp.Lockstep, Budget: account.Budget{Epsilon: 5 * dp.Nano}, Mechanism: dp.Kary, RecordsPerUser: 1, Horizon: 5000,
			},
		},
		Rounds: 5000, Points: 2, Network: node.NewSeed(1), Truth: sites.Overall(),
	}
	for i := range 3 {
		seed := node.PeerSeed(1, protocol.Peer(i))
		w, bad := sites.World(i, rand.NewChaCha8(seed.Of("world")))
		if bad != nil {
			fmt.Println(bad)
			return
		}
		c.Seeds, c.Worlds = append(c.Seeds, seed), append(c.Worlds, w)
	}
	res, err := sim.Run(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("gap %.2f, ε %v, regret %.0f after %d rounds\n", res.Gap, res.Spent, res.Regret[1], res.Points[1])
	for i, pulls := range res.Pulls {
		fmt.Println("peer", i, "pulls the best arm most:", pulls[0] > pulls[1])
	}
	// Output:
	// gap 0.27, ε 5, regret 61 after 5000 rounds
	// peer 0 pulls the best arm most: true
	// peer 1 pulls the best arm most: true
	// peer 2 pulls the best arm most: true
}
