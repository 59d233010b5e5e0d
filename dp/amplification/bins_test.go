package amplification

import (
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Epsilon is [Bins.epsilon] at its finest.
func (b Bins) Epsilon(m int, delta float64) float64 { return b.epsilon(m, delta, 1e-7) }

// laplace are the bins of Laplace noise on records from 0 to 1, of one record a report (Wang and others 2023, variation ratio):
// total variation 1 - e^(-ε/2), and every other report is within a factor of e^ε.
func laplace(epsilon float64) Bins {
	p := math.Exp(epsilon)
	alpha := (1 - math.Exp(-epsilon/2)) / (p - 1)
	return Bins{P: p, Alpha: alpha, R: alpha}
}

func clones(epsilon float64) Bins { return Clones(epsilon, epsilon) }

// long reports whether tests may take minutes.
func long() bool { return os.Getenv("PEERD_LONG") != "" }

// TestTableOfSingleRecords recomputes the table of docs/lab/shuffle.md: ε of m shuffled reports at δ = 10^-5/m.
// The last two rows take long.
func TestTableOfSingleRecords(t *testing.T) {
	epsilons := []float64{.1, .2, .5, 1, 2, 3, 4, 6, 8}
	for _, c := range []struct {
		name string
		of   func(epsilon float64) Bins
		want map[int][]string
	}{
		{"clones", clones, map[int][]string{
			10:      {".100", ".200", ".500", "1.00", "2.00", "3.00", "4.00", "6.00", "8.00"},
			100:     {".041", ".089", ".273", ".726", "2.00", "3.00", "4.00", "6.00", "8.00"},
			1_000:   {".014", ".030", ".091", ".231", ".684", "1.68", "4.00", "6.00", "8.00"},
			10_000:  {".0047", ".010", ".030", ".076", ".215", ".439", ".826", "6.00", "8.00"},
			100_000: {".0016", ".0034", ".010", ".025", ".070", ".141", ".253", ".776", "8.00"},
		}},
		{"Laplace", laplace, map[int][]string{
			10:      {".098", ".196", ".485", ".957", "1.89", "2.86", "3.85", "5.89", "7.93"},
			100:     {".039", ".083", ".227", ".517", "1.40", "2.37", "3.34", "5.44", "7.63"},
			1_000:   {".013", ".028", ".077", ".173", ".445", ".926", "2.09", "4.51", "6.74"},
			10_000:  {".0045", ".0094", ".026", ".057", ".145", ".286", ".526", "2.16", "5.52"},
			100_000: {".0015", ".0031", ".0084", ".019", ".048", ".093", ".168", ".512", "1.91"},
		}},
	} {
		for _, m := range []int{10, 100, 1_000, 10_000, 100_000} {
			if m > 1_000 && !long() {
				break
			}
			start := time.Now()
			for i, epsilon := range epsilons {
				got := c.of(epsilon).Epsilon(m, 1e-5/float64(m))
				if want := c.want[m][i]; printed(got, want) != want {
					t.Errorf("%s, m = %d, epsilon %v: %v, want %v", c.name, m, epsilon, got, want)
				}
			}
			t.Logf("%s, m = %d: %v for nine", c.name, m, time.Since(start).Round(time.Millisecond))
		}
	}
	for m, want := range map[int][2]string{10: {"1.00", "1.04"}, 100: {"1.21", "1.61"}, 1_000: {"2.44", "3.11"}, 10_000: {"4.29", "5.04"}, 100_000: {"6.42", "7.14"}} {
		if m > 100 && !long() {
			continue
		}
		for i, of := range []func(float64) Bins{clones, laplace} {
			lo, hi := 0., 10.
			for hi-lo > 1e-4 {
				if mid := (lo + hi) / 2; of(mid).Epsilon(m, 1e-5/float64(m)) <= 1 {
					lo = mid
				} else {
					hi = mid
				}
			}
			if printed(lo, want[i]) != want[i] {
				t.Errorf("the greatest epsilon of a report that is 1 for %d of them is %v, want %v", m, lo, want[i])
			}
		}
	}
}

// printed prints x with as many digits after the point as like has.
func printed(x float64, like string) string {
	s := strconv.FormatFloat(x, 'f', len(like)-1-strings.IndexByte(like, '.'), 64)
	if like[0] == '.' {
		s = strings.TrimPrefix(s, "0")
	}
	return s
}

// TestOtherProgramsBins: three numbers of an independent program at δ = 10^-5.
func TestOtherProgramsBins(t *testing.T) {
	for _, c := range []struct {
		m       int
		epsilon float64
		want    float64
	}{{100, 1, .553}, {500, 1, .225}, {1_000, 1, .154}, {1_000, 2, .467}} {
		if got := clones(c.epsilon).Epsilon(c.m, 1e-5); math.Abs(got-c.want) > .0005 {
			t.Errorf("m = %d, epsilon %v: %v, want %v", c.m, c.epsilon, got, c.want)
		}
	}
}

// overhangOf returns the sum of max(0, P - up/down·Q) over two laws in units of whole, exactly.
func overhangOf(p, q map[[2]int]*big.Int, whole *big.Int, up, down int64) float64 {
	sum := new(big.Int)
	for x, n := range p {
		one := new(big.Int).Mul(n, big.NewInt(down))
		if other := q[x]; other != nil {
			one.Sub(one, new(big.Int).Mul(other, big.NewInt(up)))
		}
		if one.Sign() > 0 {
			sum.Add(sum, one)
		}
	}
	f, _ := new(big.Rat).SetFrac(sum, new(big.Int).Mul(whole, big.NewInt(down))).Float64()
	return f
}

// reports returns the law of the numbers in bins 0 and 1 of reports, each with integer weights of bins 0, 1 and the rest,
// and the sum of all weights.
func reports(each [][3]int64) (law map[[2]int]*big.Int, whole *big.Int) {
	law, whole = map[[2]int]*big.Int{{}: big.NewInt(1)}, big.NewInt(1)
	for _, w := range each {
		next := make(map[[2]int]*big.Int, 2*len(law))
		for x, n := range law {
			for bin, at := range [][2]int{{x[0] + 1, x[1]}, {x[0], x[1] + 1}, x} {
				if w[bin] == 0 {
					continue
				}
				if next[at] == nil {
					next[at] = new(big.Int)
				}
				next[at].Add(next[at], new(big.Int).Mul(n, big.NewInt(w[bin])))
			}
		}
		law = next
		whole = new(big.Int).Mul(whole, big.NewInt(w[0]+w[1]+w[2]))
	}
	return law, whole
}

// pair returns m reports of which one is of two kinds.
func pair(m int, one, other, rest [3]int64) (p, q map[[2]int]*big.Int, whole *big.Int) {
	each := make([][3]int64, m)
	for i := range each {
		each[i] = rest
	}
	each[0] = one
	p, whole = reports(each)
	each[0] = other
	q, _ = reports(each)
	return p, q, whole
}

// TestBinsAreExact: report by report, in integers, the sum is what [Bins.Delta] computes from binomials and windows.
func TestBinsAreExact(t *testing.T) {
	for _, c := range []struct {
		name      string
		one, rest [3]int64
		bins      Bins
	}{
		{"clones of epsilon ln 2", [3]int64{2, 1, 0}, [3]int64{1, 1, 2}, Bins{2, 1. / 3, 1. / 4}},
		{"clones of epsilon ln 5", [3]int64{5, 1, 0}, [3]int64{1, 1, 8}, Bins{5, 1. / 6, 1. / 10}},
		{"sums of 3 records of epsilon ln 2", [3]int64{2, 1, 0}, [3]int64{1, 1, 14}, Bins{2, 1. / 3, 1. / 16}},
		{"with a rest", [3]int64{3, 1, 4}, [3]int64{1, 1, 6}, Bins{3, 1. / 8, 1. / 8}},
		{"no clone", [3]int64{2, 1, 0}, [3]int64{0, 0, 1}, Bins{2, 1. / 3, 0}},
		{"clones alone", [3]int64{2, 1, 0}, [3]int64{1, 1, 0}, Bins{2, 1. / 3, 1. / 2}},
	} {
		for _, m := range []int{1, 2, 12, 30} {
			p, q, whole := pair(m, c.one, [3]int64{c.one[1], c.one[0], c.one[2]}, c.rest)
			for _, up := range []int64{16, 17, 20, 24, 31} { // e^ε in sixteenths
				want := overhangOf(p, q, whole, up, 16)
				if got := c.bins.Delta(m, math.Log(float64(up)/16)); got < want || got > want*(1+1e-9)+2*cut {
					t.Errorf("%s, m = %d, e^epsilon %d/16: delta %v, want %v", c.name, m, up, got, want)
				}
			}
		}
	}
}

// TestClonesBoundRandomizedResponse: shuffled randomized responses, all other records 0 or every other one, by enumeration in
// integers, have at most the δ of the clones, and at ε = 0 at least a tenth: the bound is no empty one.
func TestClonesBoundRandomizedResponse(t *testing.T) {
	for _, m := range []int{4, 20, 60} {
		for _, alternate := range []bool{false, true} {
			zero, one := [3]int64{3, 1, 0}, [3]int64{1, 3, 0} // ε = ln 3
			each := make([][3]int64, m)
			for i := range each {
				each[i] = zero
				if alternate && i%2 == 1 {
					each[i] = one
				}
			}
			p, whole := reports(each)
			each[0] = one
			q, _ := reports(each)
			for _, up := range []int64{16, 20, 24, 32} {
				exact := max(overhangOf(p, q, whole, up, 16), overhangOf(q, p, whole, up, 16))
				bound := clones(math.Log(3)).Delta(m, math.Log(float64(up)/16))
				if bound < exact || up == 16 && exact < bound/10 {
					t.Errorf("m = %d, alternate %v, e^epsilon %d/16: exact %.3g, bound %.3g", m, alternate, up, exact, bound)
				}
			}
		}
	}
}

func TestBinsAreMonotone(t *testing.T) {
	last := 2.
	for _, m := range []int{1, 3, 10, 50, 100, 300, 1_000} {
		got := clones(1).Epsilon(m, 1e-6)
		if got > last || got > 1 {
			t.Errorf("m = %d: epsilon %v, with fewer silos %v", m, got, last)
		}
		last = got
	}
	last = 2
	for _, delta := range []float64{1e-14, 1e-9, 1e-6, 1e-3, .1, .9} {
		got := clones(1).Epsilon(300, delta)
		if got > last {
			t.Errorf("delta %v: epsilon %v, with a lower one %v", delta, got, last)
		}
		last = got
	}
	if last != 0 || clones(1).Epsilon(300, 1e-16) != 1 {
		t.Errorf("delta .9 gives epsilon %v, and 1e-16 %v; want 0 and 1", last, clones(1).Epsilon(300, 1e-16))
	}
	last = 0
	for _, epsilon := range []float64{0, .01, .1, 1, 3, 8, 700, 1_000} {
		got := Clones(min(epsilon, 20), epsilon).Epsilon(200, 1e-7)
		if got < last || got > epsilon || math.IsNaN(got) {
			t.Errorf("epsilon %v of a report: %v, with a lower one %v", epsilon, got, last)
		}
		last = got
	}
}
