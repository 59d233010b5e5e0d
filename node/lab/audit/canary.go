package audit

import (
	"math"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
)

// A Canary is a pair of histories of peer 0 that differ in one user's rewards: 0 in the first, 1
// in the second, which is as far apart as rewards can be. A reward of 0 adds nothing, so the
// histories are neighbours under zero-out as well as under replace-one. With noised counts, and
// if Presence is set, the user is absent from the first history and pays 1 in the second.
type Canary struct {
	Name    string   `json:"name"`
	What    string   `json:"what"`
	Bound   Bound    `json:"bound"`
	rounds  []uint64 // in which the user comes
	runs    int      // of each history
	setting setting
	likes   bool // other users pay by arm, so that choices made from rewards affect later rewards
	absence bool // the user is only in the second history
	values  bool // in each round of the second history, all users pay another value
	asked   bool // users come in every second round; in the others one asks in the second history
	kept    bool // in the second history other decisions are kept
	taken   bool // an application takes arms by a policy of its own, others in the second history
}

// values returns two histories in which all rewards differ. They are not neighbours, so they are
// only checked for being twins: given the nodes, nothing may depend on any value.
func (c Config) values() Canary {
	return Canary{Name: "values", What: "all rewards: 0, or every sixteenth in turn and numbers that are none", setting: c.small(), values: true}
}

// asked returns two histories that differ in decisions without records.
func (c Config) asked() Canary {
	return Canary{Name: "asked", What: "between the users no one, or one who asks and has no reward", setting: c.small(), likes: true, asked: true}
}

// taken returns two histories that differ in what an application takes, where the peer learns from it. They are no neighbours, so they are
// only checked for being twins: given the nodes, neither a message nor a proposal may depend on it.
func (c Config) taken() Canary {
	return Canary{Name: "taken", What: "the application takes arms by a policy of its own, and others", setting: c.small(), likes: true, taken: true}
}

// kept returns two histories that differ in decisions that are kept.
func (c Config) kept() Canary {
	return Canary{Name: "kept", What: "no kept decisions, or up to three in each round that pay 0, 1 and every sixteenth", setting: c.small(), likes: true, kept: true}
}

// keeps returns what the users of a round pay whose decisions are kept.
func (c *Canary) keeps(side int, t uint64) (all []bandit.Reward) {
	if c.kept && side == 1 {
		for j := range t % 4 {
			all = append(all, bandit.Reward((t+7*j)%17)/16)
		}
	}
	return all
}

// takes returns what the application takes in a round.
func (c *Canary) takes(side int, t uint64) bandit.Arm {
	n := uint64(c.setting.spec.Arms)
	return bandit.Arm((t*t/3 + uint64(side)*(1+t%2)) % n) // not all other arms: some numbers of decisions differ, too
}

// exact returns the pairs of histories that are compared exactly.
func (c Config) exact() []Canary {
	all := append(c.all(), c.values())
	if c.Spec.Privacy.NoisedCounts() || bandit.TraitsOf(c.Spec.Learner).Contextual { // as settings allow
		all = append(all, c.taken())
	}
	if c.Spec.Privacy.NoisedCounts() {
		all = append(all, c.asked())
	}
	if c.Spec.Give.Keeps() {
		all = append(all, c.kept())
	}
	return all
}

// sharp returns the canary that shows most: the whole charge is in one node. The horizon is so
// short that a stream has one leaf, there is one arm, and all records of a user are in this leaf,
// if the protocol allows it.
func (c Config) sharp() Canary {
	s := c.asConfigured()
	k := min(s.spec.Privacy.RecordsPerUser, most)
	s.spec.Arms = 1
	s.rounds = k
	if s.cadence.SynchronousLeaves() {
		s.rounds = max(k, min(s.leaf(), maxLeaf))
	}
	s.shrink(s.rounds)
	s.spec.Privacy.Horizon = s.rounds
	s.rounds += maxLeaf // beyond the horizon
	return Canary{Name: "sharp", What: "one leaf, one arm: all that a user has in one node", rounds: first(k), runs: 4 * c.Runs, setting: s}
}

// tree returns the canary whose record is in a node of every level: there is one arm, and the
// number of leaves is a power of two, for which levels are easily undercounted. For a mechanism
// that needs a longer horizon, it is as many leaves as its levels reach.
func (c Config) tree() Canary {
	s := c.small()
	s.spec.Arms = 1
	if !s.cadence.SynchronousLeaves() && s.spec.Privacy.Mechanism.Describe().Small <= leaves {
		s.rounds, s.spec.Privacy.Horizon = leaves, leaves
	}
	return Canary{Name: "tree", What: "the first record of the only arm, which lies in a node of every level", rounds: []uint64{0}, runs: c.Runs, setting: s}
}

// canaries lists the canaries of a setting.
func (c Config) canaries(s setting) []Canary {
	arms := uint64(s.spec.Arms)
	all := []Canary{
		{Name: "first", What: "the first record of the first arm", rounds: []uint64{0}},
		{Name: "arm", What: "the first record of the last arm", rounds: []uint64{arms - 1}},
		{Name: "middle", What: "the first record of the second half", rounds: []uint64{s.rounds / 2}},
		{Name: "last", What: "the last record", rounds: []uint64{s.rounds - 1}},
		{Name: "adaptive", What: "an early record that would turn later choices, which then pay", rounds: []uint64{0}, likes: true},
	}
	if k := min(s.spec.Privacy.RecordsPerUser, s.rounds); k > 1 {
		all = append(all, Canary{Name: "user", What: "the first records, all of one user", rounds: first(k)})
	}
	for i := range all {
		all[i].setting, all[i].runs = s, c.Runs
	}
	return all
}

// all returns the canaries whose bounds are evaluated together.
func (c Config) all() []Canary {
	return c.of(append([]Canary{c.sharp(), c.tree()}, c.canaries(c.small())...))
}

// of makes canaries neighbours in the sense of the configuration's promise.
func (c Config) of(all []Canary) []Canary {
	for i := range all {
		all[i].absence = c.Presence || c.Spec.Privacy.NoisedCounts()
	}
	return all
}

// absent reports whether the user of a round is only in the other history.
func (c *Canary) absent(side int, t uint64) bool {
	return c.absence && side == 0 && slices.Contains(c.rounds, t)
}

// comes reports whether a round is one of the user's.
func (c *Canary) comes(t uint64) bool { return slices.Contains(c.rounds, t) }

func first(k uint64) []uint64 {
	rounds := make([]uint64, k)
	for t := range rounds {
		rounds[t] = uint64(t)
	}
	return rounds
}

// reward is what the user of a round pays for an arm in the first (side 0) or second (side 1)
// history. Other users pay nothing, so that a single 1 stands alone, or, if likes is set, one
// half at first and then 1 for the first arm only.
func (c *Canary) reward(side int, t uint64, arm int) float64 {
	switch {
	case c.values && t%32 < 16:
		return float64(side) * float64(t%16+1) / 16
	case c.values:
		return float64(side) * float64(t%32-15) / 17
	case c.comes(t) && c.setting.features > 0 && c.setting.spec.Privacy.Adjacency == dp.ReplaceOne && !c.absence:
		return 1 // if contexts differ as much as possible, such rewards amplify the difference most
	case c.comes(t):
		return float64(side)
	case !c.likes:
		return 0
	case t < 2*maxArms:
		return .5
	case arm == 0:
		return 1
	}
	return 0
}

// context returns the features of all arms for the user in the first or second history. The
// records of the two histories are as far apart as records of norm 1 with rewards of 1 can be:
// their features have an angle of 120 degrees, or of 180 with squares of rewards; see
// docs/proofs/records.md. Centred rewards append a constant to features at 180 degrees, which
// makes the angle 120. If a history has a record that adds nothing, its features are 0.
func (c *Canary) context(side int) bandit.Features {
	x := make(bandit.Features, c.setting.features)
	switch {
	case len(x) == 0:
		return nil
	case side == 1 || c.absence:
		x[0] = 1
	case c.setting.spec.Privacy.Adjacency == dp.ZeroOut:
	case len(x) == 1 || c.setting.kind != bandit.Linear:
		x[0] = -1 // for a Corner, (x, 1) and (-x, 1) are orthogonal
	default:
		x[0], x[1] = -.5, math.Sqrt(.75)
	}
	return x
}

// features returns the features of every arm in a round of a peer, or nil if the learner takes
// none. For peer 0, all arms have the user's features in the user's rounds; if all values differ,
// so do contexts, and with them the best arm.
func (c *Canary) features(side int, t uint64, peer int) (all []bandit.Features) {
	d := c.setting.features
	for arm := range c.setting.spec.Arms {
		if d == 0 {
			return nil
		}
		if peer == 0 && c.comes(t) {
			all = append(all, c.context(side))
			continue
		}
		by := uint64(arm) + 3*t + uint64(peer)
		if c.values && peer == 0 {
			by += uint64(side)
		}
		x := make(bandit.Features, d)
		x[by%uint64(d)] = 1
		if d > 1 && by%2 == 0 {
			x[by%uint64(d)], x[(by+1)%uint64(d)] = .8, -.6
		}
		all = append(all, x)
	}
	return all
}
