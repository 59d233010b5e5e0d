package bandit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMEDSaysHowLikelyAChoiceWas: choices are as frequent as they are said to be, excluded arms are
// never chosen, and an unknown arm is chosen for certain.
func TestMEDSaysHowLikelyAChoiceWas(t *testing.T) {
	l, err := MEDParams{}.New(Config{Arms: 4, Peers: 3, Rand: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		t.Fatal(err)
	}
	b := known(100, .5, .55, .45, .9)
	turn := Turn{Round: 1000, Excluded: []Arm{3}}
	const n = 40_000
	var count, said [4]float64
	for range n {
		c := l.Choose(b, turn)
		count[c.Arm]++
		said[c.Arm] = c.Propensity
	}
	sum := 0.
	for k, p := range said {
		sum += p
		if math.Abs(count[k]-n*p) > 5*math.Sqrt(n*p*(1-p)) {
			t.Errorf("arm %d: chosen %v times of %d, said to have probability %v", k, count[k], n, p)
		}
	}
	if math.Abs(sum-1) > 1e-12 || said[3] > 0 {
		t.Errorf("probabilities %v", said)
	}
	if want := math.Exp(-100 * kl(.5, .55)); math.Abs(said[0]/said[1]-want) > 1e-6 {
		t.Errorf("arm 0 is %v times as likely as arm 1, want %v", said[0]/said[1], want)
	}
	b.SampleVar[2], b.Pulls[2] = math.Inf(1), 0
	if c := l.Choose(b, turn); c != (Choice{2, 1}) {
		t.Errorf("choice %v, want the unknown arm for certain", c)
	}
	// Means far below 0 take a lie. Even the greatest of them speaks against its arm.
	b = known(1e12, -1e6, -2e6, -1e6, -3e6)
	if c := l.Choose(b, turn); c.Arm != 0 && c.Arm != 2 || c.Propensity != .5 {
		t.Errorf("choice %+v, want arm 0 or 2 with probability 0.5", c)
	}
}
