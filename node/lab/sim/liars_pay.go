package sim

import "peerd.dev/protocol"

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
)

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
	}
	return 0, false
}

// withholds reports whether the liar does not send a message of its own.
func (l *liar) withholds(m *protocol.Message) bool {
	return l.Messages == MessagesSilent ||
		l.Messages == MessagesWithheld && m.Label().Origin == l.self && m.Body() > 0 && int(m.Release(0).Stream()) == l.best
}
