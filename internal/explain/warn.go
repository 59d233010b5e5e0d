package explain

import (
	"fmt"
	"math"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/config"
	"peerd.dev/protocol"
	"peerd.dev/protocol/table"
)

// A warningDoc is a warning and what to do about it.
type warningDoc struct {
	What string `json:"what"`
	Do   string `json:"do"`

	claims []claim
}

// How sure an attacker may become before a budget is called weak, and how much noise in a mean of
// rewards from 0 to 1 hides it.
const (
	sure  = 0.95
	swamp = 0.1
)

// largeDelta is the greatest δ without a warning, and quiet the ratio of deviations above which
// there is no warning about another mechanism.
const (
	largeDelta = 1e-6
	quiet      = 0.9
)

// mostRounds is the longest horizon, and mostEpsilon more than anyone recommends.
const (
	mostRounds  = 1 << 30
	mostEpsilon = 1000
)

// warnings returns what is wrong with a promise that can be kept.
func warnings(s *config.Settings, doc *Document, n noise, network *config.Network) []warningDoc {
	list := []warningDoc{}
	warn := func(what, do string) { list = append(list, warningDoc{What: what, Do: do}) }
	if b := doc.Budget; b.Chance > sure {
		warn(fmt.Sprintf("ε = %s is weak: someone who first thought two accounts of a user equally likely can %s", config.ValueText(s.Privacy.Epsilon), sureText(b)),
			fmt.Sprintf("with ε = %.3g it would be %s", strongEnough(b.Delta), percent(sure)))
	}
	if d := s.Privacy.Delta; d > largeDelta {
		warn(fmt.Sprintf("δ = %v is large: a peer that publishes every user's rewards with that probability keeps the promise", d),
			fmt.Sprintf("take privacy.delta: %.6f or less", largeDelta))
	}
	r := protocol.Recommend(s.ProtocolParams()) // which rests on the first thousands of rewards, and not on all that can come
	if q := doc.Error.LeastNoise; q.Ratio < quiet && s.Privacy.Mechanism != r.Pure.String() && s.Privacy.Mechanism != r.Gaussian.String() {
		warn(quieter(s, q))
	}
	if k := s.Privacy.RecordsPerUser; k > 1 && s.World.Kind == config.Application && s.API.Subject != config.Required {
		warn(fmt.Sprintf("users come back up to %d times, and peerd counts a user's decisions by subject alone", k),
			"send a subject with every decision, and set api.subject: required: without one nothing stops a user from having more")
	}
	if doc.is(report) == public {
		warn("api.settle: arrival shows all peers when a reward was reported, and whether it was",
			"if that reveals something about a user, use api.settle: window")
		list[len(list)-1].claims = []claim{{report, public}}
	}
	if p := s.Simulated(); p.Spread != "" && p.Records > 1 {
		warn(fmt.Sprintf("with %s one person can be at several sites, each of which promises the budget for itself", p.Spread),
			"take "+p.Gather)
	}
	if network != nil && network.Every != s.Rounds.Every {
		warn(fmt.Sprintf("rounds.every is %s and the network file has %s, so a peer will not start", config.DurationText(s.Rounds.Every), config.DurationText(network.Every)),
			"make them the same")
	}
	if early := max(1, s.Privacy.Rounds()/10); n.mean(early) > swamp {
		warn(fmt.Sprintf("the noise swamps what is to be learnt: a tenth into the horizon, with every reward so far (%d, one a round) of one arm, the noise in its mean still has a standard deviation of %.2g", early, n.mean(early)),
			remedy(s, n.mean(early), early))
	}
	return list
}

// sureText states what even odds can become.
func sureText(b *budgetDoc) string {
	if b.Square == 0 {
		return fmt.Sprintf("become %s sure of one", percent(b.Chance))
	}
	return fmt.Sprintf("name the right one with a probability of %s", percent(b.Chance))
}

// strongEnough returns the ε at which an attacker becomes as sure as is allowed without a
// warning.
func strongEnough(delta float64) float64 {
	if delta == 0 {
		return math.Log(sure / (1 - sure))
	}
	epsilon, _ := account.Mu(2 * math.Sqrt2 * math.Erfinv(2*sure-1)).Epsilon(delta) // for a δ that was in range
	return epsilon
}

// quieter states which settings make less noise.
func quieter(s *config.Settings, q leastNoiseDoc) (what, do string) {
	what, do = fmt.Sprintf("another mechanism makes %.2g of the noise for the same budget and horizon", q.Ratio), "take privacy.mechanism: "+q.Mechanism
	if m, err := dp.ParseMechanism(q.Mechanism); err == nil && m.Law() == dp.Laplace && s.Privacy.Delta > 0 {
		do += " with privacy.delta: 0, which it does not need"
	}
	return what, do
}

// longLeaves returns parameters of a protocol whose leaves can have any length, of the chosen one
// if possible, and the field with that length.
func longLeaves(s *config.Settings) (p protocol.Params, field string) {
	m, err := dp.ParseMechanism(s.Privacy.Mechanism)
	for _, p := range append([]protocol.Params{s.ProtocolParams()}, table.Protocols()...) {
		if field := protocol.TraitsOf(p).Leaf; field != "" && err == nil && protocol.Suits(p, m) {
			return p, field
		}
	}
	return nil, ""
}

// remedy states which settings halve the deviation of the noise in the mean of a number of
// rewards.
func remedy(s *config.Settings, sd float64, rewards uint64) string {
	half := func(change func(*config.Settings), at uint64) bool {
		other := *s
		change(&other)
		charge, err := other.Charge()
		return err == nil && newNoise(&other, charge).mean(at) <= sd/2*(1+1e-6) // scales are rounded up
	}
	text := "half of it is left with "
	if p, field := longLeaves(s); p != nil {
		name := p.Words().Name
		leaves := func(n uint64) func(*config.Settings) {
			return func(o *config.Settings) { o.SetProtocol(protocol.Small(p, n)) }
		}
		fewest := uint64(1)
		if s.Protocol.Name == name {
			fewest = max(s.Cadence().Rounds, s.Cadence().Decisions) + 1
		}
		if n, ok := leastGood(fewest, rewards, func(n uint64) bool { return half(leaves(n), rewards) }); ok {
			text += fmt.Sprintf("protocol.name: %s and protocol.%s.%s: %d, or with ", name, name, field, n)
		}
	}
	longer := func(rounds uint64) bool {
		return half(func(o *config.Settings) { o.Privacy.Horizon = rounds }, rounds/10)
	}
	if rounds, ok := leastGood(s.Privacy.Rounds()+1, mostRounds, longer); ok {
		text += fmt.Sprintf("privacy.horizon: %d (%s), which brings more rewards by its tenth, or with ", rounds, spanText(float64(rounds)*s.Rounds.Every.Seconds()))
	}
	epsilon := 2 * s.Privacy.Epsilon // a little more than needed with Gaussian noise
	for epsilon < mostEpsilon && !half(func(o *config.Settings) { o.Privacy.Epsilon = epsilon }, rewards) {
		epsilon *= 1.01
	}
	return text + fmt.Sprintf("privacy.epsilon: %.4g, at the users' cost", float64(epsilon))
}
