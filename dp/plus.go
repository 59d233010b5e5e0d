package dp

import "math"

// Plus returns the sum of two Releases of one stream, of which the second covers later leaves.
// Its counts are the sums of theirs, its noise is both's.
func Plus(a, b Release) (Release, error) {
	if a.stream != b.stream || a.e != b.e || len(a.v) != len(b.v) || len(a.count) != len(b.count) ||
		a.span.To > b.span.From || a.noise.Scale > 0 && b.noise.Scale > 0 && a.noise.Law != b.noise.Law {
		return Release{}, ErrShape
	}
	out := Release{stream: a.stream, span: Span{From: a.span.From, To: b.span.To}, e: a.e, noise: a.noise.Plus(b.noise)}
	if uint64(a.noise.VarianceUnits)+uint64(b.noise.VarianceUnits) > math.MaxUint32 {
		return Release{}, ErrOverflow
	}
	for i, x := range a.v {
		if x += b.v[i]; !within(x) {
			return Release{}, ErrOverflow
		}
		out.v = append(out.v, x)
	}
	for i, n := range a.count {
		if n > math.MaxUint64-b.count[i] {
			return Release{}, ErrOverflow
		}
		out.count = append(out.count, n+b.count[i])
	}
	return out, nil
}
