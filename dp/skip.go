package dp

import "fmt"

// Closed returns how many leaves of stream s are closed or given up. The next leaf,
// if the horizon has one, is the one after them.
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

// Skip gives up the leaves of stream s up to k, which may have been closed in lives of
// this node that were lost, and the records of the open leaf, which such a life may have
// released. The mechanism begins again after them, on top of the last sum, so that no
// record is in what two lives drew; the charge of the stream covers all lives. See
// docs/proofs/skip.md. Skip returns the next leaf, k + 1, or horizon + 1 if none is left. If
// k leaves are closed already, nothing changes. A curator that replays this life skips
// where it did.
//
// Where leaves pay one by one, those that are given up are paid for, since the lost lives
// paid for them from a budget that is lost; a *[BudgetError] leaves the curator of no use.
func (d *Curator) Skip(s StreamID, k uint64) (next uint64, err error) {
	t, err := d.stream(s)
	if err != nil {
		return 0, err
	}
	before := t.closed()
	t.skipTo(k)
	if c := t.charge; c.Mode == Sequential {
		loss, err := c.Loss.Times(t.closed() - before)
		if err != nil {
			return 0, fmt.Errorf("dp: %s: %w", c.What, err)
		}
		if err := d.pay(c.What, loss); err != nil {
			return 0, err
		}
	}
	return t.closed() + 1, nil
}
