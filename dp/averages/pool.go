package averages

import (
	"math"
	"math/big"

	"peerd.dev/dp"
)

// SiteMean returns a running sum divided by its one count, like [Mean], as a mean over one site:
// its counts are the numbers of records and of sites.
func SiteMean(sum dp.Release) (dp.Release, error) {
	mean, err := meanOf(sum)
	mean.Count = append(mean.Count, 1)
	return made(mean, err)
}

// Pool returns the mean over all sites of means over some of them, each over its own sites: with
// s sites in each mean and S in all, Σ (s/S)·mean, rounded down. Its first count is the number of
// records on which it rests, as if all were one site's, 1/Σ (s/S)²/n rounded down, at least 1;
// the second one is S. Stream and span are the first mean's.
func Pool(means []dp.Release) (dp.Release, error) { return made(pool(means)) }

func pool(means []dp.Release) (out dp.Fields, err error) {
	if len(means) == 0 {
		return out, dp.ErrShape
	}
	sites := uint64(0)
	for i := range means {
		m := &means[i]
		switch {
		case m.Len() != 1 || m.Counts() != 2 || m.Exponent() != MeanExponent || m.Count(0) == 0 || m.Count(1) == 0:
			return out, dp.ErrShape
		case m.Noise().Scale > 0 && means[0].Noise().Scale > 0 && m.Noise().Law != means[0].Noise().Law:
			return out, dp.ErrShape
		case m.Count(1) > math.MaxUint32:
			return out, dp.ErrOverflow
		}
		sites += m.Count(1)
	}
	sum, all := new(big.Int), new(big.Int).SetUint64(sites)
	num, den, x := new(big.Int), big.NewInt(1), new(big.Int) // num/den is Σ s²/n
	out = dp.Fields{Stream: means[0].Stream(), Span: means[0].Span(), Exponent: MeanExponent}
	for i := range means {
		m := &means[i]
		s := new(big.Int).SetUint64(m.Count(1))
		sum.Add(sum, x.Mul(s, big.NewInt(m.Value(0))))
		n := new(big.Int).SetUint64(m.Count(0))
		num.Add(num.Mul(num, n), x.Mul(s, s).Mul(x, den))
		den.Mul(den, n)
		part := m.Noise()
		if part.Scale > 0 { // by s/S, rounded up
			x.SetUint64(part.Scale).Mul(x, s).Add(x, all).Sub(x, big.NewInt(1))
			if part.Scale = x.Div(x, all).Uint64(); part.Scale == 0 {
				part.Scale = 1
			}
		}
		if uint64(out.Noise.VarianceUnits)+uint64(part.VarianceUnits) > math.MaxUint32 {
			return out, dp.ErrOverflow
		}
		out.Noise = out.Noise.Plus(part)
	}
	sum.Div(sum, all) // Euclidean, so rounded down: all is positive
	if !sum.IsInt64() || !within(sum.Int64()) {
		return out, dp.ErrOverflow
	}
	x.Mul(all, all).Mul(x, den).Div(x, num)
	if !x.IsUint64() {
		return out, dp.ErrOverflow
	}
	out.Value, out.Count = []int64{sum.Int64()}, []uint64{max(1, x.Uint64()), sites}
	return out, nil
}
