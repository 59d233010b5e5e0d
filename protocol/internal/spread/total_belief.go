package spread

import (
	"iter"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
)

// BelieveSum believes of a part the sum of releases.
func BelieveSum(b *belief.Belief, part int, of iter.Seq[*dp.Release]) {
	width := len(b.X) / len(b.SampleVar)
	sums := b.X[part*width:][:width]
	clear(sums)
	n := 0.
	var noise dp.NoiseMoments
	for x := range of {
		for i := range sums {
			sums[i] += x.At(i)
		}
		n += float64(x.Count(0))
		noise = noise.Plus(x.NoiseMoments())
	}
	b.SampleVar[part] = 1 / n // +Inf for none
	SetNoise(&b.Means, part, noise)
}
