package dp

// Plus returns the sum of two Releases of one stream, of which the second covers later leaves.
// Its counts are the sums of theirs, its noise is both's.
func Plus(a, b Release) (Release, error) {
	if a.span.To > b.span.From {
		return Release{}, ErrShape
	}
	return Total([]Release{a, b})
}
