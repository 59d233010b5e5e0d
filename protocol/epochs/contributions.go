package epochs

import (
	"math"
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// contributions are what a peer holds of the epochs of all, and what it believes by them.
//
// After epoch r the mean of an arm is the mean over the sites that take part in r, each by its
// newest contribution up to epoch r that has the arm. If a peer has two contributions of one origin
// and epoch, neither counts.
type contributions struct {
	c      protocol.Config
	share  float64 // of the sites, the share that takes part in an epoch
	epochs [][]*contribution
	total  []dp.Release // own, by arm
	belief belief.Belief
	stale  bool            // the belief is to be computed again
	newest [][]*dp.Release // scratch of merge, by origin and arm
}

// A contribution is the place of one site's contribution to one epoch, received or not.
type contribution struct {
	m       protocol.Message // of kind 0 until it is received
	second  protocol.Message // another one with the same label; of kind 0 if there is none. If there is, neither counts
	marks   []mark           // by place among the neighbours
	pending bool             // requested
	asked   protocol.Round   // when
	of      int              // place of the neighbour
}

// A mark is what a peer knows about a contribution at a neighbour.
type mark uint8

const (
	knows    mark = 1 << iota // the neighbour has it
	promised                  // the neighbour has advertised it, and was not asked since
	offered                   // it was advertised to the neighbour, which has not asked since
	allMarks = knows | promised | offered
)

// available reports whether a neighbour has advertised it, or another one with its label, and was
// not asked since.
func (s *contribution) available() bool {
	return slices.ContainsFunc(s.marks, func(m mark) bool { return m&promised != 0 })
}

func newContributions(c protocol.Config, share float64) contributions {
	o := contributions{c: c, share: share, total: make([]dp.Release, c.Parts), belief: belief.New(c.Parts, 1), newest: make([][]*dp.Release, c.Peers())}
	o.belief.Own = slices.Repeat([]float64{math.Inf(-1)}, c.Parts)
	for i := range o.newest {
		o.newest[i] = make([]*dp.Release, c.Parts)
	}
	return o
}

// Chosen counts the pull.
func (o *contributions) Chosen(arm int) { o.belief.Pulls[arm]++ }

// at returns the contribution of an origin to an epoch, from 1; nil if the origin takes no part.
func (o *contributions) at(r uint64, origin protocol.Peer) *contribution {
	for uint64(len(o.epochs)) < r {
		o.epochs = append(o.epochs, o.draw(uint64(len(o.epochs))+1))
	}
	return o.epochs[r-1][origin]
}

// draw returns the places for the contributions to an epoch, all empty.
func (o *contributions) draw(r uint64) []*contribution {
	all := make([]*contribution, o.c.Peers())
	for i, in := range drawn(&o.c, o.share, o.c.Peers(), r) {
		if in {
			all[i] = &contribution{m: protocol.NoMessage(), second: protocol.NoMessage(), marks: make([]mark, len(o.c.Neighbours()))}
		}
	}
	return all
}

// takesPart reports whether a peer takes part in an epoch.
func (o *contributions) takesPart(r uint64, p protocol.Peer) bool {
	if r <= uint64(len(o.epochs)) {
		return o.epochs[r-1][p] != nil
	}
	return drawn(&o.c, o.share, o.c.Peers(), r)[p]
}

// lacking returns the number of missing contributions to an epoch, without the own one if there
// will be none.
func (o *contributions) lacking(r uint64, withoutOwn bool) (n int) {
	o.at(r, 0)
	for i, s := range o.epochs[r-1] {
		if s != nil && s.m.Kind() == 0 && (!withoutOwn || protocol.Peer(i) != o.c.Self) {
			n++
		}
	}
	return n
}

// begun reports whether a peer has a contribution to an epoch.
func (o *contributions) begun(r uint64) bool {
	o.at(r, 0)
	return slices.ContainsFunc(o.epochs[r-1], func(s *contribution) bool { return s != nil && s.m.Kind() != 0 })
}

// add adds own leaves to the own sums. It returns the sums that have changed, and whether a stream
// has reached its horizon.
func (o *contributions) add(own []protocol.Own) (body []dp.Release, over bool, err error) {
	for i := range own {
		arm := own[i].Stream
		if own[i].Over {
			over = true
			continue
		}
		if o.total[arm], err = spread.Grown(o.total[arm], own[i].Leaf); err != nil {
			return nil, false, err
		}
		body = append(body, o.total[arm])
		o.own(int(arm))
	}
	return body, over, nil
}

// own sets the own mean of an arm in the belief.
func (o *contributions) own(arm int) {
	if x := &o.total[arm]; !x.Empty() {
		o.belief.Own[arm] = x.At(0) / float64(x.Count(0))
	}
}

// recover raises the own sums to a contribution of an earlier life of this peer.
func (o *contributions) recover(m protocol.Message) {
	for i := range m.Body() {
		x := m.Release(i)
		if arm := x.Stream(); o.total[arm].Empty() || o.total[arm].Span().To < x.Span().To && o.total[arm].Count(0) < x.Count(0) {
			o.total[arm] = *x
			o.own(int(arm))
		}
	}
}

// again computes the own sums from the own contributions that are still valid.
func (o *contributions) again() {
	clear(o.total)
	for k := range o.belief.Own {
		o.belief.Own[k] = math.Inf(-1)
	}
	for _, epoch := range o.epochs {
		if s := epoch[o.c.Self]; s != nil && s.m.Kind() != 0 {
			o.recover(s.m)
		}
	}
}

// check refuses a message other than a contribution to an epoch.
func (o *contributions) check(m *protocol.Message) error {
	next := dp.StreamID(0)
	for i := range m.Body() {
		x := m.Release(i)
		if x.Stream() < next || int(x.Stream()) >= o.c.Parts || x.Len() != 1 || x.Counts() != 1 || x.Count(0) == 0 || x.Exponent() != dp.GridExponent {
			return m.Refuse("want sums of rewards, one number each, by ascending arm of %d", o.c.Parts)
		}
		if err := spread.Plausible(&o.c.Charge, m, x); err != nil {
			return err
		}
		// A lost life may have closed unknown leaves, and its sums continue.
		if draws := uint64(x.Noise().VarianceUnits) / dp.VarianceScale; m.Label().Incarnation == 0 && draws > m.Label().Seq || x.Count(0) < draws {
			return m.Refuse("arm %d: %d rewards with the noise of %d epochs, want at most %d and a reward in each", x.Stream(), x.Count(0), draws, m.Label().Seq)
		}
		next = x.Stream() + 1
	}
	switch {
	case m.Body() == 0:
		return m.Refuse("want a sum at least")
	case m.Refs() > 0 || len(m.Sealed()) > 0 || m.Round() != 0:
		return m.Refuse("a contribution brings nothing but its releases")
	case !o.c.Press.Authentic(*m):
		return m.Refuse("not signed by its origin")
	}
	return nil
}

// change notes that contributions to complete epochs have changed.
func (o *contributions) change() {
	o.stale = true
	o.belief.Revision++
}

// merge computes the means of all complete epochs.
func (o *contributions) merge() {
	if !o.stale {
		return
	}
	o.stale = false
	b := &o.belief
	for i := range o.newest {
		clear(o.newest[i])
	}
	for uint64(len(b.Epochs)) < b.Epoch {
		b.Epochs = append(b.Epochs, belief.NewMeans(o.c.Parts, 1))
	}
	b.Epochs = b.Epochs[:b.Epoch]
	for r := range b.Epochs {
		for i, s := range o.epochs[r] {
			if s == nil || s.second.Kind() != 0 {
				continue
			}
			for k := range s.m.Body() {
				o.newest[i][s.m.Release(k).Stream()] = s.m.Release(k)
			}
		}
		for k := range o.c.Parts {
			o.mean(&b.Epochs[r], o.epochs[r], k)
		}
	}
	if b.Epoch > 0 {
		b.Means = b.Epochs[b.Epoch-1]
	}
}

// mean computes the mean of an arm after an epoch.
func (o *contributions) mean(m *belief.Means, epoch []*contribution, k int) {
	n, x, v := 0., 0., 0.
	var noise dp.NoiseMoments
	for i, s := range epoch {
		sum := o.newest[i][k]
		if s == nil || sum == nil {
			continue
		}
		count := float64(sum.Count(0))
		n, x, v = n+1, x+sum.At(0)/count, v+1/count
		noise = noise.Plus(sum.NoiseMoments().Over(count))
	}
	if n == 0 {
		m.X[k], m.SampleVar[k] = 0, spread.Inf
		spread.SetNoise(m, k, dp.NoiseMoments{})
		return
	}
	m.X[k], m.SampleVar[k] = x/n, v/(n*n)
	spread.SetNoise(m, k, noise.Over(n))
}
