package audit

import (
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/factor"
)

// span is a node, by its leaves.
type span struct{ from, to uint64 }

// signed returns the nodes of the sum at leaf t by its digits, with their signs.
func signed(a factor.Kary, t uint64) map[span]int64 {
	nodes := map[span]int64{}
	digits := a.Digits(t)
	size := uint64(1)
	for range digits {
		size *= a.Base
	}
	for i, at := len(digits)-1, uint64(0); i >= 0; i-- {
		size /= a.Base
		for range max(digits[i], -digits[i]) {
			if digits[i] > 0 {
				nodes[span{at, at + size}] = 1
				at += size
			} else {
				nodes[span{at - size, at}] = -1
				at -= size
			}
		}
	}
	return nodes
}

// TestKaryIsToldApart: from sums made of the nodes given by digits, with any noise, the nodes and
// their noise are recovered; and after every leaf the known and the open nodes together are all
// nodes of the sums so far that a record moves.
func TestKaryIsToldApart(t *testing.T) {
	for _, n := range []uint64{1, 8, dp.Kary.Describe().Small, 60, 400, 1200} {
		c := &dp.Charge{Mechanism: dp.Kary, Dim: 1, Leaves: n}
		a := factor.KaryFor(n)
		noise := map[span]int64{}
		for _, moved := range []uint64{1, 2, n / 3, n/2 + 1, n} {
			if moved == 0 {
				continue
			}
			k := newKary(c, true)
			want, got := map[span]bool{}, map[span]bool{}
			for leaf := uint64(1); leaf <= n; leaf++ {
				sum := drawnNode{to: leaf, noise: dp.Noise{Scale: 1, VarianceUnits: 5}}
				if leaf >= moved {
					sum.exact[1] = 1
				}
				for v, sign := range signed(a, leaf) {
					if _, ok := noise[v]; !ok {
						noise[v] = int64(len(noise)+1) << 10
					}
					sum.value += sign * noise[v]
					if v.from < moved && moved <= v.to {
						want[v] = true
					}
				}
				for _, x := range k.leaf([]drawnNode{sum}) {
					v := span{x.from, x.to}
					if x.added() != noise[v] || x.noise.VarianceUnits != dp.VarianceScale || x.to != leaf {
						t.Fatalf("%v: node %v has noise %d, want %d: %+v", a, v, x.added(), noise[v], x)
					}
					if fresh := signed(a, leaf-1)[v] == 0 && signed(a, leaf)[v] == 1 && x.to-x.from == 1; x.chosen == fresh {
						t.Fatalf("%v: node %v at leaf %d: chosen %v", a, v, leaf, x.chosen)
					}
					if x.shift() != 0 {
						got[v] = true
					}
				}
				all := len(got)
				for _, x := range k.open() {
					if !x.open {
						t.Fatalf("%v: node %+v is not open", a, x)
					}
					if x.shift() != 0 {
						all++
					}
				}
				if leaf >= moved && all != len(want) {
					t.Fatalf("%v: leaf %d moves %d nodes of the sums up to %d, want %d", a, moved, all, leaf, len(want))
				}
			}
		}
	}
}
