package averaging_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

func consensusOn(g protocoltest.Graph, w averaging.Weights) protocoltest.Setting {
	return protocoltest.Setting{
		Params: averaging.ConsensusParams{Weights: w, Patience: 4},
		Graph:  g, Arms: 2, Rounds: 400, Mechanism: dp.None,
	}
}

// matrix returns P, from the formulas.
func matrix(g protocoltest.Graph, w averaging.Weights) *mat.Dense {
	p := mat.NewDense(len(g), len(g), nil)
	most := 0
	for _, ns := range g {
		most = max(most, len(ns))
	}
	for i, ns := range g {
		p.Set(i, i, 1)
		for _, j := range ns {
			x := .5 / float64(most)
			if w == averaging.Metropolis {
				x = 1 / float64(1+max(len(ns), len(g[j])))
			}
			p.Set(i, int(j), x)
			p.Set(i, i, p.At(i, i)-x)
		}
	}
	return p
}

// TestConsensusConstants compares the constants of the 20-cycle with independently computed ones,
// and of other graphs with powers of the whole matrix.
func TestConsensusConstants(t *testing.T) {
	for _, c := range []struct {
		w      averaging.Weights
		ci, c0 float64
	}{{averaging.Laplacian, 63.8, 26.5}, {averaging.Metropolis, 46.3, 19.7}} {
		ci, c0, _, _ := averaging.Constants(averaging.ConsensusParams{Weights: c.w}, protocoltest.Ring(20), 3)
		if math.Abs(ci-c.ci) > .05 || math.Abs(c0-c.c0) > .05 {
			t.Errorf("%s: c_i = %.3f, c_0 = %.3f, want %v and %v", c.w, ci, c0, c.ci, c.c0)
		}
	}
	for name, g := range map[string]protocoltest.Graph{"path": protocoltest.Path(5), "star": protocoltest.Star(6), "random": protocoltest.Random(7, 3, rand.New(rand.NewPCG(1, 1)))} {
		for _, w := range []averaging.Weights{averaging.Metropolis, averaging.Laplacian} {
			p, m := matrix(g, w), float64(len(g))
			for self := range g {
				var ci, c0, sq, most float64
				power, varied := mat.DenseCopyOf(p), mat.Row(nil, self, p)
				for range 3000 {
					for _, x := range mat.Row(nil, self, power) {
						ci += m * max(0, x*(x-1/m))
						c0 += math.Abs(x-1/m) / 2
					}
					var next mat.Dense
					next.Mul(power, p)
					for j := range varied {
						varied[j] += math.Abs(next.At(self, j) - power.At(self, j))
					}
					power = &next
				}
				for _, v := range varied {
					sq += v * v
					most = max(most, v)
				}
				gi, g0, gsq, gmost := averaging.Constants(averaging.ConsensusParams{Weights: w}, g, protocol.Peer(self))
				for what, x := range map[string][2]float64{"c_i": {gi, ci}, "c_0": {g0, c0}, "noise": {gsq, sq}, "greatest": {gmost, most}} {
					if math.Abs(x[0]-x[1]) > 1e-4*x[1]+1e-5 {
						t.Errorf("%s, %s, peer %d: %s is %v, want %v", name, w, self, what, x[0], x[1])
					}
				}
			}
		}
	}
	if ci, c0, sq, _ := averaging.Constants(averaging.ConsensusParams{Weights: averaging.Metropolis}, protocoltest.Graph{nil, nil}, 1); ci != 0 || c0 != 0 || sq != 1 {
		t.Errorf("a peer alone: %v, %v, %v", ci, c0, sq)
	}
}

// TestConsensusIsThePapers: with messages that take one round, n and s are what n ← P(n+ξ) and
// s ← P(s+ds) make of the pulls; and n keeps Lemma 2: it is within c_0 of the mean over peers,
// and what is said of the variance bounds it.
func TestConsensusIsThePapers(t *testing.T) {
	for _, w := range []averaging.Weights{averaging.Metropolis, averaging.Laplacian} {
		for name, g := range map[string]protocoltest.Graph{"ring": protocoltest.Ring(6), "star": protocoltest.Star(5), "path": protocoltest.Path(4)} {
			t.Run(fmt.Sprint(w, " ", name), func(t *testing.T) {
				s, m := consensusOn(g, w), len(g)
				net, p := protocoltest.New(t, s), matrix(g, w)
				sums, counts := mat.NewDense(m, s.Arms, nil), mat.NewDense(m, s.Arms, nil)
				type pulled struct {
					arm    int
					powers *mat.VecDense // of the peer that pulled: how the pull is ci now
				}
				var all []pulled
				rng := rand.New(rand.NewPCG(1, 1))
				for range 60 {
					net.Play(t, func(i int) (int, float64) {
						arm, reward := rng.IntN(s.Arms), float64(rng.IntN(2))
						if i == 0 {
							arm = 0
						}
						sums.Set(i, arm, sums.At(i, arm)+reward)
						counts.Set(i, arm, counts.At(i, arm)+1)
						e := mat.NewVecDense(m, nil)
						e.SetVec(i, 1)
						all = append(all, pulled{arm, e})
						return arm, reward
					})
					for i, in := range net.Take() { // what the next round begins with
						for _, d := range in {
							require.Value(net.Deliver(t, i, d))(t)
						}
					}
					sums.Mul(p, mat.DenseCopyOf(sums))
					counts.Mul(p, mat.DenseCopyOf(counts))
					for i := range all {
						all[i].powers.MulVec(p, mat.VecDenseCopyOf(all[i].powers))
					}
				}
				for i, peer := range net.Peers {
					b := peer.Belief()
					_, c0, _, _ := averaging.Constants(s.Params.(averaging.ConsensusParams), g, protocol.Peer(i))
					for k := range b.X {
						n, x := counts.At(i, k), sums.At(i, k)/counts.At(i, k)
						if math.Abs(b.PerSite[k]-n) > 1e-3 || math.Abs(b.X[k]-x) > 1e-3 {
							t.Errorf("peer %d, arm %d: %v of %v, want %v of %v", i, k, b.X[k], b.PerSite[k], x, n)
						}
						mean, variance := 0., 0.
						for _, a := range all {
							if a.arm == k {
								mean += 1 / float64(m)
								variance += a.powers.AtVec(i) * a.powers.AtVec(i) / (n * n)
							}
						}
						if math.Abs(n-mean) > c0 {
							t.Errorf("peer %d, arm %d: n is %v and the mean %v, which is further than c_0 = %v", i, k, n, mean, c0)
						}
						if b.SampleVar[k] < variance*(1-1e-6) || b.SampleVar[k] > 4*variance {
							t.Errorf("peer %d, arm %d: SampleVar %v, and the variance of what is believed %v", i, k, b.SampleVar[k], variance)
						}
					}
				}
			})
		}
	}
}

// TestConsensusMass plays random histories of pulls, loss, repetition, delay and restarts with
// noise on. At every step Σ state + Σ under way = Σ entered, as integers.
func TestConsensusMass(t *testing.T) {
	restarts := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := consensusOn(protocoltest.Random(3+rng.IntN(4), rng.IntN(4), rng), []averaging.Weights{averaging.Metropolis, averaging.Laplacian}[seed%2])
		s.Mechanism, s.Seed = dp.Tree, seed
		n := protocoltest.New(t, s)
		f := protocoltest.Faults{Rand: rng, Lose: .3, Repeat: .2, Late: .3}
		pull := n.Choices(seed)
		for range 60 {
			n.Play(t, pull)
			f.Befall(n)
			if rng.IntN(4) == 0 {
				n.Restart(t, rng.IntN(len(n.Peers)), 0)
				restarts++
			}
			for k := range 2 * s.Arms {
				if there, entered := consensusMass(n, k); there != entered {
					t.Fatalf("history %d, value %d: %d are there, %d have entered", seed, k, there, entered)
				}
			}
		}
	}
	if restarts < 100 {
		t.Errorf("%d restarts try little", restarts)
	}
}

// consensusMass adds up value k over peers and links, and what has entered of it.
func consensusMass(n *protocoltest.Network, k int) (there, entered int64) {
	for _, p := range n.Peers {
		shares, flows, _ := averaging.Shares(p.Protocol)
		there += shares.Value(k)
		entered += shares.Entered(k)
		for i := range flows {
			there += flows[i].Sent(k) - flows[i].Taken(k)
		}
	}
	return there, entered
}

// TestConsensusAfterALostLife: what a lost life had is gone, sums and numbers alike, so that
// estimates stay right. Nothing is counted twice, and whatever is pulled later counts, except
// the pull with which an arm begins.
func TestConsensusAfterALostLife(t *testing.T) {
	s := consensusOn(protocoltest.Ring(5), averaging.Metropolis)
	n := protocoltest.New(t, s)
	half := func(i int) (int, float64) { return (i + int(n.Round)) % 2, .5 }
	records := func() (sum float64) { // with what is under way: between rounds a third is at peers
		for _, p := range n.Peers {
			for _, x := range p.Belief().PerSite {
				sum += 3 * x
			}
		}
		return sum
	}
	right := func(when string) {
		t.Helper()
		for i, p := range n.Peers {
			for k, x := range p.Belief().X {
				if p.Belief().Known(k) && math.Abs(x-.5) > 1e-3 {
					t.Errorf("%s: peer %d believes %v of arm %d", when, i, x, k)
				}
			}
		}
	}
	for life := range uint32(3) {
		for range 30 {
			n.Play(t, half)
		}
		n.Play(t, nil)
		right("before")
		before := records()
		state, _, err := n.Peers[2].AbandonLeaves(3)
		if err != nil {
			t.Fatal(err)
		}
		n.Peers[2] = n.Peer(t, 2, life+1)
		require.NoError(t, n.Peers[2].Load(state))
		for range 10 {
			n.Play(t, nil)
			right("after")
		}
		left := records()
		if left > before || left < before/2 {
			t.Errorf("a peer of 5 lost its life: %v records of %v are left", left, before)
		}
		for range 20 {
			n.Play(t, half)
		}
		right("later")
		for range 60 {
			n.Play(t, nil)
		}
		if got, want := records()-left, 5*20.-2; math.Abs(got-want) > .5 {
			t.Errorf("life %d: %v pulls later there are %v records more", life+1, want, got)
		}
	}
}

// TestConsensusAfterABackup: a peer that continues from an old state, which is not noticed as long
// as it has released nothing since, sends flows that have fallen. They are taken as they are, and
// estimates stay right.
func TestConsensusAfterABackup(t *testing.T) {
	n := protocoltest.New(t, consensusOn(protocoltest.Ring(5), averaging.Metropolis))
	half := func(i int) (int, float64) { return (i + int(n.Round)) % 2, .5 }
	for range 20 {
		n.Play(t, half)
	}
	state := require.Value(n.Peers[2].Save())(t)
	for range 20 {
		n.Play(t, nil)
	}
	n.Peers[2] = n.Peer(t, 2, 0)
	require.NoError(t, n.Peers[2].Load(state))
	for range 20 {
		n.Play(t, half) // fails if a message is refused
		for i, p := range n.Peers {
			for k, x := range p.Belief().X {
				if n := p.Belief().PerSite[k]; math.Abs(x-.5) > 1e-3 || n > 45 {
					t.Fatalf("peer %d believes %v of %v records of arm %d", i, x, n, k)
				}
			}
		}
	}
}

// TestConsensusNoiseIsBounded: over many seeds of noise, the variance of what is in an estimate
// is at most that which the belief says.
func TestConsensusNoiseIsBounded(t *testing.T) {
	const seeds = 300
	for _, m := range []dp.Mechanism{dp.Hybrid, dp.Kary} {
		var square, said [2]float64
		for seed := range uint64(seeds) {
			s := consensusOn(protocoltest.Ring(5), averaging.Metropolis)
			s.Mechanism, s.Seed, s.Rounds = m, seed, 64
			n := protocoltest.New(t, s)
			for range 40 {
				n.Play(t, func(int) (int, float64) { return min(1, int(n.Round)%3), 0 })
			}
			b := n.Peers[1].Belief()
			for k, x := range b.X { // all rewards are 0, so this is noise
				square[k] += x * x / seeds
				said[k] += b.NoiseDev(k) * b.NoiseDev(k) / seeds
			}
		}
		for k := range square {
			t.Logf("%v, arm %d: variance %.4g, at most %.4g", m, k, square[k], said[k])
			if square[k] > said[k] || square[k] < said[k]/500 {
				t.Errorf("%v, arm %d: the variance of the noise is %v, and %v is said", m, k, square[k], said[k])
			}
		}
	}
}
