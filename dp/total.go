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
		if err := out.include(r); err != nil {
			return Release{}, err
		}
		for k, n := range r.count {
			if out.count[k] > math.MaxUint64-n {
				return Release{}, ErrOverflow
			}
			out.count[k] += n
		}
		for k, x := range r.v {
			if out.v[k] += x; !within(out.v[k]) {
				return Release{}, ErrOverflow
			}
		}
	}
	return out, nil
}

// include adds to r the noise and the span of o, which fits it.
func (r *Release) include(o *Release) error {
	if r.stream != o.stream || r.e != o.e || len(r.v) != len(o.v) || len(r.count) != len(o.count) || r.noise.Scale > 0 && o.noise.Scale > 0 && r.noise.Law != o.noise.Law {
		return ErrShape
	}
	if uint64(r.noise.VarianceUnits)+uint64(o.noise.VarianceUnits) > math.MaxUint32 {
		return ErrOverflow
	}
	r.noise = r.noise.Plus(o.noise)
	r.span = Span{From: min(r.span.From, o.span.From), To: max(r.span.To, o.span.To)}
	return nil
}
