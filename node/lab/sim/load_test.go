package sim_test

import (
	"crypto/sha512"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
	"peerd.dev/protocol/batches"
)

// loads are networks whose agents are timed: a protocol with a learner that suits.
func loads() []load {
	return []load{
		{"phases-thompson", phases(), bandit.ThompsonParams{Inflation: math.Sqrt2}, dp.EachLaplace, true},
		{"phases-personalized", phases(), bandit.PersonalizedParams{Price: 4}, dp.EachLaplace, true},
		{"rows-thompson", plainRows(), bandit.ThompsonParams{Inflation: math.Sqrt2}, dp.Kary, true},
		{"average-ucb", averaging.AverageParams{Consistency: averaging.Capped, F: 1, Rate: .2, Patience: 8}, learner.UCBParams{}, dp.Tree, false},
		{"batch-linucb", batches.BatchParams{First: 20, Growth: .5, DecideFrom: batches.FromReleases, Schedule: "fixed", Threshold: 50, Draws: 2, Pull: 20}, nil, dp.EachGaussian, true},
	}
}

type load struct {
	name      string
	protocol  protocol.Params
	learner   bandit.Params // nil for one that chooses by features
	mechanism dp.Mechanism
	floods    bool // every agent gets the rows of all
}

// open returns a run of peers with four neighbours each, and 10 arms.
func (l load) open(peers int, rounds uint64) sim.Config {
	c := config(1, twoRings(peers), rounds, []float64{.1, .2, .3, .4, .5, .6, .7, .8, .85, .9})
	c.Spec.Protocol, c.Spec.Privacy.Horizon = l.protocol, max(rounds, 1<<12)
	if l.learner == nil {
		describe(&c)
		c.Spec.Privacy.Budget.Delta = 1e6
	} else {
		c.Spec.Learner = l.learner
	}
	c.Spec.Privacy.Mechanism = l.mechanism
	return c
}

// twoRings returns a graph of two rings, one of them in random order: random links, and few of them between any two
// peers.
func twoRings(n int) [][]protocol.Peer {
	all := ring(n)
	order := node.PeerSeed(1, protocol.Everyone).Rand("order").Perm(n)
	for i, p := range order {
		for _, q := range []int{order[(i+1)%n], order[(i+n-1)%n]} {
			if !slices.Contains(all[p], protocol.Peer(q)) {
				all[p] = append(all[p], protocol.Peer(q))
			}
		}
	}
	for p := range all {
		slices.Sort(all[p])
	}
	return all
}

// BenchmarkNetworks reports the processor time of an agent's step and the heap that an agent holds at the end, for each
// protocol and number of peers, over 40,000 steps of a new network with four neighbours each. It also reports the limit,
// which is the time of the same agents, each alone, and, where everyone gets all rows, of one hash a row.
func BenchmarkNetworks(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as in peerd experiment
	for _, l := range loads() {
		for _, peers := range []int{10, 100, 400, 1000} {
			b.Run(fmt.Sprintf("%s/%d", l.name, peers), func(b *testing.B) {
				rounds := uint64(40_000 / peers)
				steps := float64(b.N) * float64(peers) * float64(rounds)
				var step, limit, heap float64
				for range b.N {
					alone := l.open(peers, rounds)
					alone.Alone = true
					began := spent()
					if _, err := sim.Run(alone); err != nil {
						b.Fatal(err)
					}
					limit += spent() - began

					c := l.open(peers, rounds)
					before := inUse()
					c.Watch = func(t protocol.Round, agents []*node.Agent) {
						if t == protocol.Round(rounds-1) {
							step += spent() - began
							heap += float64(inUse()-before) / float64(peers)
							runtime.KeepAlive(agents)
						}
					}
					began = spent()
					res, err := sim.Run(c)
					if err != nil {
						b.Fatal(err)
					}
					if l.floods {
						limit += float64(res.Released) * float64(peers-1) * hashing()
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(step/steps, "ns/step")
				b.ReportMetric(limit/steps, "limit-ns/step")
				b.ReportMetric(1e9*steps/step, "steps/s")
				b.ReportMetric(heap/float64(b.N), "B/agent")
			})
		}
	}
}

// hashing returns how many nanoseconds a hash of a row takes, which stands for a signature in a run.
func hashing() float64 {
	const n = 100_000
	row, began := make([]byte, 64), spent()
	for range n {
		h := sha512.Sum512(row)
		row[0] = h[0]
	}
	return (spent() - began) / n
}

// spent returns the processor time of this program, in nanoseconds.
func spent() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// inUse returns the bytes of the heap that are reachable.
func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
