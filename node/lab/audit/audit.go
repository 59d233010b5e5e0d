package audit

import (
	"context"
	"errors"
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/node/lab/stats"
	"peerd.dev/protocol"
)

// MinRuns is the least number of plays of each history.
const MinRuns = 20

// Peers is the size of the network that is played. The first peer is audited; the others listen.
const Peers = 3

// Limits of that network.
const (
	maxArms      = 3  // more arms would need more rounds and show nothing else
	maxLeaf      = 8  // rounds of a leaf by the clock
	leaves       = 8  // of a stream, if the leaves of all arms close together
	rounds       = 32 // if every pull closes a leaf
	manyLeaf     = 2  // the same, if a mechanism needs more leaves
	asLong       = 1000
	most         = 64  // records of a user in one leaf
	twinShare    = 50  // one twin for this many plays
	restartShare = 4   // one restart for this many plays
	chunk        = 256 // pairs that are played before they are evaluated
)

// Config describes an audit.
type Config struct {
	Spec  node.Spec // as configured; the graph does not matter
	Topic bool      // as for the configuration's agents
	Runs  int       // plays of every input
	// Seed makes bounds and tests repeatable: their noise is derived from it. With 0, noise comes
	// from the operating system, as for a daemon, and coins are fresh. Pairs that are compared
	// exactly always have a daemon's noise.
	Seed     uint64
	Progress func(plays uint64) // called with the number of further plays; may be nil
	// Presence checks whether the presence of a user can be seen, whatever is promised; with
	// noised counts this is always checked.
	Presence bool
}

// Plays returns how many plays the audit makes.
func (c Config) Plays() uint64 {
	n := 0
	for _, canary := range c.exact() {
		n += 2*canary.runs + c.twins(&canary)
	}
	return uint64(n + c.long())
}

// twins returns how many twins of a canary are played. A choice too many makes a difference in one pair of seven.
func (c Config) twins(of *Canary) int {
	n := max(4, c.Runs/twinShare)
	if of.asked {
		n *= 4
	}
	return n
}

// long returns how many pairs are played at the configured horizon.
func (c Config) long() int { return max(2, min(10, c.Runs/100)) }

// small returns the setting in which losses are bounded: the configured one with a horizon so
// short that one record reaches all levels of the tree, or nearly all.
func (c Config) small() setting {
	s := c.asConfigured()
	s.spec.Arms = min(s.spec.Arms, maxArms)
	s.rounds = rounds
	n, leaf := uint64(leaves), uint64(maxLeaf)
	if small := s.spec.Privacy.Mechanism.Describe().Small; small > leaves {
		s.rounds, n, leaf = max(rounds, small), small, manyLeaf
	}
	if s.cadence.SynchronousLeaves() {
		leaf = min(s.leaf(), leaf)
		s.rounds = n * leaf
	}
	s.shrink(leaf)
	s.spec.Privacy.Horizon = s.rounds
	return s
}

// leaf returns how many rounds a leaf lasts that closes by the clock or by decisions, with one
// decision per round.
func (s *setting) leaf() uint64 { return max(s.cadence.Rounds, s.cadence.Decisions) }

// shrink makes parameters small, with leaves of a number of rounds.
func (s *setting) shrink(leaf uint64) {
	s.spec.Protocol = protocol.Small(s.spec.Protocol, leaf)
	s.spec.Learner = bandit.Small(s.spec.Learner)
	s.cadence = s.spec.Protocol.Cadence()
	s.describe()
}

// describe asks the learner how many features it needs.
func (s *setting) describe() {
	traits := bandit.TraitsOf(s.spec.Learner)
	if statistic, err := s.spec.Statistic(); err == nil && traits.Contextual { // an error is reported later
		s.features, s.kind = traits.Inputs.Dim(), statistic.Kind
	}
}

// asConfigured returns the configured setting, for as many rounds as are affordable.
func (c Config) asConfigured() setting {
	s := setting{spec: c.Spec, topic: c.Topic, rounds: min(c.Spec.Privacy.Horizon, asLong)}
	if s.spec.Sites == 0 {
		s.spec.Sites = protocol.Learners(s.spec.Protocol, s.spec.Peers()) // the rule of giving is the configured network's
	}
	s.spec.Graph, s.spec.Absent = complete(Peers), nil // an arm that nobody chooses shows less than others
	s.cadence = s.spec.Protocol.Cadence()
	s.describe()
	return s
}

// complete returns a graph in which all peers are neighbours.
func complete(n int) [][]protocol.Peer {
	g := make([][]protocol.Peer, n)
	for i := range g {
		for j := range n {
			if j != i {
				g[i] = append(g[i], protocol.Peer(j))
			}
		}
	}
	return g
}

// A setting is a configuration to play.
type setting struct {
	spec    node.Spec
	cadence protocol.Cadence
	// features is the number of features of an arm; 0 unless the learner is contextual.
	features int
	kind     bandit.Kind // kind of its records
	topic    bool
	rounds   uint64
}

// trafficIsFixed reports whether everything except released numbers follows from rounds and
// decisions.
func (s *setting) trafficIsFixed() bool {
	return !protocol.TraitsOf(s.spec.Protocol).Adaptive && !s.cadence.FollowsChoices()
}

// chosen reports whether choices determine how many leaves a stream closes.
func (s *setting) chosen() bool { return s.spec.Arms > 1 && !s.cadence.SynchronousLeaves() }

// Run audits. It returns an error only if the audit could not be made; its findings are in the
// Report.
func Run(ctx context.Context, c Config) (*Report, error) {
	if c.Spec.Privacy.Mechanism == dp.None || c.Spec.Privacy.Budget.Epsilon == dp.Infinite {
		return nil, errors.New("audit: without noise nothing is promised, so there is nothing to audit")
	}
	if c.Runs < MinRuns {
		return nil, fmt.Errorf("audit: %d runs, want at least %d", c.Runs, MinRuns)
	}
	a := &auditor{c: c, root: node.FreshSeed(), exact: newExact(c.Spec.Give.Keeps())}
	if c.Seed != 0 {
		a.root = node.NewSeed(c.Seed)
	}
	for _, part := range []func(context.Context) error{a.configured, a.twins, a.many} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	return a.report(), nil
}

// An auditor is an audit in progress.
type auditor struct {
	c     Config
	root  node.Seed
	exact *exact
	asIs  conformance // test of the noise at the configured horizon
	noise conformance // test of the noise at the short one
	found []Canary
}

// coins returns the public randomness of a pair of plays.
func (a *auditor) coins(part string, canary, i int) node.Seed {
	return a.root.Of(fmt.Sprintf("%s %d %d", part, canary, i))
}

// configured plays pairs of a daemon and its twin at the configured horizon.
func (a *auditor) configured(ctx context.Context) error {
	all := a.c.of(a.c.canaries(a.c.asConfigured()))
	plays := make([]*transcript, a.c.long())
	noise := make([]*transcript, len(plays))
	err := a.parallel(ctx, len(plays), func(i int) (err error) {
		canary, coins := &all[i%len(all)], a.coins("configured", 0, i)
		plays[i], err = a.twin(ctx, canary, coins)
		if noise[i] = plays[i]; err == nil && a.c.Seed != 0 { // theirs could not be repeated
			noise[i], err = a.one(ctx, canary, 0, coins, true)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, t := range plays {
		a.asIs.add(noise[i])
		a.exact.twins(t)
		a.exact.transcript(t)
	}
	return nil
}

// twins plays pairs of a daemon and its twin at the short horizon.
func (a *auditor) twins(ctx context.Context) error {
	for k, canary := range a.c.exact() {
		plays := make([]*transcript, a.c.twins(&canary))
		err := a.parallel(ctx, len(plays), func(i int) (err error) {
			plays[i], err = a.twin(ctx, &canary, a.coins("twin", k, i))
			return err
		})
		if err != nil {
			return err
		}
		for _, t := range plays {
			if a.c.Seed == 0 { // their noise could not be repeated
				a.noise.add(t)
			}
			a.exact.twins(t)
			if !canary.values {
				a.exact.transcript(t)
			}
		}
	}
	return nil
}

// twin plays one input with a daemon's noise, and the other input with the nodes that the first
// play drew. Everything that leaves must be equal.
func (a *auditor) twin(ctx context.Context, canary *Canary, coins node.Seed) (*transcript, error) {
	p := play{canary: canary, coins: coins, restart: true, keep: true}
	if canary.taken && canary.setting.spec.Privacy.NoisedCounts() {
		p.restart = false // a twin has the first play's sums with its own numbers of records, which no store would have
	}
	first, err := p.run(ctx)
	if err != nil {
		return nil, err
	}
	if first.departs != nil {
		return first, nil
	}
	p.side, p.given = 1, first
	first.twin, err = p.run(ctx)
	return first, err
}

// many plays both histories of every canary many times with noise of their own.
func (a *auditor) many(ctx context.Context) error {
	all := a.c.all()
	for k := range all {
		canary := &all[k]
		var sides [2][]playScores
		for from := 0; from < canary.runs; from += chunk {
			n := min(chunk, canary.runs-from)
			plays := make([]*transcript, 2*n)
			err := a.parallel(ctx, len(plays), func(i int) (err error) {
				plays[i], err = a.one(ctx, canary, i%2, a.coins("many", k, from+i/2), (from+i/2)%restartShare == 0)
				return err
			})
			if err != nil {
				return err
			}
			for i, t := range plays {
				if i%2 == 1 && canary.setting.trafficIsFixed() {
					a.exact.sameTraffic(canary.Name, plays[i-1], t)
				}
				a.noise.add(t)
				a.exact.transcript(t)
				canary.Bound.Charged = t.measure().charged(&t.charge)
				canary.Bound.Reach = max(canary.Bound.Reach, t.reach())
				sides[i%2] = append(sides[i%2], t.scores())
			}
		}
		canary.Bound.find(sides, measure(a.c.Spec.Privacy.Mechanism.Law()), len(all))
		a.found = append(a.found, *canary)
	}
	return nil
}

// one plays one history of a canary.
func (a *auditor) one(ctx context.Context, canary *Canary, side int, coins node.Seed, restart bool) (*transcript, error) {
	p := play{canary: canary, side: side, coins: coins, restart: restart}
	if a.c.Seed != 0 {
		p.noise = func(peer int) *dp.Source {
			return node.Seed(coins.Of(fmt.Sprintf("side %d peer %d", side, peer))).Noise()
		}
	}
	return p.run(ctx)
}

// parallel calls f for 0 … n-1, with as many concurrent calls as there are processors.
func (a *auditor) parallel(ctx context.Context, n int, f func(i int) error) error {
	return stats.Each(ctx, n, func(_ context.Context, i int) error {
		err := f(i)
		if a.c.Progress != nil {
			a.c.Progress(1)
		}
		return err
	})
}
