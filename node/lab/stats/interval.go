package stats

import (
	"encoding/json"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with the ends of its 95 % confidence interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const confidence = .95

// MarshalJSON writes null for numbers that are not finite, which JSON cannot represent.
func (i Interval) MarshalJSON() ([]byte, error) {
	number := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		return &x
	}
	return json.Marshal(struct {
		Mean *float64 `json:"mean"`
		Low  *float64 `json:"low"`
		High *float64 `json:"high"`
	}{number(i.Mean), number(i.Low), number(i.High)})
}

// MeanOf returns the mean of xs with Student's interval, which is infinitely wide for a single
// value.
func MeanOf(xs []float64) Interval {
	if len(xs) < 2 {
		return Interval{stat.Mean(xs, nil), math.Inf(-1), math.Inf(1)}
	}
	m, sd := stat.MeanStdDev(xs, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(xs) - 1)}.Quantile((1 + confidence) / 2)
	h := t * stat.StdErr(sd, float64(len(xs)))
	return Interval{m, m - h, m + h}
}

// RatioOf returns the mean of xs divided by the mean of ys, where xs[i] and ys[i] come from the
// same seed, with the interval of the ratio estimator (Cochran, Sampling Techniques, 1977,
// section 6.4): Student's interval for the mean of (xᵢ - r·yᵢ)/ȳ. It is NaN if the mean of ys is
// 0.
func RatioOf(xs, ys []float64) Interval {
	mean := stat.Mean(ys, nil)
	if mean == 0 {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	r := stat.Mean(xs, nil) / mean
	rest := make([]float64, len(xs))
	for i := range rest {
		rest[i] = (xs[i] - r*ys[i]) / mean
	}
	h := MeanOf(rest)
	return Interval{r, r + h.Low, r + h.High}
}

// ShareOf returns the share k/n with Wilson's interval.
func ShareOf(k, n int) Interval {
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	h := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Interval{p, max(0, mid-h), min(1, mid+h)}
}
