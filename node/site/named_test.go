package site

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node/decision"
	"peerd.dev/node/ledger"
)

// TestANameIsUnderOneLeaf: one decision after another is the named one, which alone pays 1, in a
// site without noise that is stopped, crashes and comes to its horizon. The nodes that change
// with the name are all above one leaf, and no more than the levels of the tree, which are
// charged. PEERD_LONG plays every protocol with both horizons.
func TestANameIsUnderOneLeaf(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	for i, name := range protocols() {
		for seed := range uint64(2) {
			if seed != uint64(i%2) && os.Getenv("PEERD_LONG") == "" {
				continue
			}
			t.Run(fmt.Sprintf("%s/seed=%d", name, seed), func(t *testing.T) {
				for _, fault := range misnamed(t, name, seed) {
					t.Error(fault)
				}
			})
		}
	}
}

const (
	named = 30 // decisions of a play
	apart = 3  // every which of them is named
)

// misnamed plays with each name and returns what is wrong.
func misnamed(t *testing.T, name string, seed uint64) (faults []string) {
	t.Helper()
	x := plain(AtWindow)
	x.protocol, x.seed, x.horizon, x.saveEvery = name, seed, 8, 5
	if seed%2 == 1 {
		x.horizon = 64
	}
	without, found := playNamed(t, x, -1), 0
	for k := 0; k < named; k += apart {
		var under []dp.Span
		for node, sum := range playNamed(t, x, k) {
			if before, ok := without[node]; !ok || sum != before {
				under = append(under, node.span)
				if ok && sum-before > 1<<-dp.GridExponent {
					faults = append(faults, fmt.Sprintf("the reward of decision %d is more than once in the node %v", k, node.span))
				}
			}
		}
		common := dp.Span{To: 1 << 62}
		for _, s := range under {
			common.From, common.To = max(common.From, s.From), min(common.To, s.To)
		}
		if len(under) > 0 {
			found++
		}
		if len(under) > bits.Len64(x.horizon) || common.From >= common.To {
			faults = append(faults, fmt.Sprintf("the reward of decision %d is under the nodes %v", k, under))
		}
	}
	if found < 3 || x.horizon == 8 && name == averaged && found == named/apart {
		t.Fatalf("%s, seed %d: %d of %d names are under a node: this shows nothing", name, seed, found, named/apart)
	}
	return faults
}

type nodeOf struct {
	stream dp.StreamID
	span   dp.Span
}

// playNamed returns the exact sums of all nodes if decision k alone pays 1.
func playNamed(t *testing.T, x setting, k int) map[nodeOf]int64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(x.seed, 7))
	r := newRig(t, x)
	r.start()
	for i := range named + 12 {
		if i < named {
			id, other := fmt.Sprint(i), r.arms[(i+1)%3]
			r.ask(decision.Ask{ID: id, Exclude: []string{other, r.arms[(i+2)%3]}}) // choices must not follow from sums
			value := 0.
			if i == k {
				value = 1
			}
			r.pay(id, value)
		}
		r.round()
		switch rng.IntN(6) {
		case 0:
			r.stop()
			r.start()
		case 1:
			r.crash()
			r.start()
		}
	}
	sums := make(map[nodeOf]int64)
	for _, line := range r.lines() {
		l, err := ledger.ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		if b, ok := l.Body.(*ledger.Release); ok {
			sums[nodeOf{b.Stream, dp.Span{From: b.From, To: b.To}}] = b.Values[0]
		}
	}
	r.stop()
	return sums
}
