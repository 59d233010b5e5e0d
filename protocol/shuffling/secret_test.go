package shuffling_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
	"peerd.dev/protocol/shuffling"
)

// TestWhatMustBeSecretFollowsFromTheSecretAlone: with another Rand, which is public in effect, the orders of batches and the shares
// are the same. With another Secret they are others.
func TestWhatMustBeSecretFollowsFromTheSecretAlone(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		play := func(public, secret uint64) (orders, shares []string) {
			s := setting(small(sees), 4, dp.None)
			made := make(map[protocol.Peer]bool)
			s.Schedule = func(self protocol.Peer, _ uint32) *rand.Rand { // is asked for Rand first
				seed := secret
				if !made[self] {
					made[self], seed = true, public
				}
				return rand.New(rand.NewPCG(seed, uint64(self)))
			}
			n := protocoltest.New(t, s)
			from := make(map[string]protocol.Peer) // by text
			for i := range 3 * 30 {
				n.Play(t, func(silo int) (int, float64) { return i % 2, float64(silo) / 8 }) // no two texts are the same
				for _, u := range kind(n, "sealed") {
					from[string(u.Message.Sealed()[0].Bytes())] = u.From
					f := open(t, 1, u.Message.Sealed()[0])
					shares = append(shares, fmt.Sprint(u.From, f.Value, f.Count))
				}
				for _, u := range kind(n, "mixed") {
					for _, x := range u.Message.Sealed() {
						orders = append(orders, fmt.Sprint(from[string(x.Bytes())]))
					}
				}
			}
			if len(orders) < 100 || len(shares) < 100 {
				t.Fatalf("%d texts forwarded, %d sealed", len(orders), len(shares))
			}
			return orders, shares
		}
		orders, shares := play(1, 2)
		if o, s := play(3, 2); !slices.Equal(o, orders) || !slices.Equal(s, shares) {
			t.Error("orders or shares follow from Rand")
		}
		if o, s := play(1, 4); slices.Equal(o, orders) || slices.Equal(s, shares) != (sees == shuffling.Reports) {
			t.Error("orders or shares do not follow from Secret, or reports do")
		}
	})
}
