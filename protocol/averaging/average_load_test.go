package averaging

import (
	"errors"
	"math/rand/v2"
	"testing"

	"peerd.dev/dp/averages"
	"peerd.dev/protocol"
)

// TestAverageRefusesStatesThatNoMessageMakes: a claim of another number of counts would
// panic at the next rank, and an answer of another kind would leave as a message.
func TestAverageRefusesStatesThatNoMessageMakes(t *testing.T) {
	fresh := func() *average {
		p, err := protocol.New(AverageParams{Consistency: Robust, F: 1, Rate: .2, Patience: 8}, protocol.Config{
			Graph: [][]protocol.Peer{{1}, {0}}, Parts: 2, Width: 1, Rand: rand.New(rand.NewPCG(1, 1)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return p.(*average)
	}
	for name, damage := range map[string]func(a *average){
		"claim":  func(a *average) { a.claims[0], a.unranked = averages.NewCounts(1).Release(), true },
		"values": func(a *average) { a.claims[0] = averages.NewMixed(2, 2).Release() },
		"answer": func(a *average) { a.links[0].answer = averageAsk },
		"large":  func(a *average) { a.links[0].answer = protocol.FirstFree },
	} {
		a := fresh()
		damage(a)
		saved, err := a.Save()
		if err != nil {
			t.Fatal(err)
		}
		if err = fresh().Load(saved); !errors.Is(err, protocol.ErrState) {
			t.Errorf("%s: %v, want %v", name, err, protocol.ErrState)
		}
	}
}
