// Command learner has a learner of its own, ε-greedy, and plays it in the simulator, in the audit and by two live peers.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/lab/audit"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/node/peer"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// greedyParams are the parameters of the learner.
type greedyParams struct {
	Explore float64 `want:"0 up to 1" doc:"Probability of a random arm."`
}

// Words implements bandit.Params.
func (greedyParams) Words() bandit.Words {
	return bandit.Words{Name: "greedy", Summary: "pulls the arm with the greatest mean, and sometimes a random one"}
}

// New implements bandit.Params.
func (p greedyParams) New(c bandit.Config) (bandit.Learner, error) {
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
		Protocol: averaging.AverageParams{Consistency: averaging.Max, F: 1, Rate: 1. / 3, Patience: 8},
		Privacy: node.Privacy{
			Mode: dp.Lockstep, Budget: account.Budget{Epsilon: 5 * dp.Nano}, Mechanism: dp.Kary, RecordsPerUser: 1, Horizon: 2000,
		},
	}
	if err := simulate(spec); err != nil {
		log.Fatal(err)
	}
	// What such peers send must follow from their releases. A test of the program would say the same.
	if err := audit.Agent(context.Background(), spec.Learner, spec.Protocol); err != nil {
		log.Fatal(err)
	}
	fmt.Println("audit passed: true")
	if err := live(); err != nil {
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

// live runs two peers of a network in this program. Only the first has users; the second learns from it.
func live() error {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	address, err := freeAddress()
	if err != nil {
		return err
	}
	own := []peer.Option{
		peer.Learner(greedyParams{Explore: 0.05}), peer.Set("learner.name", "greedy"),
		peer.Set("protocol.name", "rows"), peer.Set("protocol.rows.every", "5"),
		peer.Set("arms", "[red, green]"), peer.Set("privacy.epsilon", "1"), peer.Set("privacy.mechanism", "kary"), peer.Set("privacy.horizon", "10000"),
		peer.Set("api.window", "1s"),
	}
	network := fmt.Sprintf("name: live\nstart: %s\nevery: 100ms\nlinks: [[0, 1]]\npeers:\n", time.Now().UTC().Format(time.RFC3339))
	for _, name := range []string{"north", "south"} {
		id, err := peer.Init(filepath.Join(dir, name), append(own, peer.Set("listen", "["+address[name]+"]"))...)
		if err != nil {
			return err
		}
		network += fmt.Sprintf("  - {name: %s, id: %s, addrs: [%s]}\n", name, id, address[name])
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	var peers []*peer.Peer
	for _, name := range []string{"north", "south"} {
		if err = os.WriteFile(filepath.Join(dir, name, "network.yaml"), []byte(network), 0o600); err != nil {
			return err
		}
		p, err := peer.Open(filepath.Join(dir, name), own...)
		if err != nil {
			return err
		}
		peers = append(peers, p)
		running.Go(func() {
			if err := errors.Join(p.Run(ctx), p.Close()); err != nil {
				log.Print(err)
			}
		})
	}
	for user := 0; ; user++ {
		d, err := peers[0].Decide(ctx, decision.Ask{Subject: fmt.Sprint("user-", user)})
		if err != nil {
			return err
		}
		if _, err = peers[0].Reward(ctx, decision.Report{ID: d.ID, Value: .5}); err != nil {
			return err
		}
		s, err := peers[1].Status(ctx)
		if err != nil {
			return err
		}
		if s.Means[0] != 0 && s.Means[1] != 0 {
			fmt.Println("live: the second peer has estimates from the first, refused:", s.Refused)
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// freeAddress returns an address on this machine for each peer.
func freeAddress() (map[string]string, error) {
	all := make(map[string]string)
	for _, name := range []string{"north", "south"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		all[name] = fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", l.Addr().(*net.TCPAddr).Port)
	}
	return all, nil
}
