package spread

import "peerd.dev/dp"

// LeavesOf returns how many leaves a sum is over.
func LeavesOf(sum *dp.Release) uint64 {
	over := sum.Span()
	return over.To - over.From
}

// Grown returns the sum of all releases of a stream, from the sum before and its newest leaf: a
// running sum includes earlier leaves.
func Grown(total dp.Release, leaf *dp.Leaf) (dp.Release, error) {
	if total.Empty() || leaf.Sum.Span().From == 0 {
		return leaf.Sum, nil
	}
	return dp.Plus(total, leaf.Sum)
}
