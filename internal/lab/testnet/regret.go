package testnet

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
	"peerd.dev/protocol"
)

// selfish reports whether sites choose for their own users, so that their own regret is shown.
func (t *Net) selfish() bool {
	return bandit.TraitsOf(t.Settings.LearnerParams()).Selfish && t.baseline.Means != nil
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

// best returns the arm that a peer should favour: of its own site if sites choose for their own users, else over all
// sites; -1 where arms have no means.
func (t *Net) best(i int) int {
	if t.selfish() {
		arg, _ := plan.ArgMax(t.means(i))
		return arg
	}
	return slices.Index(t.baseline.Gaps, 0)
}

// regrets are regrets of the average site of some.
type regrets struct{ together, alone, ownTogether, ownAlone, expected float64 }

// shown returns what is together and alone for what sites choose.
func (r *regrets) shown(selfish bool) (together, alone float64) {
	if selfish {
		return r.ownTogether, r.ownAlone
	}
	return r.together, r.alone
}

// progress returns how many rounds all peers have played, and the regrets of the average site with arms.
func (t *Net) progress(all []api.Status) (round uint64, r regrets) {
	round = all[0].Round
	var sites []int
	for i := range all {
		if round = min(round, all[i].Round); t.learns(i) {
			sites = append(sites, i)
		}
	}
	return round, t.regrets(all, sites)
}

// regrets returns the regrets of the average of some sites, and what they lose alone in as many decisions: a busy machine skips rounds, and a
// round that was not played adds no regret.
func (t *Net) regrets(all []api.Status, sites []int) (r regrets) {
	n, late := float64(len(sites)), plan.WorldOf(t.Settings).Late
	for _, i := range sites {
		d, site := &all[i], t.Settings.SitesOf(i)
		at, _ := late.Span(site, t.Settings.SitesOf(len(all)))
		for _, n := range d.Pulls {
			at += n
		}
		r.together, r.ownTogether = r.together+d.Regret/n, r.ownTogether+t.ownRegret(i, d)/n
		if t.baseline.Together != nil {
			r.expected += t.baseline.Together[site] / n
		}
		r.alone, r.ownAlone = r.alone+t.baseline.Alone[site].At(at)/n, r.ownAlone+t.baseline.OwnAlone[site].At(at)/n
	}
	return r
}

// A Group is some sites that have something in common.
type Group struct {
	Name     string   `json:"name"`
	Sites    []string `json:"sites"`
	Together float64  `json:"own_regret_together"` // of the average site
	Alone    float64  `json:"own_regret_alone"`
	Expected float64  `json:"own_regret_expected"` // together, in the mean of simulated runs to the end
}

// groups separates sites that join later, and those whose best arm is not the best one over all sites. There are none if all sites are alike, or
// choose one arm for all. By features, which have no best arm, regret is of each site's own users.
func (t *Net) groups(all []api.Status) (groups []Group) {
	if !t.selfish() && t.baseline.Means != nil {
		return nil
	}
	common, late := slices.Index(t.baseline.Gaps, 0), plan.WorldOf(t.Settings).Late
	of := make([][]int, 3)
	for i := range all {
		if !t.learns(i) {
			continue
		}
		kind := 0
		if from, _ := late.Span(t.Settings.SitesOf(i), t.Settings.SitesOf(len(all))); from > 0 {
			kind = 2
		} else if t.best(i) != common {
			kind = 1
		}
		of[kind] = append(of[kind], i)
	}
	for kind, sites := range of {
		if len(sites) == 0 || len(sites) == t.Settings.SitesOf(len(all)) {
			continue
		}
		r := t.regrets(all, sites)
		from, _ := late.Span(t.Settings.SitesOf(sites[0]), t.Settings.SitesOf(len(all)))
		g := Group{Name: []string{"from the beginning", "with another best arm", fmt.Sprintf("after %d rounds", from)}[kind], Expected: r.expected}
		g.Together, g.Alone = r.shown(t.selfish())
		for _, i := range sites {
			g.Sites = append(g.Sites, t.Names[i])
		}
		groups = append(groups, g)
	}
	return groups
}

// learns reports whether a peer has arms.
func (t *Net) learns(i int) bool {
	return protocol.Learns(t.Settings.ProtocolParams(), protocol.Peer(i))
}
