package node

import "peerd.dev/bandit"

// An Insight is what a site's own releases show about its own users, for people to read: no choice and no message depends on
// it. It is fed with the beliefs of an agent and begins without any, so it knows what was released since it was made and not
// what an earlier process saw.
type Insight struct {
	self    int
	absent  []bandit.Arm
	closed  bool // the agent's leaves do not add up, or it is idle: there is nothing to see
	drift   bandit.Drift
	best    bandit.Arm
	bounds  []bandit.Bound
	drifted []bandit.Arm
}

// Miss is the probability with which an [Insight] may ever be wrong about the best arm, and about changed ones.
const Miss = .05

// Insight returns an Insight into the agent's site, which has seen nothing yet.
func (a *Agent) Insight() Insight {
	return Insight{self: int(a.self), absent: a.absent, closed: a.Idle() || !a.addsUp, best: bandit.NoArm}
}

// See takes in what is released by now. It is called after every round.
func (i *Insight) See(b *bandit.Belief) {
	if !i.closed {
		i.best, i.drifted, i.bounds = bandit.Best(b, i.self, i.absent, Miss), i.drift.Watch(b, i.self, Miss), bandit.Bounds(b, i.self, Miss)
	}
}

// Best returns the arm that is best for the site's own users, as far as its own releases show it with an error of at most 5 %
// at all times together; else bandit.NoArm. See [bandit.Best].
func (i *Insight) Best() bandit.Arm { return i.best }

// Bounds returns bounds of the means of all arms for the site's own users; nil if there is nothing to see. See [bandit.Bounds].
func (i *Insight) Bounds() []bandit.Bound { return i.bounds }

// Drifted returns the arms whose mean for the site's own users has changed, as its own releases show it with an error of at most
// 5 % at all times together. See [bandit.Drift].
func (i *Insight) Drifted() []bandit.Arm { return i.drifted }
