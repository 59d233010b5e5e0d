package dp

import "math"

// Total returns the sum of Releases of one stream number of several peers. Its counts are their
// sums, its noise is all peers' together, and its span reaches from the first leaf of any to the
// last.
func Total(of []Release) (Release, error) {
	if len(of) == 0 {
		return Release{}, ErrShape
	}
	out := of[0]
	out.v, out.count = append([]int64(nil), out.v...), append([]uint64(nil), out.count...)
	for i := range of[1:] {
		r := &of[1+i]
		if r.stream != out.stream || r.e != out.e || len(r.v) != len(out.v) || len(r.count) != len(out.count) ||
			out.noise.Scale > 0 && r.noise.Scale > 0 && out.noise.Law != r.noise.Law {
			return Release{}, ErrShape
		}
		if uint64(out.noise.VarianceUnits)+uint64(r.noise.VarianceUnits) > math.MaxUint32 {
			return Release{}, ErrOverflow
		}
		out.noise = out.noise.Plus(r.noise)
		out.span = Span{From: min(out.span.From, r.span.From), To: max(out.span.To, r.span.To)}
		for k, x := range r.v {
			if out.v[k] += x; !within(out.v[k]) {
				return Release{}, ErrOverflow
			}
		}
		for k, n := range r.count {
			if out.count[k] > math.MaxUint64-n {
				return Release{}, ErrOverflow
			}
			out.count[k] += n
		}
	}
	return out, nil
}
