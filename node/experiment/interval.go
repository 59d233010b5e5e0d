package experiment

import (
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

// MeanOf returns the mean of xs with Student's interval. One value has an
// infinitely wide one.
func MeanOf(xs []float64) Interval {
	if len(xs) < 2 {
		return Interval{stat.Mean(xs, nil), math.Inf(-1), math.Inf(1)}
	}
	m, sd := stat.MeanStdDev(xs, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(xs) - 1)}.Quantile((1 + confidence) / 2)
	h := t * stat.StdErr(sd, float64(len(xs)))
	return Interval{m, m - h, m + h}
}

// ShareOf returns the share k/n with Wilson's interval.
func ShareOf(k, n int) Interval {
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	h := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Interval{p, max(0, mid-h), min(1, mid+h)}
}
