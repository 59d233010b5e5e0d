package epochs

import (
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// Belief returns the means over sites or, with schedule doubling and without an answer, the means
// of the own sums.
func (x *pooling) Belief() *belief.Belief {
	if x.stale {
		x.stale = false
		if x.byEpoch {
			x.believeEpochs()
		} else {
			x.believe()
		}
	}
	return &x.belief
}

func (x *pooling) believe() {
	b := &x.belief
	b.Forced = b.Forced[:0]
	for k := range b.X {
		b.X[k], b.SampleVar[k], b.PerSite[k] = 0, spread.Inf, 0
		spread.SetNoise(&b.Means, k, dp.NoiseMoments{})
	}
	if len(x.means) > 0 && !x.alone() {
		believed(&x.means[len(x.means)-1], &b.Means, b.PerSite)
		if x.site.bound {
			b.Forced = append(b.Forced, x.site.arm)
		}
		return
	}
	for k := range x.site.sums {
		if sum := &x.site.sums[k]; !sum.Empty() && sum.Count(0) > 0 {
			n := float64(sum.Count(0))
			b.X[k], b.SampleVar[k], b.PerSite[k] = sum.At(0)/n, 1/n, n
			spread.SetNoise(&b.Means, k, sum.NoiseMoments().Over(n))
		}
	}
}

// believeEpochs adds the epochs that have ended since the last call. An epoch whose means are lost
// stays empty.
func (x *pooling) believeEpochs() {
	b := &x.belief
	if b.Epoch == x.number() {
		return
	}
	b.Epochs = b.Epochs[:0]
	for i := range x.means {
		for uint64(len(b.Epochs))+1 < x.means[i].Label().Seq {
			b.Epochs = append(b.Epochs, belief.NewMeans(x.c.Parts, 1))
		}
		e := belief.NewMeans(x.c.Parts, 1)
		believed(&x.means[i], &e, b.PerSite)
		b.Epochs = append(b.Epochs, e)
	}
	b.Epoch, b.Revision = x.number(), x.number()
	b.Means = b.Epochs[len(b.Epochs)-1]
}

// believed fills in the means of the arms in a message.
func believed(m *protocol.Message, e *belief.Means, perSite []float64) {
	for i := range m.Body() {
		r := m.Release(i)
		k, n := int(r.Stream()), float64(r.Count(0))
		e.X[k], e.SampleVar[k], perSite[k] = r.At(0), 1/n, n/float64(r.Count(1))
		spread.SetNoise(e, k, r.NoiseMoments())
	}
}
