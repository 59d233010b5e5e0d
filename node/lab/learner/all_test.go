package learner

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
)

// early is how often an unknown arm comes first; see [bandit.Greatest].
const early = 64

// TestAnArmThatAPeerIsAheadOfCountsByItsMean, with every learner that has an index: it is pulled
// if it looks best, and not to find out more.
func TestAnArmThatAPeerIsAheadOfCountsByItsMean(t *testing.T) {
	indexed := 0
	for _, e := range All() {
		if x := bandit.TraitsOf(e); x.Phased || x.Contextual {
			continue
		}
		l := require.Value(bandit.New(e, bandit.Config{Arms: 2, Peers: 3, Rand: rand.New(rand.NewPCG(1, 2))}))(t)
		chosen := func(x, sampleVar float64, ahead bool) (n int) {
			b := known(1000, .5, x)
			b.SampleVar[1] = sampleVar
			b.Ahead[1] = ahead
			for round := range uint64(200) {
				if l.Choose(b, bandit.Turn{Round: 1000 + round}).Arm == 1 {
					n++
				}
			}
			return n
		}
		// The sampling learner takes an arm with a wide distribution half of the time.
		const little = 1. / 3 // almost nothing is known
		if n := chosen(.45, little, false); n < 50 || n < 2*chosen(.45, .001, false) {
			continue // another belief than this one guides it, or means alone
		}
		indexed++
		if n := chosen(.45, little, true); n > 20 { // a learner may sample the other arm's mean
			t.Errorf("%s: an arm to be left to others is chosen %d times of 200", e.Words().Name, n)
		}
		if n := chosen(.8, little, true); n < 180 { // or the best arm
			t.Errorf("%s: the best arm is chosen %d times of 200, if it is left to others to find out more", e.Words().Name, n)
		}
	}
	if indexed < 3 {
		t.Errorf("%d learners choose an uncertain arm, want 3 at least", indexed)
	}
}

// TestANewArmGetsItsShareWhileRewardsWait, with every learner that has an index: an unknown arm
// comes first, but not until it is known. In one of as many rounds as there are arms it has its
// turn; and if no arm is known, the least pulled one comes first.
func TestANewArmGetsItsShareWhileRewardsWait(t *testing.T) {
	first := 0
	for _, e := range All() {
		if x := bandit.TraitsOf(e); x.Phased || x.Contextual {
			continue
		}
		l := require.Value(bandit.New(e, bandit.Config{Arms: 3, Peers: 3, Rand: rand.New(rand.NewPCG(1, 2))}))(t)
		b := known(1000, .9, .1, .5)
		b.SampleVar[2], b.Pulls[2] = math.Inf(1), 0
		if l.Choose(b, bandit.Turn{Round: 5000}).Arm != 2 {
			continue // it guesses what an unknown arm pays
		}
		first++
		n := 0
		for round := range uint64(3000) {
			if a := l.Choose(b, bandit.Turn{Round: 5000 + round}).Arm; a == 2 {
				n++
				b.Pulls[2]++
			} else if round < early {
				t.Fatalf("%s: arm %d in round %d, and a new one waits", e.Words().Name, a, round)
			}
		}
		if n < 1000 || n > 1000+early {
			t.Errorf("%s: a new arm is chosen %d times of 3000, while nothing is known of it", e.Words().Name, n)
		}
		if a := l.Choose(b, bandit.Turn{Round: 1, Excluded: []bandit.Arm{0, 1}}).Arm; a != 2 {
			t.Errorf("%s: arm %d, of one", e.Words().Name, a)
		}
		b.SampleVar[0], b.SampleVar[1] = math.Inf(1), math.Inf(1)
		b.Pulls[0], b.Pulls[1], b.Pulls[2] = 1001, 1000, 1001
		for round := range uint64(3) {
			if a := l.Choose(b, bandit.Turn{Round: round}).Arm; a != 1 {
				t.Errorf("%s: arm %d, of three of which nothing is known, want the least pulled", e.Words().Name, a)
			}
		}
	}
	if first < 3 {
		t.Errorf("%d learners choose a new arm first, want 3 at least", first)
	}
}
