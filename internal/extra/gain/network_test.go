package gain

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// network plays sites that are alike, where decisions wait for their rewards, and returns what each says of its arms.
func network(t *testing.T, s Site, sites int, run, decisions uint64, means []float64) (all [][]api.Arm) {
	t.Helper()
	spec := s.alone(len(means)).Spec
	spec.Give, spec.Privacy.Mode = node.GiveAll, dp.Lockstep
	spec.Graph = make([][]protocol.Peer, sites)
	for i := range spec.Graph {
		for j := range sites {
			if i != j {
				spec.Graph[i] = append(spec.Graph[i], protocol.Peer(j))
			}
		}
	}
	seed := node.PeerSeed(run, protocol.Everyone)
	mail, err := sim.NewNetwork(sites, sim.Faults{}, seed.Rand("network"))
	if err != nil {
		t.Fatal(err)
	}
	type waiting struct {
		route node.Route
		pull  bandit.Pull
	}
	var agents []*node.Agent
	queues, pulls, coins := make([][]waiting, sites), make([][]uint64, sites), rand.New(rand.NewChaCha8(seed.Of("world")))
	for i := range sites {
		own := node.PeerSeed(run, protocol.Peer(i))
		a := require.Value(spec.Agent(node.PeerConfig{Self: protocol.Peer(i), Seed: own, Noise: own.Noise(), Keys: vouch.For[protocol.Keys](forgeable.Keys(protocol.Peer(i)))}))(t)
		agents, pulls[i] = append(agents, a), make([]uint64, len(means))
	}
	for r := range protocol.Round(decisions) {
		for i, a := range agents {
			a.Receive(mail.Take(i))
			p := bandit.Pull{Arm: a.Choose(bandit.Turn{Round: uint64(r)}).Arm()}
			if coins.Float64() < means[p.Arm] {
				p.Reward = 1
			}
			pulls[i][p.Arm]++
			if queues[i] = append(queues[i], waiting{a.Chose(r, node.Ruled(p.Arm)), p}); uint64(len(queues[i])) > s.Waited {
				require.NoError(t, a.Observed(queues[i][0].route, queues[i][0].pull))
				queues[i] = queues[i][1:]
			}
			require.NoError(t, a.Tick(r))
			for _, e := range a.Ready().Messages {
				for to := range sites {
					if to != i && (e.To == protocol.Everyone || e.To == protocol.Peer(to)) {
						mail.Post(r, i, to, &e.Message)
					}
				}
			}
		}
		mail.Turn()
	}
	for i, a := range agents {
		known, support := a.Summary(), a.Support()
		var arms []api.Arm
		for k := range means {
			arms = append(arms, api.Arm{
				Name: fmt.Sprint(k), Pulls: pulls[i][k], Estimate: known.Estimates[k], NoiseSD: known.NoiseDevs[k],
				Own: support.Own[k], Borrowed: support.Borrowed[k], Sites: uint32(support.Sites[k]),
			})
		}
		all = append(all, arms)
	}
	return all
}

// TestAHealthyNetworkShowsNoLoss: sites that are alike, some windows after their first decisions, lose no more than alone.
// Compared with sites that do not wait, all of them would.
func TestAHealthyNetworkShowsNoLoss(t *testing.T) {
	const window, sites = 300, 5
	losses, unfair, better := 0, 0, 0
	for _, arms := range network(t, shop(t, window), sites, 0, 3*window, []float64{.6, .5, .4, .3}) {
		g := estimate(t, shop(t, window), arms)
		if g.Saved.High < 0 {
			losses++
		}
		if g.Saved.Median > 0 {
			better++
		}
		if g = estimate(t, shop(t, 0), arms); g.Saved.Median < 0 {
			unfair++
		}
	}
	t.Logf("of %d: %d losses, %d have a median above 0; compared with sites that do not wait, %d have one below", sites, losses, better, unfair)
	if losses > 0 || better < 3 || unfair < 4 {
		t.Error("the comparison does not begin with the same waiting")
	}
}
