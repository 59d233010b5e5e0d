package dp

import (
	"math"
	"math/big"
)

// SiteMean returns a running sum divided by its one count, like [Mean], as a mean over one site:
// its counts are the numbers of records and of sites.
func SiteMean(sum Release) (Release, error) {
	m, err := Mean(sum)
	if err != nil {
		return Release{}, err
	}
	m.count = []uint64{m.count[0], 1}
	return m, nil
}

// Pool returns the mean over all sites of means over some of them, each over its own sites: with
// s sites in each mean and S in all, Σ (s/S)·mean, rounded down. Its first count is the number of
// records on which it rests, as if all were one site's, 1/Σ (s/S)²/n rounded down, at least 1;
// the second one is S. Stream and span are the first mean's.
func Pool(means []Release) (Release, error) {
	if len(means) == 0 {
		return Release{}, ErrShape
	}
	sites := uint64(0)
	for i := range means {
		m := &means[i]
		switch {
		case len(m.v) != 1 || len(m.count) != 2 || m.e != MeanExponent || m.count[0] == 0 || m.count[1] == 0:
			return Release{}, ErrShape
		case m.noise.Scale > 0 && means[0].noise.Scale > 0 && m.noise.Law != means[0].noise.Law:
			return Release{}, ErrShape
		case m.count[1] > math.MaxUint32:
			return Release{}, ErrOverflow
		}
		sites += m.count[1]
	}
	sum, all := new(big.Int), new(big.Int).SetUint64(sites)
	num, den, x := new(big.Int), big.NewInt(1), new(big.Int) // num/den is Σ s²/n
	out := Release{stream: means[0].stream, span: means[0].span, e: MeanExponent}
	for i := range means {
		m := &means[i]
		s := new(big.Int).SetUint64(m.count[1])
		sum.Add(sum, x.Mul(s, big.NewInt(m.v[0])))
		n := new(big.Int).SetUint64(m.count[0])
		num.Add(num.Mul(num, n), x.Mul(s, s).Mul(x, den))
		den.Mul(den, n)
		part := m.noise
		if part.Scale > 0 { // by s/S, rounded up
			x.SetUint64(part.Scale).Mul(x, s).Add(x, all).Sub(x, big.NewInt(1))
			if part.Scale = x.Div(x, all).Uint64(); part.Scale == 0 {
				part.Scale = 1
			}
		}
		if uint64(out.noise.VarianceUnits)+uint64(part.VarianceUnits) > math.MaxUint32 {
			return Release{}, ErrOverflow
		}
		out.noise = out.noise.Plus(part)
	}
	sum.Div(sum, all) // Euclidean, so rounded down: all is positive
	if !sum.IsInt64() || !within(sum.Int64()) {
		return Release{}, ErrOverflow
	}
	x.Mul(all, all).Mul(x, den).Div(x, num)
	if !x.IsUint64() {
		return Release{}, ErrOverflow
	}
	out.v, out.count = []int64{sum.Int64()}, []uint64{max(1, x.Uint64()), sites}
	return out, nil
}
