package factor

import "sort"

// Kary is the mechanism of signed digits (Andersson, Pagh, Steiner and Torkamani 2025, "Count on
// Your Elders"). Leaf t is written in base k with digits -m … m, where m = (k-1)/2. The digit d
// of level i takes the sum from a multiple p of k^(i+1) to p + d·k^i by |d| nodes of k^i leaves
// each. They are added if d > 0 and subtracted if d < 0. Subtracted nodes contain leaves that
// are still to come.
//
// Nodes of one level do not overlap, so a leaf lies in at most Levels of them, and noise of scale
// Levels·Δ/ε in each makes everything ε-private: docs/proofs/kary.md.
type Kary struct {
	Base   uint64 // k, odd
	Levels int    // h, with (k^h-1)/2 at least the horizon
}

// KaryFor returns the mechanism for n leaves, 1 ≤ n ≤ 2^30, whose greatest variance of a sum is
// least and, among these, whose mean variance is least.
func KaryFor(n uint64) Kary {
	h := 1
	for (Kary{3, h}).reach() < n { // with base 3, more levels only add noise
		h++
	}
	var best Kary
	for ; h > 0; h-- {
		least := 3 + 2*uint64(sort.Search(int(n), func(i int) bool { return Kary{3 + 2*uint64(i), h}.reach() >= n }))
		most := 2 * least
		if h == 1 {
			most = least // a greater base has the same digits
		}
		one := Kary{least, h}
		for k := least + 2; k <= most; k += 2 {
			a := Kary{k, h}
			if best.Base > 0 && a.least() > best.node()*best.mostTerms(n) {
				break // so do all greater bases
			}
			if a.before(one, n) {
				one = a
			}
		}
		if best.Base == 0 || !best.before(one, n) {
			best = one
		}
	}
	return best
}

// least returns a lower bound of the greatest variance of a sum: digits m on all levels except the
// highest. If these alone reach the horizon, the mechanism with one level less is better.
func (a Kary) least() uint64 {
	return a.node() * uint64(a.Levels-1) * (a.Base - 1) / 2
}

// before reports whether a is better than b for n leaves.
func (a Kary) before(b Kary, n uint64) bool {
	x, y := a.node()*a.mostTerms(n), b.node()*b.mostTerms(n)
	if x != y {
		return x < y
	}
	return a.node()*a.allTerms(n) < b.node()*b.allTerms(n)
}

// node returns the variance of a node's noise, up to a factor.
func (a Kary) node() uint64 { return uint64(a.Levels * a.Levels) }

// reach returns the greatest leaf, (k^h-1)/2, or one beyond 2^30.
func (a Kary) reach() uint64 {
	p := uint64(1)
	for i := 0; i < a.Levels && p <= 1<<31; i++ {
		p *= a.Base
	}
	return (p - 1) / 2
}

// Digits returns the digits of leaf t, lowest level first.
func (a Kary) Digits(t uint64) []int64 {
	d := make([]int64, a.Levels)
	m := int64(a.Base-1) / 2
	for i := range d {
		d[i] = int64(t % a.Base)
		t /= a.Base
		if d[i] > m {
			d[i] -= int64(a.Base)
			t++
		}
	}
	return d
}

// Terms returns how many nodes the sum at leaf t has. Each counts once in its variance.
func (a Kary) Terms(t uint64) uint64 {
	sum := uint64(0)
	for _, d := range a.Digits(t) {
		sum += uint64(max(d, -d))
	}
	return sum
}

// mostTerms returns the greatest Terms over leaves 1 … n: at n itself, or at a leaf whose digits
// agree with n's down to one that is lower, and are m or -m below.
func (a Kary) mostTerms(n uint64) uint64 {
	d, m := a.Digits(n), int64(a.Base-1)/2
	most, above := a.Terms(n), int64(0)
	for i := len(d) - 1; i >= 0; i-- {
		switch low := d[i] - 1; {
		case above > 0 && low >= -m:
			most = max(most, uint64(above+m*int64(i+1)))
		case above == 0 && low > 0:
			most = max(most, uint64(low+m*int64(i)))
		case above == 0 && low == 0: // the highest digit that is not 0 is positive
			most = max(most, uint64(m*int64(i)))
		}
		above += max(d[i], -d[i])
	}
	return most
}

// allTerms returns Σ Terms over leaves 1 … n.
func (a Kary) allTerms(n uint64) uint64 {
	m := (a.Base - 1) / 2
	sum, size := uint64(0), uint64(1)
	for size/2 < n {
		// Up to leaf size/2 the digit is 0. Then 1 … m, -m … 0 have size leaves each,
		// over and over.
		rest := n - size/2
		sum += rest / (size * a.Base) * size * m * (m + 1)
		rest %= size * a.Base
		d := rest / size // digits that have all their leaves
		sum += rest % size * min(d+1, a.Base-1-d)
		if d <= m {
			sum += size * (d * (d + 1) / 2)
		} else {
			d = a.Base - 1 - d
			sum += size * (m*(m+1) - d*(d+1)/2)
		}
		size *= a.Base
	}
	return sum
}
