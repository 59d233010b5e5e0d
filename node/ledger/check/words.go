package check

import (
	"fmt"
	"math"
	"strings"
	"time"

	"peerd.dev/dp/account"
	"peerd.dev/node/ledger"
)

// Words are what a ledger does not say of itself, so that people can read it: names, units and dates. The zero Words know
// nothing.
type Words struct {
	Actions   []string      // in the order of streams; "" for one without a name
	Low, High float64       // range of rewards; both 0 for sums as they stand in the ledger
	Start     time.Time     // of round 0; zero if it is not known
	Every     time.Duration // length of a round
	Delta     account.Delta // of the budget, at which a charge has its ε
}

// When writes the time of a round, or its number.
func (w *Words) When(round uint64) string {
	if w.Start.IsZero() || w.Every <= 0 || round > uint64(math.MaxInt64/w.Every) {
		return fmt.Sprintf("round %d", round)
	}
	return w.Start.Add(w.Every * time.Duration(round)).UTC().Format("2006-01-02 15:04:05")
}

// Of names what a stream has sums of.
func (w *Words) Of(r *ledger.Release) string {
	switch {
	case !ofAction(r):
		return "model"
	case len(w.Actions) > 0 && w.Actions[int(r.Stream)%len(w.Actions)] != "": // estimators that take turns have streams of each action
		return w.Actions[int(r.Stream)%len(w.Actions)]
	}
	return fmt.Sprintf("stream %d", r.Stream)
}

// ofAction reports whether a release is the sum of rewards of one action: one number with a public count, or two that count
// together.
func ofAction(r *ledger.Release) bool {
	return len(r.Values) == 1 && len(r.Counts) == 1 || len(r.Values) == 2 && len(r.Counts) == 0
}

// sum returns the sum of rewards in a release of an action, the standard deviation of its noise, both in the units of rewards.
func (w *Words) sum(r *ledger.Release) (sum, sd float64) {
	low, high := w.Low, w.High
	if low == high {
		low, high = 0, 1
	}
	unit := math.Ldexp(1, int(r.Exponent))
	sigma, first := math.Sqrt(r.Noise.Variance())*unit, float64(r.Values[0])*unit
	if len(r.Counts) == 1 {
		return low*float64(r.Counts[0]) + (high-low)*first, (high - low) * sigma
	}
	return high*first + low*float64(r.Values[1])*unit, math.Hypot(high, low) * sigma
}

// Release says what a release holds.
func (w *Words) Release(r *ledger.Release) string {
	switch {
	case r.Commitment != "":
		return fmt.Sprintf("%d numbers, which are not public", len(r.Values))
	case !ofAction(r):
		sd := math.Sqrt(r.Noise.Variance()) * math.Ldexp(1, int(r.Exponent))
		return fmt.Sprintf("%s, %d numbers, each with noise of ± %.3g", records(r), len(r.Values), sd)
	case len(r.Counts) == 0:
		unit := math.Ldexp(1, int(r.Exponent))
		sum, sd := w.sum(r)
		return fmt.Sprintf("sum %.2f ± %.3g, number of rewards %.1f ± %.3g", sum, sd, float64(r.Values[0]+r.Values[1])*unit, math.Sqrt(2*r.Noise.Variance())*unit)
	}
	sum, sd := w.sum(r)
	return fmt.Sprintf("%s, sum %.2f ± %.3g", records(r), sum, sd)
}

// records writes the public number of records in a release.
func records(r *ledger.Release) string {
	var n uint64
	for _, c := range r.Counts {
		n += c
	}
	if n == 1 {
		return "1 reward"
	}
	return fmt.Sprintf("%d rewards", n)
}

// Line says in a line what a record is, without its number and its date. Whole numbers are in [Body.String].
func (w *Words) Line(b ledger.Body) (when, of, what string) {
	switch b := b.(type) {
	case *ledger.Genesis:
		return "", b.Network, fmt.Sprintf("peer %s…, budget %s", b.Peer[:min(len(b.Peer), 16)], ledger.BudgetText(b.Budget))
	case *ledger.Open:
		loss := ledger.LossText(b.Loss)
		if used, err := (account.Budget{Epsilon: account.Nano, Delta: w.Delta}).Used(b.Loss); err == nil && b.Loss.Square > 0 && w.Delta > 0 {
			loss = fmt.Sprintf("ε %.4g", used)
		}
		return "", "all", fmt.Sprintf("charge %s: %d sums, %d releases each, %v", loss, b.Streams, b.Leaves, b.Mechanism)
	case *ledger.Release:
		return w.When(b.Round), w.Of(b), w.Release(b)
	case *ledger.Gap:
		return w.When(b.Round), "all", fmt.Sprintf("%d records lost since %s, life %d", b.Lost(), w.When(b.Since), b.Incarnation)
	}
	return "", "", strings.TrimSpace(b.String())
}
