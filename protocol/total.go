package protocol

import "peerd.dev/dp"

// grown returns what a stream has released in all, from what it had and what its newest leaf
// has: a running sum holds what was before.
func grown(total dp.Release, leaf *dp.Leaf) (dp.Release, error) {
	if total.Empty() || leaf.Sum.Span().From == 0 {
		return leaf.Sum, nil
	}
	return dp.Plus(total, leaf.Sum)
}
