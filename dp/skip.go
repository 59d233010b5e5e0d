package dp

// Closed returns how many leaves of stream s are closed or given up. The next leaf,
// if the horizon has one, is the one after them.
func (d *Door) Closed(s StreamID) (uint64, error) {
	t, err := d.stream(s)
	if err != nil {
		return 0, err
	}
	return t.t, nil
}

// Skip gives up the leaves of stream s up to k, which may have been closed in lives of
// this node that were lost. k must be no less than what any of them closed. No later
// node was then drawn in them, and the charge of the stream covers all lives; see
// docs/proofs/skip.md. Skip returns the next leaf, which takes in the records of the
// open one, or horizon + 1 if none is left. If k leaves are closed already, nothing
// changes. A door that replays this life skips where it did.
//
// The next leaf is the smallest m > k whose running sum is made of nodes that are
// known, and the new one. That is at most the next power of two.
func (d *Door) Skip(s StreamID, k uint64) (next uint64, err error) {
	t, err := d.stream(s)
	if err != nil {
		return 0, err
	}
	t.skip(k)
	return t.t + 1, nil
}

// skip sets t.t to m-1. The node that m completes has level z, where bit z of t.t is
// 0, and begins where the nodes at the higher bits of t.t end. Those at the lower
// bits are what close merges into it; levels in between are empty.
func (t *tree) skip(k uint64) {
	k = max(k, t.t)
	for z := range t.n {
		if m := (t.t>>z | 1) << z; m > k && m <= t.leaves { // where bit z is 1, m ≤ t.t
			t.t = m - 1
			return
		}
	}
	t.t = t.leaves
}
