package sample

import (
	"math/bits"
	"slices"
)

// An interval has length 1/intervalsPerUnit of the exponential distribution.
const (
	intervalBits     = 4
	intervalsPerUnit = 1 << intervalBits
	tableIntervals   = 64 // in the table, which ends at exp(-4)
	guideBits        = 10 // bins of 2^-10 are narrower than the last interval, 0.00118
)

// intervalTable inverts the distribution of [Source.geometric] by one comparison.
type intervalTable struct {
	edge  [tableIntervals + 1]uint64 // first 64-bit digit of exp(-(j+1)/16); the last is 0
	guide [1 << guideBits]uint8      // how many edges are above a bin of the first digit
}

//nolint:gochecknoglobals // a table, never written after it is made
var intervals = newIntervalTable()

func newIntervalTable() *intervalTable {
	var c intervalTable
	for j := range c.edge[:tableIntervals] {
		c.edge[j] = expDigits(uint64(j)+1, 2)[0]
	}
	for i := range c.guide {
		last := uint64(i+1)<<(64-guideBits) - 1 // last word of the bin
		for c.edge[c.guide[i]] > last {
			c.guide[i]++
		}
	}
	return &c
}

// geometric returns j ≥ 0 with P(j ≥ n) = exp(-n/16) exactly: the number of edges exp(-1/16),
// exp(-2/16), … above a uniform number. Beyond the table it starts again, since the distribution
// is memoryless.
func (s *Source) geometric() uint64 {
	for skipped := uint64(0); ; skipped += tableIntervals {
		v := s.Uint64()
		j := uint64(intervals.guide[v>>(64-guideBits)])
		_, below := bits.Sub64(v, intervals.edge[j], 0)
		j += below
		if v == intervals.edge[j] && j < tableIntervals && s.belowEdge(v, j+1) {
			j++
		}
		if j < tableIntervals {
			return skipped + j
		}
	}
}

// belowEdge reports whether a uniform number is below exp(-i/16), if both have the first digit v.
// It draws digits until one differs.
func (s *Source) belowEdge(v, i uint64) bool {
	digits := []uint64{v}
	for n := 3; ; n++ {
		digits = append(digits, s.Uint64())
		edge := expDigits(i, n)
		if edge[n-1]+expSlack < 2*expSlack {
			continue // the error could carry into earlier digits
		}
		if c := slices.Compare(digits, edge[:n-1]); c != 0 {
			return c < 0
		}
	}
}

// expSlack bounds the error of expDigits in units of the last digit.
const expSlack = 64

// expDigits returns exp(-i/16), 1 ≤ i ≤ 64, as n ≥ 2 digits in base 2^64. With x = i/16 it
// computes v ← 1 - v·x/k for k = N … 1 from v = 1/2. Every v is in (0,1), since in the limit v =
// k·∫(1-r)^(k-1)·exp(-xr)dr over [0,1]. An error of v is multiplied by x/k, so rounding adds up
// to less than e^x + 1 units, and the start contributes x^N/N!, which is less than one for N =
// 32n+16.
func expDigits(i uint64, n int) []uint64 {
	v := make([]uint64, n)
	v[0] = 1 << 63
	for k := uint64(32*n + 16); k > 0; k-- {
		var over, c uint64
		for j := n - 1; j >= 0; j-- {
			hi, lo := bits.Mul64(v[j], i)
			v[j], c = bits.Add64(lo, over, 0)
			over = hi + c
		}
		for j := range v {
			v[j], over = bits.Div64(over, v[j], intervalsPerUnit*k)
		}
		c = 0
		for j := n - 1; j >= 0; j-- {
			v[j], c = bits.Sub64(0, v[j], c)
		}
	}
	return v
}
