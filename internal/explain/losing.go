package explain

import (
	"fmt"
	"math"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/protocol"
)

// worthwhile is the gap between the means of two actions, with rewards from 0 to 1, that settings have to be able to
// resolve: with settings that resolve .065, the regret of three sites was linear at a gap of .05. A gap is
// resolved if it is `resolves` standard deviations of the difference.
const (
	worthwhile = 0.06
	resolves   = 2
)

// LosingIn returns the settings of a valid configuration with which regret is linear, at one decision a round.
func LosingIn(s *config.Settings) (list []config.Losing) {
	charge, err := s.Charge()
	if err != nil || len(s.Arms) == 0 {
		return nil
	}
	add := func(key, do, what string, args ...any) {
		list = append(list, config.Losing{Key: key, What: fmt.Sprintf(what, args...), Do: do})
	}
	cadence, rounds, arms := s.Cadence(), s.Privacy.Rounds(), uint64(len(s.Arms))
	if s.Mode == config.Lockstep && s.RoundCount() > 0 {
		rounds = s.RoundCount()
	}
	prefix := "protocol." + s.Protocol.Name + "."
	wide := protocol.TraitsOf(s.ProtocolParams()).Wide
	first, batched := max(cadence.First, cadence.Decisions), arms
	if wide {
		batched = 1 // a batch is of all actions
	}
	if first > 0 && first > rounds/batched {
		add(prefix+protocol.TraitsOf(s.ProtocolParams()).Leaf, "take a shorter first batch, a larger privacy.epsilon or a longer privacy.horizon",
			"the first batches of %s hold %d rewards each, and %d rounds have %d decisions: nothing is released before the end, and every choice is random",
			config.Counted(batched, "action"), first, rounds, rounds)
		return list
	}
	if share := leastShare(s); cadence.First > 1 && cadence.Limit > 0 && share*float64(cadence.Limit) < 2 {
		add(prefix+"limit", fmt.Sprintf("take 0, or at least %.0f", math.Ceil(float64(cadence.First)/share)),
			"a batch closes after %d rounds, in which a site has %.2g rewards: each batch of one reward has a draw of noise of its own, and %d rewards would share one",
			cadence.Limit, share*float64(cadence.Limit), cadence.First)
	}
	if wide || cadence.Epochs > 0 {
		return list
	}
	if w := cadence.Window; w > 0 && w < rounds {
		if gap := resolved(s, charge, max(1, w/arms), true); gap > worthwhile {
			add(prefix+"window", "take a longer window, or 0 to forget nothing",
				"a window of %d rounds has %d rewards of an action, and everything older is forgotten: means less than %.2g apart cannot be distinguished", w, max(1, w/arms), gap)
		}
		return list
	}
	if gap := resolved(s, charge, max(1, rounds/arms), false); gap > worthwhile {
		add("privacy.epsilon", "take a larger one, a longer privacy.horizon or fewer privacy.records_per_user",
			"ε = %s over %d rounds: after %d rewards of each action, noise still hides the order of two means that are less than %.2g apart",
			config.ValueText(s.Privacy.Epsilon), rounds, max(1, rounds/arms), gap)
	}
	return list
}

// leastShare returns the share of rounds with a decision at the site that has fewest; 1 with an application.
func leastShare(s *config.Settings) float64 {
	return slices.Min(append([]float64{1}, s.Simulated().Traffic...))
}

// resolved returns the least difference between the means of two actions, of a number of rewards each, that sites can
// distinguish in spite of the noise and, with sampling, of the chance in rewards. Simulated sites do so together, one
// with an application alone.
func resolved(s *config.Settings, charge dp.Charge, rewards uint64, sampling bool) float64 {
	v := 0.
	if charge.Mechanism != dp.None {
		sd := newNoise(s, charge).mean(rewards)
		v = sd * sd
	}
	if sampling {
		v += 1 / (4 * float64(rewards))
	}
	sites := 1
	if s.World.Kind != config.Application {
		sites = max(1, s.SitesOf(s.Simulated().Peers))
	}
	return resolves * math.Sqrt(2*v/float64(sites))
}
