package bandit

// Support is what the estimates of a [Summary] rest on: rewards of the peer's own site, and what other
// sites have released. It follows from a Belief, as estimates do.
type Support struct {
	Own      []float64 // by arm: own rewards that are released
	Borrowed []float64 // by arm: rewards of other sites that are released; if sites are weighed, the own rewards that would say as much
	Sites    []int     // by arm: other sites that have released some of its rewards
	Alike    []Distance
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
// means of sites, if the Belief has these; otherwise nothing is known.
func SupportOf(l Learner, b *Belief, self int) (s Support) {
	if l, ok := l.(Supported); ok {
		return l.Support(b)
	}
	if l.Statistic().Kind != Sum { // all arms rest on the same sums
		return Support{}
	}
	known := false
	for _, sites := range b.Sites {
		own, borrowed, others := 0., 0., 0
		for i := range sites {
			known = true
			if sites[i].Peer == self {
				own = sites[i].Released
				continue
			}
			borrowed += sites[i].Released
			others++
		}
		s.Own, s.Borrowed, s.Sites = append(s.Own, own), append(s.Borrowed, borrowed), append(s.Sites, others)
	}
	if !known {
		return Support{}
	}
	return s
}
