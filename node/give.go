package node

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Give says which decisions of a site are given to the network: their choices follow from releases alone, and their
// rewards enter noised sums. All others are kept; see package kept. The zero Give gives all.
type Give string

// The ways to give.
const (
	GiveAll  Give = "all"
	GiveFew  Give = "few"  // as a [bandit.Giver] says
	GiveNone Give = "none" // the site listens
)

// Keeps reports whether some decisions are kept.
func (g Give) Keeps() bool { return g == GiveFew || g == GiveNone }

// A Given is the choice of a given decision. Only this package makes one, so that no choice which follows from kept
// rewards reaches an agent.
type Given struct{ choice bandit.Choice }

// Arm returns the arm.
func (g Given) Arm() bandit.Arm { return g.choice.Arm }

// Ruled returns the choice of a rule that reads no reward, of the application, or of a given decision that is repeated
// from a log. A test lists the files that may call it.
func Ruled(arm bandit.Arm) Given { return Given{bandit.Choice{Arm: arm}} }

// Gives reports whether the next decision is to be given. It follows from what was released by the end of the last
// round and from given decisions since: kept ones cannot move it.
func (a *Agent) Gives() bool { return a.gives }

// Keeps reports whether some decisions are not the agent's.
func (a *Agent) Keeps() bool { return a.keeps }

// wish asks the rule whether it wants another decision. It wants none of arms that are absent.
func (a *Agent) wish() {
	if a.giver == nil {
		return
	}
	b := *a.Belief()
	if _, ok := a.giver.(*bandit.Gift); ok && len(a.absent) > 0 {
		b.Pulls = slices.Clone(b.Pulls)
		for _, k := range a.absent {
			b.Pulls[k] = math.MaxUint64
		}
	}
	a.gives = a.giver.Wants(&b)
}

// Rows are a copy of what all sites have released, by part, as of the end of a round. Kept choices follow from the
// copy: to ask the agent itself is a step of the agent.
type Rows struct {
	Sites   [][]belief.Site
	Version []uint64 // of each part, from 1; grows when a part changes
	means   belief.Means
}

// Rows returns the copy, which is valid until the next step. It is empty if all decisions are given.
func (a *Agent) Rows() *Rows { return &a.rows }

// copy copies the parts that have changed, and reports whether there are any.
func (r *Rows) copy(b *bandit.Belief) (changed bool) {
	if r.Sites == nil {
		r.Sites, r.Version = make([][]belief.Site, len(b.Sites)), make([]uint64, len(b.Sites))
		r.means = belief.NewMeans(len(b.SampleVar), len(b.X)/len(b.SampleVar))
	}
	for k := range b.Sites {
		if r.means.Replace(&b.Means, k) {
			r.Sites[k], changed = belief.Copy(r.Sites[k], b.Sites[k]), true
			r.Version[k]++
		}
	}
	return changed
}

// scale returns the scale of the Laplace noise in a draw that counts one record of a user.
func (p Privacy) scale() float64 {
	if p.Budget.Epsilon >= dp.Infinite {
		return 0
	}
	return float64(p.RecordsPerUser) / p.Budget.Epsilon.Float()
}

// giver returns the rule of giving of a peer whose statistic this is; nil unless it gives few decisions. A [bandit.Gift]
// is the learner of given decisions, too.
func (s *Spec) giver(self protocol.Peer, of bandit.Statistic) bandit.Giver {
	switch {
	case s.Give != GiveFew:
		return nil
	case of.Kind == bandit.Sum:
		sites := s.Sites
		if sites == 0 {
			sites = protocol.Learners(s.Protocol, s.Peers())
		}
		return bandit.NewGift(s.Arms, sites, int(self), s.Privacy.scale())
	}
	return bandit.NewLinearGift(of.Dim)
}

// LeastSites returns the least [Spec.Sites] for which sites that give few decisions give any, and whether there is one.
func (s *Spec) LeastSites() (sites int, ok bool) {
	of, err := s.Statistic()
	if err != nil || s.Give != GiveFew || of.Kind != bandit.Sum {
		return 0, true
	}
	return bandit.LeastSites(s.Arms, s.Privacy.scale())
}

// Keeping is what the kept half of a peer is made of.
type Keeping struct {
	Learner bandit.Learner
	Records dp.Spec // shape and bounds of own records, which have no noise
	Most    float64 // records of a part that another site can have released; +Inf for any number
}

// Kept returns what the kept half of a peer is made of.
func (s *Spec) Kept(self protocol.Peer, coins Coins) (k Keeping, err error) {
	exact := *s
	exact.Privacy.Budget.Epsilon, exact.Privacy.Adjacency = dp.Infinite, 0 // no noise, in sums or counts
	if k.Learner, err = exact.learner(self, coins); err != nil {
		return k, err
	}
	k.Records = exact.Privacy.Streams(k.Learner.Statistic(), s.Protocol.Cadence())
	k.Most = math.Inf(1)
	if g := s.giver(self, k.Learner.Statistic()); g != nil {
		k.Most = g.Most()
	}
	return k, nil
}

// Giving returns the protocol with the batches that the rule of giving wants.
func (s *Spec) Giving() (protocol.Params, error) {
	g, ok := s.Protocol.(protocol.Growing)
	if s.Give != GiveFew || !ok {
		return s.Protocol, nil
	}
	statistic, err := s.Statistic()
	if err != nil {
		return nil, err
	}
	return g.Batches(max(1, s.giver(0, statistic).First())), nil
}

// CheckGive returns an error if sites cannot keep decisions in the network.
func (s *Spec) CheckGive() error {
	l, err := s.NewLearner(Coins{})
	if err != nil {
		return err
	}
	return s.suitsGive(l)
}

// suitsGive returns an error if sites with a learner cannot keep decisions.
func (s *Spec) suitsGive(l bandit.Learner) error {
	by, ok := l.(bandit.BySite)
	_, phased := l.(bandit.Phased)
	switch {
	case !s.Give.Keeps():
		return nil
	case phased:
		return errors.New("node: a site keeps decisions outside of epochs, and the learner explores in them")
	case s.Peers() > 1 && (!ok || !by.NeedsSites()):
		return errors.New("node: a site that keeps decisions weighs what each other site releases, as learners personalized and personalized-linear do")
	case s.Give == GiveFew && s.Protocol.Cadence().First == 0: // so never with noised counts, which its decisions would show
		return fmt.Errorf("node: a site gives few decisions in batches that grow, which protocols phases, batch and local have, and protocol %s has not", s.Protocol.Words().Name)
	}
	return nil
}
