package rows_test

import (
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol/rows"
)

// oneArm returns parameters with which a site plays one arm until its batch is full.
func oneArm() rows.PhasesParams {
	return rows.PhasesParams{First: 4, Growth: .5, OneArm: true, Pull: 20, Merge: rows.MergeMean}
}

// TestOneArmUntilItsBatchIsFull: batches grow with the rewards of all arms, the arm of the batch under way
// comes first, and the protocol of a restarted peer says the same.
func TestOneArmUntilItsBatchIsFull(t *testing.T) {
	s := phases(protocoltest.Path(2), dp.EachLaplace)
	s.Params = oneArm()
	n := protocoltest.New(t, s)
	play := 0
	for batch, size := range []int{4, 4, 4, 6, 9, 14} { // half of 4, 8, 12, 18 and 27
		arm := batch % 2
		for i := range size {
			b := n.Peers[0].Belief()
			want := []int{}
			if i > 0 {
				want = append(want, arm)
			}
			if !slices.Equal(b.Forced, want) {
				t.Fatalf("batch %d, choice %d: %v are forced, want %v", batch, i, b.Forced, want)
			}
			n.Play(t, func(peer int) (int, float64) { return (arm + peer) % 2, 1 })
			play++
			saved, err := n.Peers[0].Protocol.Save()
			if err != nil {
				t.Fatal(err)
			}
			again := protocoltest.New(t, s).Peers[0]
			if err := again.Protocol.Load(saved); err != nil {
				t.Fatal(err)
			}
			if got, want := again.Protocol.Belief().Forced, n.Peers[0].Belief().Forced; !slices.Equal(got, want) {
				t.Fatalf("batch %d, choice %d: %v are forced after a restart, want %v", batch, i, got, want)
			}
		}
		if len(n.Peers[0].Released) != batch+1 {
			t.Fatalf("%d batches after %d choices, want %d", len(n.Peers[0].Released), play, batch+1)
		}
	}
	n.Play(t, nil)
	for _, p := range n.Peers { // each has heard the other's rows
		for arm, sites := range p.Belief().Sites {
			if len(sites) != 2 || sites[0].Peer != 0 || sites[1].Peer != 1 || sites[0].N+sites[1].N != 41 {
				t.Errorf("arm %d rests on %+v", arm, sites)
			}
		}
	}
}
