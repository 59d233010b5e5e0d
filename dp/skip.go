package dp

// Closed returns how many leaves of stream s are closed or abandoned. The next leaf, if the
// horizon has one, is the one after them.
func (d *Curator) Closed(s StreamID) (uint64, error) {
	t, err := d.stream(s)
	if err != nil {
		return 0, err
	}
	return t.closed(), nil
}

// Remaining returns how many leaves of stream s may still be closed.
func (d *Curator) Remaining(s StreamID) (uint64, error) {
	t, err := d.stream(s)
	if err != nil {
		return 0, err
	}
	return t.charge.Leaves - min(t.charge.Leaves, t.closed()), nil
}

// Skip abandons the leaves of stream s up to k, which may have been closed in lost lives of this
// node, and the records of the open leaf, which such a life may have released. The mechanism
// begins again after them, on top of the last sum, so that no record is in the nodes of two
// lives; the charge of the stream covers all lives. See docs/proofs/skip.md. Skip returns the
// next leaf, k + 1, or horizon + 1 if none is left. If k leaves are closed already, nothing
// changes. A curator that replays this life skips at the same place.
func (d *Curator) Skip(s StreamID, k uint64) (next uint64, err error) {
	t, err := d.stream(s)
	if err != nil {
		return 0, err
	}
	t.skipTo(k)
	return t.closed() + 1, nil
}
