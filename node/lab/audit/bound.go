package audit

import (
	"math"
	"slices"

	"peerd.dev/dp"
)

// A Bound is what distinguishing the histories of a canary shows about ε, or about μ.
type Bound struct {
	Runs      int     `json:"runs"`      // plays of each history
	Charged   float64 `json:"charged"`   // the ε or μ that a play was charged
	Reach     float64 `json:"reach"`     // the part of it that this canary costs a correct peer, at most
	Statistic string  `json:"statistic"` // of the event, chosen on half of the plays
	Low95     float64 `json:"low95"`     // lower bound, with 95 % confidence for all canaries together
	Low99     float64 `json:"low99"`
}

// A score is a feature of a transcript that could distinguish the histories.
type score struct {
	name string
	of   func(t *transcript) float64
}

func scores() []score {
	return []score{
		{"likelihood of the nodes", (*transcript).likelihood},
		{"pulls of the first arm", func(t *transcript) float64 {
			n := 0
			for _, part := range t.parts {
				if part == 0 {
					n++
				}
			}
			return float64(n)
		}},
		{"messages", func(t *transcript) float64 { return float64(len(t.shape)) }},
		{"bytes", func(t *transcript) float64 { return float64(t.size) }},
	}
}

// playScores are the scores of a play, in their order.
type playScores []float64

func (t *transcript) scores() (m playScores) {
	for _, s := range scores() {
		m = append(m, s.of(t))
	}
	return m
}

// likelihood returns the log-likelihood ratio of the nodes in the second history against the
// first, by the charged noise and given the choices.
func (t *transcript) likelihood() (l float64) {
	for i := range t.nodes {
		if n := &t.nodes[i]; n.peer == 0 && !n.open {
			l += n.likelihood()
		}
	}
	return l
}

func (n *drawnNode) likelihood() float64 {
	scale := float64(n.noise.Scale)
	x, y := float64(n.value-n.exact[0]), float64(n.value-n.exact[1])
	if n.noise.Law == dp.Gaussian {
		return (x - y) * (x + y) / (2 * scale * scale)
	}
	return (math.Abs(x) - math.Abs(y)) / scale // to the last bit the same for all nodes where it is greatest or least
}

// event is {score ≥ at} or {score < at}, and the history in which it is likelier.
type event struct {
	score int // index of the score
	at    float64
	below bool
	side  int
}

func (e *event) count(plays []playScores) (n int) {
	for _, m := range plays {
		if m[e.score] >= e.at != e.below {
			n++
		}
	}
	return n
}

// find chooses the event on the first half of the plays and tests it on the second: its
// probabilities bound ε or μ from below. tests is the number of bounds that are evaluated
// together.
func (b *Bound) find(sides [2][]playScores, by measure, tests int) {
	b.Runs = len(sides[0])
	half := b.Runs / 2
	e := choose([2][]playScores{sides[0][:half], sides[1][:half]}, by)
	b.Statistic = scores()[e.score].name
	n := b.Runs - half
	more, less := e.count(sides[e.side][half:]), e.count(sides[1-e.side][half:])
	low := func(miss float64) float64 {
		miss /= 2 * float64(tests) // for each of two ends and all bounds
		return max(0, by.between(atLeast(more, n, miss), atMost(less, n, miss)))
	}
	b.Low95, b.Low99 = low(.05), low(.01)
}

// choose returns the event that distinguishes the plays best, by a rough bound.
func choose(sides [2][]playScores, by measure) event {
	const quantiles = 64
	best, most := event{}, math.Inf(-1)
	for s := range scores() {
		var values [2][]float64
		for side := range sides {
			for _, m := range sides[side] {
				values[side] = append(values[side], m[s])
			}
			slices.Sort(values[side])
		}
		all := slices.Concat(values[0], values[1])
		slices.Sort(all)
		for q := range quantiles {
			at := all[q*len(all)/quantiles]
			var under [2]int
			for side := range values {
				under[side], _ = slices.BinarySearch(values[side], at)
			}
			n := len(values[0])
			for _, e := range []event{{s, at, true, 0}, {s, at, true, 1}, {s, at, false, 0}, {s, at, false, 1}} {
				k := under
				if !e.below {
					k = [2]int{n - under[0], n - under[1]}
				}
				if r := by.rough(k[e.side], k[1-e.side], n); r > most {
					best, most = e, r
				}
			}
		}
	}
	return best
}
