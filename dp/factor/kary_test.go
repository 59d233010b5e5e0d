package factor

import (
	"testing"

	"pgregory.net/rapid"
)

// A node of a test is the j-th one of its level, over leaves j·k^i+1 … (j+1)·k^i.
type node struct{ level, j int64 }

// signed returns the nodes of the sum at leaf t, and their signs.
func (a Kary) signed(t uint64) map[node]int64 {
	nodes := map[node]int64{}
	size, p := int64(1), int64(0)
	for range a.Levels - 1 {
		size *= int64(a.Base)
	}
	d := a.Digits(t)
	for i := len(d) - 1; i >= 0; i-- {
		for j := int64(0); j < d[i]; j++ {
			nodes[node{int64(i), p/size + j}] = 1
		}
		for j := int64(0); j > d[i]; j-- {
			nodes[node{int64(i), p/size + j - 1}] = -1
		}
		p += d[i] * size
		size /= int64(a.Base)
	}
	return nodes
}

// TestKaryIsAFactorization enumerates B and C for small horizons: B·C is the triangle of ones
// though nodes extend beyond the sums that use them; no column of C has an L1 norm above the
// number of levels, and one has exactly that norm.
func TestKaryIsAFactorization(t *testing.T) {
	for _, a := range []Kary{{3, 1}, {3, 2}, {3, 4}, {5, 2}, {5, 3}, {7, 2}, {9, 2}, {15, 1}} {
		n := a.reach()
		used := map[node]bool{}
		for k := uint64(1); k <= n; k++ {
			row := make(map[int64]int64)
			terms := uint64(0)
			for v, sign := range a.signed(k) {
				used[v] = true
				terms++
				size := int64(1)
				for range v.level {
					size *= int64(a.Base)
				}
				for leaf := v.j*size + 1; leaf <= (v.j+1)*size; leaf++ {
					row[leaf] += sign
				}
			}
			if terms != a.Terms(k) {
				t.Fatalf("%+v, leaf %d: %d nodes, want %d", a, k, terms, a.Terms(k))
			}
			for leaf, x := range row {
				want := int64(0)
				if leaf <= int64(k) {
					want = 1
				}
				if x != want {
					t.Fatalf("%+v: leaf %d counts %d times in the sum at %d", a, leaf, x, k)
				}
			}
		}
		column, most := map[int64]int{}, 0
		for v := range used {
			size := int64(1)
			for range v.level {
				size *= int64(a.Base)
			}
			for leaf := v.j*size + 1; leaf <= (v.j+1)*size; leaf++ {
				column[leaf]++
				most = max(most, column[leaf])
			}
		}
		if most != a.Levels {
			t.Errorf("%+v: a leaf lies in %d nodes, %d are paid for", a, most, a.Levels)
		}
	}
}

// TestKarySumsOfTerms compares the greatest and the sum of Terms with counting.
func TestKarySumsOfTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 3000).Draw(t, "leaves")
		a := Kary{2*rapid.Uint64Range(1, 40).Draw(t, "m") + 1, 1}
		for a.reach() < n {
			a.Levels++
		}
		most, all := uint64(0), uint64(0)
		for k := uint64(1); k <= n; k++ {
			most = max(most, a.Terms(k))
			all += a.Terms(k)
		}
		if a.mostTerms(n) != most || a.allTerms(n) != all {
			t.Fatalf("%+v, %d leaves: at most %d terms, %d in all, want %d, %d", a, n, a.mostTerms(n), a.allTerms(n), most, all)
		}
	})
}

// TestKaryForIsTheBest compares with all bases up to twice the least one, for every number of
// levels.
func TestKaryForIsTheBest(t *testing.T) {
	best := func(n uint64) (best Kary) {
		for h, least := 1, uint64(5); least > 3; h++ {
			for least = 3; (Kary{least, h}).reach() < n; least += 2 {
			}
			for k := least; k <= 2*least; k += 2 {
				if a := (Kary{k, h}); best.Base == 0 || a.before(best, n) {
					best = a
				}
				if h == 1 {
					break // a greater base has the same digits
				}
			}
		}
		return best
	}
	for n := uint64(1); n <= 3000; n++ {
		if got, want := KaryFor(n), best(n); got != want {
			t.Fatalf("%d leaves: %+v, want %+v", n, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 1<<rapid.IntRange(1, 22).Draw(t, "bits")).Draw(t, "leaves")
		if got, want := KaryFor(n), best(n); got != want {
			t.Fatalf("%d leaves: %+v, want %+v", n, got, want)
		}
	})
}

// TestKaryForReaches checks every horizon that a power could miss.
func TestKaryForReaches(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 4, 5, 12, 13, 14, 40, 1 << 10, 1 << 16, 1<<30 - 1, 1 << 30} {
		a := KaryFor(n)
		if a.reach() < n || a.Base%2 != 1 {
			t.Errorf("%d leaves: %+v reaches %d", n, a, a.reach())
		}
		t.Logf("%d leaves: %+v, greatest variance %d/ε²", n, a, 2*a.node()*a.mostTerms(n))
	}
}
