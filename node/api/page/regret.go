package page

import "math"

// regret estimates how much less a site has earned than with the best action alone, from how often each action counts, and half of the
// width of its 95 % interval. Both are NaN while nothing is known. An action of which nothing is known counts as anything in
// the range of rewards. docs/page.md has the formula.
func regret(arms []arm, counts []float64, least, most float64) (estimate, half float64) {
	best, all := -1, 0.
	for i := range arms {
		if a := &arms[i]; a.Bar != nil && !a.Retired && (best < 0 || a.Estimate > arms[best].Estimate) {
			best = i
		}
		all += counts[i]
	}
	if best < 0 || all == 0 {
		return math.NaN(), math.NaN()
	}
	half = (all - counts[best]) * (arms[best].High - arms[best].Low) / 2
	for i := range arms {
		if i == best {
			continue
		}
		mean, width := arms[i].Estimate, arms[i].High-arms[i].Low
		if arms[i].Bar == nil {
			mean, width = (least+most)/2, most-least
		}
		estimate += counts[i] * (arms[best].Estimate - mean)
		half = math.Hypot(half, counts[i]*width/2)
	}
	return max(0, estimate), half
}
