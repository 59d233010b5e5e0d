package audit

import (
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
)

// A shadow computes what the noise of a peer's nodes lies on, by the peer's own
// mechanism: it takes the records of the histories, and records of 0, through doors whose
// noise is from one seed. Noise does not depend on records, so what two doors draw
// differs by what they would draw without it. No mechanism is written down twice for
// this, and there is no door without noise.
type shadow struct {
	charge dp.Charge
	doors  []*dp.Door // of the histories; the last one of nothing
}

// newShadow returns one of streams that a peer opens, with a number of histories.
func newShadow(spec dp.Spec, histories int) (*shadow, error) {
	s := &shadow{doors: make([]*dp.Door, histories+1)}
	for i := range s.doors {
		d, err := dp.NewDoor(dp.Lockstep, account.Unlimited, node.NewSeed(1).Noise())
		if err != nil {
			return nil, err
		}
		if _, err := d.Open(spec); err != nil {
			return nil, err
		}
		s.charge, s.doors[i] = d.Charges()[0], d
	}
	return s, nil
}

// add takes in a record of one number, which may be another in each history.
func (s *shadow) add(stream dp.StreamID, of func(history int) float64) error {
	for i, d := range s.doors {
		x := 0.
		if i < len(s.doors)-1 {
			x = of(i)
		}
		if err := d.Add(stream, []float64{x}); err != nil {
			return err
		}
	}
	return nil
}

// leaf closes a leaf and returns what is drawn then, by history, without its noise. The
// error is that of [dp.Door.Leaf].
func (s *shadow) leaf(stream dp.StreamID, k uint64) ([][]int64, error) {
	nodes := make([]dp.Release, len(s.doors))
	for i, d := range s.doors {
		l, err := d.Leaf(stream, k)
		if err != nil {
			return nil, err
		}
		nodes[i] = l.Node
		d.Drawn()
	}
	noise := nodes[len(nodes)-1]
	exact := make([][]int64, len(nodes)-1)
	for i := range exact {
		exact[i] = make([]int64, noise.Len())
		for k := range exact[i] {
			exact[i][k] = nodes[i].Value(k) - noise.Value(k)
		}
	}
	return exact, nil
}
