package bandit

import "peerd.dev/bandit/belief"

// Support is what the estimates of a [Summary] rest on: rewards of the peer's own site, and what other
// sites have released. It follows from a Belief, as estimates do.
type Support struct {
	Own      []float64 // by arm: own rewards that are released
	Borrowed []float64 // by arm: rewards of other sites that are released; if sites are weighed, the own rewards that would say as much
	Sites    []int     // by arm: other sites that have released some of its rewards
	Alike    []Distance
	Weights  []Weight // by peer; shorter if the last ones have none
}

// A Weight is how much rests on the site of a peer.
type Weight struct {
	Share   float64 // of the estimates: the site's weight in an arm's, from 0 to 1, as a mean over arms of which something is known
	Rewards float64 // that it has released, of all arms
}

// Weigh adds the share of a site in the estimate of one of some arms, and its released rewards.
func (s *Support) Weigh(peer int, share float64, arms int, rewards float64) {
	for peer >= len(s.Weights) {
		s.Weights = append(s.Weights, Weight{})
	}
	s.Weights[peer].Share += share / float64(arms)
	s.Weights[peer].Rewards += rewards
}

// reported returns the number of arms of which sites have released something.
func reported(sites [][]belief.Site) (arms int) {
	for _, arm := range sites {
		arms += min(1, len(arm))
	}
	return arms
}

// A Distance is how far a learner thinks another site is from the own one.
type Distance struct {
	Peer int
	Mean float64 // standard deviation between both sites' means of an arm, as the learner expects it
}

// A Supported is a Learner that knows better than [SupportOf] what its estimates rest on.
type Supported interface {
	Learner
	// Support returns what the estimates of Summarize rest on. No later choice depends on the call.
	Support(b *Belief) Support
}

// SupportOf returns what the estimates of a peer's learner rest on: of every arm, the rewards in the
// means of sites, which count equally, if the Belief has these; otherwise nothing is known.
func SupportOf(l Learner, b *Belief, self int) (s Support) {
	if l, ok := l.(Supported); ok {
		return l.Support(b)
	}
	if l.Statistic().Kind != Sum { // all arms rest on the same sums
		return Support{}
	}
	arms := reported(b.Sites)
	if arms == 0 {
		return Support{}
	}
	for _, sites := range b.Sites {
		own, borrowed, others := 0., 0., 0
		for i := range sites {
			s.Weigh(sites[i].Peer, 1/float64(len(sites)), arms, sites[i].Released)
			if sites[i].Peer == self {
				own = sites[i].Released
				continue
			}
			borrowed += sites[i].Released
			others++
		}
		s.Own, s.Borrowed, s.Sites = append(s.Own, own), append(s.Borrowed, borrowed), append(s.Sites, others)
	}
	return s
}
