package sim

import (
	"math"

	"peerd.dev/protocol"
)

// Pay names which rewards a liar claims for arms.
type Pay string

// The claims of rewards. The empty Pay is PayHonest.
const (
	PayHonest   Pay = "honest"
	PayInside   Pay = "inside"   // 1 for the worst arm over all sites and 0 for all others
	PayOutside  Pay = "outside"  // 1,000 for the worst arm and -1,000 for all others
	PayFork     Pay = "fork"     // PayInside to peers of even number, and the truth to others
	PayReversed Pay = "reversed" // 1 minus the truth
	PayLate     Pay = "late"     // the truth for half of the rounds, and then PayReversed
	PayDrift    Pay = "drift"    // a mean that moves evenly from the truth to PayReversed
	PaySwapped  Pay = "swapped"  // the means over all sites of the best and the worst arm, exchanged, as all liars say, and the truth of others
	PayNear     Pay = "near"     // for the best arm over all sites .03 less than the second best one pays, and the truth of others
	PayCopycat  Pay = "copycat"  // PayNear for the best arm, and for others the newest means of the first honest peer, so that the liar seems to be like it
	PayPatient  Pay = "patient"  // the newest means of the first honest peer for a twentieth of the rounds, and then PayNear
)

// below is by how much a liar puts the best arm below the second best one with PayNear.
const below = .03

// copies is the share of all rounds for which a liar copies another peer with PayPatient.
const copies = .05

// pay returns what arm k pays according to the lie, or false for the truth, which is a mean.
func (l *liar) pay(k int, even bool, t protocol.Round, honest float64) (float64, bool) {
	switch past := float64(t) / float64(l.rounds); {
	case l.Pay == PayInside, l.Pay == PayFork && even:
		if k == l.worst {
			return 1, true
		}
		return 0, true
	case l.Pay == PayOutside:
		if k == l.worst {
			return 1000, true
		}
		return -1000, true
	case l.Pay == PayReversed, l.Pay == PayLate && past >= .5:
		return 1 - honest, true
	case l.Pay == PayDrift:
		return honest + past*(1-2*honest), true
	case l.Pay == PaySwapped && k == l.best && l.truth != nil:
		return l.truth[l.worst], true
	case l.Pay == PaySwapped && k == l.worst && l.truth != nil:
		return l.truth[l.best], true
	case l.Pay == PayPatient && past < copies:
		return l.copied(k)
	case (l.Pay == PayNear || l.Pay == PayCopycat || l.Pay == PayPatient) && k == l.best && l.truth != nil:
		return max(0, l.truth[l.second]-below), true
	case l.Pay == PayCopycat:
		return l.copied(k)
	}
	return 0, false
}

// copied returns the newest mean of arm k that the liar has heard from the peer that it copies, or false if there is none.
func (l *liar) copied(k int) (float64, bool) {
	if l.copy == nil || math.IsNaN(l.copy[k]) {
		return 0, false
	}
	return l.copy[k], true
}

// follow records the means in a message, if they are of the honest peer with the least number that was heard. Noise
// can move them out of [0, 1], where they would not be accepted as means of more rewards.
func (l *liar) follow(m *protocol.Message) {
	if l.Pay != PayCopycat && l.Pay != PayPatient {
		return
	}
	origin := m.Label().Origin
	if l.Is(int(origin), l.peers) || l.copy != nil && origin > l.victim {
		return
	}
	for i := range m.Body() {
		r := m.Release(i)
		if r.Counts() == 0 {
			continue
		}
		if l.copy == nil || origin < l.victim {
			l.victim, l.copy = origin, make([]float64, l.arms)
			for k := range l.copy {
				l.copy[k] = math.NaN()
			}
		}
		for k := range r.Len() {
			arm, n := int(r.Stream())+k, r.Count(min(k, r.Counts()-1))
			if arm < l.arms && n > 0 {
				l.copy[arm] = min(max(r.At(k)/float64(n), 0), 1)
			}
		}
	}
}

// withholds reports whether the liar does not send a message of its own.
func (l *liar) withholds(m *protocol.Message) bool {
	return l.Messages == MessagesSilent ||
		l.Messages == MessagesWithheld && m.Label().Origin == l.self && m.Body() > 0 && int(m.Release(0).Stream()) == l.best
}
