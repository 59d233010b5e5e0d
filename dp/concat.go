package dp

// Concat concatenates the values and counts of several Releases. They must have the same lattice,
// span and noise.
func Concat(rs []Release) (Release, error) {
	if len(rs) == 0 {
		return Release{}, ErrShape
	}
	out := Release{stream: rs[0].stream, span: rs[0].span, e: rs[0].e, noise: rs[0].noise}
	for _, r := range rs {
		if r.e != out.e || r.span != out.span || r.noise != out.noise {
			return Release{}, ErrShape
		}
		out.v = append(out.v, r.v...)
		out.count = append(out.count, r.count...)
	}
	return out, nil
}
