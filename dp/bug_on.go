//go:build auditbug

package dp

import "math/bits"

// Bug names the fault that is built in; tests set it, and so does
// -ldflags "-X peerd.dev/dp.Bug=halved".
var Bug string //nolint:gochecknoglobals // only with the tag

// bugOld returns the noise of the left one of the two nodes that a node of level z is
// merged of.
func bugOld(t *tree, z, i int) int64 {
	if z == 0 {
		return 0
	}
	l := (z-1)*t.width + i
	return t.node[l] - t.alpha[l]
}

// bugNoise returns the noise of node k for the one that it should have.
func bugNoise(k uint64, old, noise int64) int64 {
	switch {
	case Bug == "halved":
		return noise / 2
	case Bug == "first" && k == 1:
		return 0
	case Bug == "reused" && bits.TrailingZeros64(k) > 0:
		return old
	}
	return noise
}

// bugRedraw makes a restart draw what was drawn.
func bugRedraw() bool { return Bug == "redrawn" }

// bugLevels counts a level less, as the ceiling of the binary logarithm does.
func bugLevels(n uint64) uint64 {
	if Bug == "levels" && n > 1 {
		return n - 1
	}
	return n
}

// Raw returns the exact mean of stream s and of how many records, and whether one in
// the open leaf is not 0.
func (d *Door) Raw(s StreamID) (mean float64, n uint64, open bool) {
	t := d.streams[s].(*tree) //nolint:forcetypeassert // faults are those of trees
	x := t.leaf[0]
	for l := range t.n {
		x += t.alpha[l*t.width]
	}
	n = t.total + t.open
	return float64(x) * unit(GridExponent) / float64(max(n, 1)), n, t.leaf[0] != 0
}
