//go:build auditbug

package dp

// Bug names the fault that is built in; tests set it, and so does
// -ldflags "-X peerd.dev/dp.Bug=halved".
var Bug string //nolint:gochecknoglobals // only with the tag

// bug is the fault of one stream's noise.
type bug struct{ before int64 } // what was drawn last

// noise returns the noise of leaf t for what it should have.
func (b *bug) noise(t uint64, drawn int64) int64 {
	before := b.before
	b.before = drawn
	switch {
	case Bug == "halved":
		return drawn / 2
	case Bug == "first" && t == 1:
		return 0
	case Bug == "reused" && t%2 == 0 && before != 0:
		return before
	}
	return drawn
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
