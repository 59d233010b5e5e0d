package testnet

import (
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
	"peerd.dev/protocol"
)

// selfish reports whether sites choose for their own users, so that their own regret is shown.
func (t *Net) selfish() bool {
	_, ok := bandit.Common(t.Settings.LearnerParams())
	return ok && t.baseline.Means != nil
}

// means returns what the arms of a peer pay; nil where arms have no means, and for a peer without arms.
func (t *Net) means(i int) []float64 {
	if t.baseline.Means == nil || !t.learns(i) {
		return nil
	}
	return t.baseline.Means[t.Settings.SitesOf(i)]
}

// ownRegret returns what a peer lost against the best arm of its own site; 0 where arms have no means.
func (t *Net) ownRegret(i int, d *api.Status) (sum float64) {
	means := t.means(i)
	for k := range min(len(means), len(d.Pulls)) {
		sum += float64(d.Pulls[k]) * (slices.Max(means) - means[k])
	}
	return sum
}

// regret returns what a peer lost against the arm that it should favour; see best.
func (t *Net) regret(i int, d *api.Status) float64 {
	if t.selfish() {
		return t.ownRegret(i, d)
	}
	return d.Regret
}

// best returns the arm that a peer should favour: of its own site if sites choose for their own users, else over all
// sites; -1 where arms have no means.
func (t *Net) best(i int) int {
	if t.selfish() {
		arg, _ := plan.ArgMax(t.means(i))
		return arg
	}
	return slices.Index(t.baseline.Gaps, 0)
}

// regrets are regrets of the average site.
type regrets struct{ together, alone, ownTogether, ownAlone, ownCommon float64 }

// shown returns what is together and alone for what sites choose.
func (r *regrets) shown(selfish bool) (together, alone float64) {
	if selfish {
		return r.ownTogether, r.ownAlone
	}
	return r.together, r.alone
}

// progress returns how many rounds all peers have played, and the regrets after the same number of pulls. A busy
// machine skips rounds, and a round that was not played adds no regret.
func (t *Net) progress(all []api.Status) (round uint64, r regrets) {
	round = all[0].Round
	var pulls uint64
	learners := t.Settings.SitesOf(plan.TestnetOf(t.Settings).Nodes)
	for i := range all {
		d := &all[i]
		round = min(round, d.Round)
		if !t.learns(i) {
			continue
		}
		r.together += d.Regret / float64(learners)
		r.ownTogether += t.ownRegret(i, d) / float64(learners)
		for _, n := range d.Pulls {
			pulls += n
		}
	}
	mean := pulls / uint64(learners)
	r.alone, r.ownAlone, r.ownCommon = t.baseline.Alone.At(mean), t.baseline.OwnAlone.At(mean), t.baseline.OwnCommon.At(mean)
	return round, r
}

// learns reports whether a peer has arms.
func (t *Net) learns(i int) bool {
	return protocol.Learns(t.Settings.ProtocolParams(), protocol.Peer(i))
}
