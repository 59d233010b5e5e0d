package page

import (
	"math"
	"slices"
)

// mostSamples is how many samples of a series a trend keeps.
const mostSamples = 512

// A key names a series of a trend: what is counted or measured, and of which action; no action stands for all of them.
type key struct{ what, action string }

// A sample is what is known at a moment. A nil one is a gap: nothing is known then, and not 0.
type sample map[key]float64

// A trend has series of samples by time or round. When there are too many samples, every second one is dropped, and later ones are twice as
// far apart, up to a limit; at the limit the oldest one is dropped. The newest sample is always there. A series that the newest
// sample lacks is forgotten.
type trend struct {
	longest int64             // most that two samples are apart; 0 for no limit
	every   int64             // how far apart they are; the newest one may be nearer
	at      []int64           // of each sample
	series  map[key][]float64 // by sample; NaN is a gap
}

func (t *trend) add(at int64, now sample) {
	n := len(t.at)
	if n > 0 && at <= t.at[n-1] {
		return
	}
	if t.every = max(t.every, 1); t.series == nil {
		t.series = make(map[key][]float64)
	}
	if n > 1 && t.at[n-1]-t.at[n-2] < t.every {
		n-- // was shown before its time
	}
	t.at = append(t.at[:n], at)
	for k := range now {
		if t.series[k] == nil {
			t.series[k] = slices.Repeat([]float64{math.NaN()}, n)
		}
	}
	for k, xs := range t.series {
		x, known := now[k]
		switch {
		case known:
		case now != nil:
			delete(t.series, k)
			continue
		default:
			x = math.NaN()
		}
		t.series[k] = append(xs[:n], x)
	}
	if len(t.at) <= mostSamples {
		return
	}
	keep := func(i int) int { return i + 1 } // the oldest one goes
	if t.longest == 0 || t.every < t.longest {
		t.every *= 2
		keep = func(i int) int { return 2 * i }
	}
	t.at = kept(t.at, keep)
	for k, xs := range t.series {
		t.series[k] = kept(xs, keep)
	}
}

// kept moves the samples that are kept to the beginning.
func kept[T any](xs []T, keep func(int) int) []T {
	n := 0
	for ; keep(n) < len(xs); n++ {
		xs[n] = xs[keep(n)]
	}
	return xs[:n]
}

// value returns a sample of a series.
func (t *trend) value(k key, i int) float64 {
	if xs := t.series[k]; xs != nil {
		return xs[i]
	}
	return math.NaN()
}

// share returns what part an action has in the choices of a tenth of the samples, which ends with one of them; NaN if there were none.
func (t *trend) share(action string, i int) float64 {
	from := max(0, i-max(1, len(t.at)/10))
	for from > 0 && math.IsNaN(t.value(key{choices, ""}, from)) {
		from--
	}
	grown := func(of string) float64 { return t.value(key{choices, of}, i) - t.value(key{choices, of}, from) }
	if all := grown(""); all > 0 {
		return grown(action) / all
	}
	return math.NaN()
}

// grown returns by how much a series has grown since it is known; NaN if it is not.
func (t *trend) grown(k key) float64 {
	xs := t.series[k]
	i := slices.IndexFunc(xs, func(x float64) bool { return !math.IsNaN(x) })
	if i < 0 {
		return math.NaN()
	}
	return xs[len(xs)-1] - xs[i]
}
