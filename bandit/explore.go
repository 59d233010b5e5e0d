package bandit

import "math/rand/v2"

// Explore adds uniform exploration to a learner's choice c of one of n arms: with probability
// share it returns an arm that t offers and does not exclude, each equally likely, and otherwise
// c. The propensity is the arm's probability given c: share over the number of arms that are not
// excluded, plus 1 - share for the arm of c. So it is exact whatever the distribution of c, even
// if the learner samples and does not compute it. A reward weighted by 1/propensity has the right
// mean given c, and so without it (Horvitz and Thompson 1952).
//
// It takes two random numbers, whatever the belief, the features and c are.
func Explore(c Choice, t Turn, n int, share float64, rng *rand.Rand) Choice {
	coin, place := rng.Float64(), rng.Float64()
	n = t.Offered(n)
	offered := 0
	for k := range n {
		if !t.Excludes(k) {
			offered++
		}
	}
	arm := c.Arm
	if coin < share {
		nth := min(int(place*float64(offered)), offered-1)
		for k := range n {
			if t.Excludes(k) {
				continue
			}
			if nth == 0 {
				arm = Arm(k)
				break
			}
			nth--
		}
	}
	p := share / float64(offered)
	if arm == c.Arm {
		p += 1 - share
	}
	return Choice{arm, p}
}

// AddExploration turns the probabilities of a learner's choices into the ones where a share of them explores, as with
// [Explore].
func AddExploration(p []float64, t Turn, share float64) {
	explored := make([]float64, len(p))
	Even(explored, t.Able(len(p)))
	for k := range p {
		p[k] = (1-share)*p[k] + share*explored[k]
	}
}
