package rows

import (
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// gullible believes every signature, as if liars had the keys.
type gullible struct{ protocoltest.Keys }

func (gullible) Sign([]byte) []byte                        { return make([]byte, 64) }
func (gullible) Verify(protocol.Peer, []byte, []byte) bool { return true }

// TestAMergeIsOfTheNewestRows: the sites that are renewed one by one, as rows arrive, are those that a look at all rows
// gives, whatever rows arrive: of earlier and later lives and windows, of origins that have left and return.
func TestAMergeIsOfTheNewestRows(t *testing.T) {
	const peers, arms, window = 6, 3, 8
	rng := rand.New(rand.NewPCG(1, 2))
	graph := make([][]protocol.Peer, peers)
	for i := range graph {
		graph[i] = []protocol.Peer{protocol.Peer((i + 1) % peers)}
	}
	p, err := protocol.New(
		PhasesParams{First: 4, Growth: .5, Pull: 20, Merge: MergeMean, Window: window, F: 1},
		protocol.Config{
			Graph: graph, Parts: arms, Width: 1, Keys: vouch.For[protocol.Keys](gullible{}), Rand: rng,
			Charge: dp.Charge{Mechanism: dp.EachLaplace, Scale: 1 << 20, Hi: 1 << 20, Leaves: 1000},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	r := p.(*phases)
	var out protocol.Outbox
	returned, voided := 0, 0
	for step := range 3000 {
		now := uint64(step) / 100
		origin, arm := protocol.Peer(1+rng.IntN(peers-1)), dp.StreamID(rng.IntN(arms))
		leaves := 1 + rng.Uint64N(20)
		n := leaves + rng.Uint64N(3*leaves)
		x := dptest.Received(t, dp.Fields{
			Stream: arm, Span: dp.Span{To: leaves}, Count: []uint64{n}, Value: []int64{int64(n) << 19}, Exponent: dp.GridExponent,
			Noise: dp.Noise{Scale: 1 << 20, VarianceUnits: uint32(leaves) * dp.VarianceScale},
		})
		life, of := uint32(rng.IntN(1+step/1000)), now+rng.Uint64N(3)/2
		before := len(NewestRows(p))
		gone := r.gone[origin]
		m := protocoltest.Draft{Kind: phasesRow, Label: protocol.Label{Origin: origin, Incarnation: life, Stream: arm, Seq: of<<32 + leaves}, Body: []dp.Release{x}}.Signed(gullible{})
		if err := p.Receive(1, m, &out); err != nil {
			t.Fatal(err)
		}
		if gone && !r.gone[origin] {
			returned++
		}
		if len(NewestRows(p)) < before {
			voided++
		}
		if step%50 == 0 { // as if it were silent
			r.gone[origin] = true
			r.restart()
		}
		if step%100 == 99 {
			if err := p.Tick(protocol.Round(now+1)*window-1, &out); err != nil {
				t.Fatal(err)
			}
		}
		b := p.Belief()
		for k := range arms {
			var all []belief.Site
			for q := range protocol.Peer(peers) {
				if s, known := r.sample(q, k); known && r.counts(q) {
					all = append(all, s)
				}
			}
			if !slices.EqualFunc(all, b.Sites[k], func(a, b belief.Site) bool {
				return a.Peer == b.Peer && a.Mean == b.Mean && a.N == b.N && a.Released == b.Released && a.LaplaceSumSq == b.LaplaceSumSq
			}) {
				t.Fatalf("step %d, arm %d: %+v, want %+v", step, k, b.Sites[k], all)
			}
		}
	}
	if returned == 0 || voided == 0 {
		t.Errorf("%d origins returned, %d rows made others void: want some of both", returned, voided)
	}
}
