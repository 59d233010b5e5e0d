package printed

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

// known returns a belief in which every arm has a mean and 1000 rewards.
func known(means ...float64) *bandit.Belief {
	b := belief.New(len(means), 1)
	for k, x := range means {
		b.X[k], b.SampleVar[k], b.Pulls[k] = x, 1./1000, 1000
	}
	return &b
}

// each calls f with every learner by an index, which chooses among three arms of three peers.
func each(t *testing.T, f func(*testing.T, bandit.Learner)) {
	for _, p := range Learners() {
		if bandit.TraitsOf(p).Phased || bandit.TraitsOf(p).Contextual {
			continue
		}
		t.Run(p.Words().Name, func(t *testing.T) {
			l, err := bandit.New(p, bandit.Config{Arms: 3, Peers: 3, Horizon: 10_000, Epsilon: math.Inf(1), Rand: rand.New(rand.NewPCG(1, 2))})
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := l.(bandit.BySite); ok { // beliefs here have no sites
				return
			}
			f(t, l)
		})
	}
}

// TestAnArmThatAPeerIsAheadOfCountsByItsMean: it is pulled if it looks best, and not to find out
// more.
func TestAnArmThatAPeerIsAheadOfCountsByItsMean(t *testing.T) {
	each(t, func(t *testing.T, l bandit.Learner) {
		for _, c := range []struct {
			x     float64
			ahead bool
			want  bandit.Arm
		}{{.45, false, 1}, {.45, true, 0}, {.8, true, 1}} {
			b := known(.5, c.x, .1)
			b.SampleVar[1], b.Ahead[1] = 1./3, c.ahead
			if got := l.Choose(b, bandit.Turn{Round: 1000}).Arm; got != c.want {
				t.Errorf("a mean of %v, ahead %v: arm %d, want %d", c.x, c.ahead, got, c.want)
			}
		}
	})
}

// TestANewArmGetsItsShareWhileRewardsWait: an unknown arm comes first for a while, and then in one
// of as many rounds as there are arms; if no arm is known, the least pulled one comes first.
func TestANewArmGetsItsShareWhileRewardsWait(t *testing.T) {
	each(t, func(t *testing.T, l bandit.Learner) {
		b, n := known(.9, .1, .5), 0
		b.SampleVar[2], b.Pulls[2] = math.Inf(1), 0
		for round := range uint64(3000) {
			if l.Choose(b, bandit.Turn{Round: 5000 + round}).Arm == 2 {
				n++
				b.Pulls[2]++
			} else if round < 64 {
				t.Fatalf("round %d: a new arm waits", round)
			}
		}
		if n < 1000 || n > 1064 {
			t.Errorf("a new arm is chosen %d times of 3000, while nothing is known of it", n)
		}
		b.SampleVar[0], b.SampleVar[1] = math.Inf(1), math.Inf(1)
		b.Pulls[0], b.Pulls[1], b.Pulls[2] = 1001, 1000, 1001
		if got := l.Choose(b, bandit.Turn{Round: 1}).Arm; got != 1 {
			t.Errorf("arm %d, of three of which nothing is known, want the least pulled", got)
		}
	})
}
