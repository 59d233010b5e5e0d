package site

import "peerd.dev/bandit"

// A Range is the least and the greatest reward, in the application's units. The zero Range is from 0 to 1. Decisions hold
// rewards in these units; what is learned, released and noised is in units of the range, from 0 to 1.
type Range [2]float64

// Ends returns the least and the greatest reward.
func (r Range) Ends() (low, high float64) {
	if r == (Range{}) {
		return 0, 1
	}
	return r[0], r[1]
}

// Width returns by how much the greatest reward is above the least.
func (r Range) Width() float64 {
	low, high := r.Ends()
	return high - low
}

// Has reports whether a number is in the range.
func (r Range) Has(value float64) bool {
	low, high := r.Ends()
	return low <= value && value <= high
}

// Clip returns the nearest reward in the range.
func (r Range) Clip(value bandit.Reward) bandit.Reward {
	low, high := r.Ends()
	return max(bandit.Reward(low), min(bandit.Reward(high), value))
}

// observed returns what the learner sees of a reward: 0 for the least and 1 for the greatest.
func (r Range) observed(value bandit.Reward) bandit.Reward {
	low, _ := r.Ends()
	return (r.Clip(value) - bandit.Reward(low)) / bandit.Reward(r.Width())
}

// Mean returns a mean of observed rewards in the application's units. It may be out of the range, as noise puts it.
func (r Range) Mean(observed float64) float64 {
	low, _ := r.Ends()
	return low + r.Width()*observed
}
