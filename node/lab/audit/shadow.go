package audit

import (
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
)

// A shadow computes the values under the noise of a peer's nodes with the peer's own mechanism:
// it passes the records of the histories, and none, through curators with noise from one seed.
// Noise does not depend on records, so what two curators draw differs as it would without noise.
// So no mechanism is implemented twice, and there is no curator without noise.
type shadow struct {
	curators []*dp.Curator // of the histories; the last one without records
}

// A blank is what shadows begin with: streams without records. They are made once for all peers
// of a play, since it takes a while to find the noise for a budget.
type blank struct {
	charge dp.Charge
	saved  dp.Secret
}

func newBlank(streams dp.Spec) (b blank, err error) {
	d, err := newCurator()
	if err != nil {
		return b, err
	}
	if _, err = d.Open(streams); err != nil {
		return b, err
	}
	b.charge = d.TakeCharges()[0]
	b.saved, err = d.Save()
	return b, err
}

func newCurator() (*dp.Curator, error) {
	return dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), node.NewSeed(1).Noise())
}

// shadow returns a shadow for a number of histories.
func (b blank) shadow(histories int) (*shadow, error) {
	s := &shadow{curators: make([]*dp.Curator, histories+1)}
	for i := range s.curators {
		d, err := newCurator()
		if err != nil {
			return nil, err
		}
		if err := d.Load(b.saved); err != nil {
			return nil, err
		}
		s.curators[i] = d
	}
	return s, nil
}

// add adds a record, which may differ by history, or be nil for none.
func (s *shadow) add(stream dp.StreamID, of func(history int) []float64) error {
	for i, d := range s.curators[:len(s.curators)-1] {
		if x := of(i); x != nil {
			if err := d.Add(stream, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaf closes a leaf and returns what is drawn then, by history, without its noise. It returns
// the error of [dp.Curator.Leaf].
func (s *shadow) leaf(stream dp.StreamID, k uint64) ([][]int64, error) {
	nodes := make([]dp.Release, len(s.curators))
	for i, d := range s.curators {
		l, err := d.Leaf(stream, k)
		if err != nil {
			return nil, err
		}
		nodes[i] = l.Node
		d.TakeDrawn()
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
