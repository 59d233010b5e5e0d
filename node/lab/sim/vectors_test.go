package sim_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// vectored is a run of sites whose arms have public vectors of their own, and that play one arm
// until its batch is full.
func vectored(t *testing.T, peers, arms int, rounds uint64) sim.Config {
	t.Helper()
	c := config(1, ring(peers), rounds, make([]float64, arms))
	p := phases()
	p.OneArm = true
	c.Spec.Protocol, c.Spec.Learner, c.Spec.Privacy.Mechanism = p, learner.LinTSParams{Radius: 1}, dp.EachLaplace
	for _, e := range world.Table() {
		if _, ok := e.(world.LinearParams); !ok {
			continue
		}
		params := world.LinearParams{Features: 3, Law: world.Sphere, Draw: world.OwnActions, Gap: .1, Instance: 1}
		source, err := world.Open(params, world.Config{
			Arms: arms, Sites: peers, Instance: func(number uint64) *rand.Rand { return node.NewSeed(number).Rand("instance") },
		})
		if err != nil {
			t.Fatal(err)
		}
		sites, err := source.Sites(nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Spec.Vectors = sites.Vectors
		for i := range peers {
			if c.Worlds[i], err = sites.Known().World(i, rand.NewChaCha8(c.Seeds[i].Of("world"))); err != nil {
				t.Fatal(err)
			}
			if turn := c.Worlds[i].Turn(0); turn.Features != nil {
				t.Fatal("vectors are known, and turns hold them")
			}
			c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(i)))
		}
	}
	return c
}

// watched records which arms a world is asked to pay for.
type watched struct {
	bandit.World
	arms *[]bandit.Arm
}

func (w watched) Play(a bandit.Arm) (bandit.Reward, error) {
	*w.arms = append(*w.arms, a)
	return w.World.Play(a)
}

// TestSitesPlayOneArmABatch: every site's choices are sequences of one arm, each of which ends
// with a batch, and every batch is one release.
func TestSitesPlayOneArmABatch(t *testing.T) {
	const peers, rounds = 3, 400
	c := vectored(t, peers, 6, rounds)
	arms := make([][]bandit.Arm, peers)
	for i := range c.Worlds {
		c.Worlds[i] = watched{c.Worlds[i], &arms[i]}
	}
	res, err := sim.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	batches := uint64(0)
	for i, arms := range arms {
		different := 0
		for from := 0; from < rounds; {
			size := max(4, (from+1)/2)
			batch := arms[from:min(from+size, rounds)]
			if slices.Min(batch) != slices.Max(batch) {
				t.Errorf("site %d, batch of %d from choice %d on: %v", i, size, from, batch)
			}
			if from += size; from <= rounds {
				batches++
			}
			if from < rounds && arms[from] != batch[0] {
				different++
			}
		}
		if different < 2 {
			t.Errorf("site %d plays one arm in nearly all batches: this shows little", i)
		}
	}
	if res.Released != batches {
		t.Errorf("%d releases of %d batches", res.Released, batches)
	}
}

// TestOwnVectorsNeedTheMeanOfEachSite: a protocol that states only means over sites is refused,
// and a site can be alone.
func TestOwnVectorsNeedTheMeanOfEachSite(t *testing.T) {
	c := vectored(t, 3, 4, 100)
	mixed := c.Spec
	average := config(1, ring(3), 100, make([]float64, 4)).Spec
	mixed.Protocol, mixed.Privacy = average.Protocol, average.Privacy
	if err := mixed.Check(); err == nil || !strings.Contains(err.Error(), "states only the mean") {
		t.Errorf("own vectors: %v", err)
	}
	if err := c.Spec.Check(); err != nil {
		t.Error(err)
	}
	c.Alone = true
	if _, err := sim.Run(c); err != nil {
		t.Error(err)
	}
}
