package protocoltest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
)

// Three protocols on a ring that loses a tenth of its messages. In a test, pass it for t.
func ExampleNetwork() {
	var t testing.T
	for _, e := range papers.All() {
		name := e.Words().Name
		if !slices.Contains([]string{"phases", "average", "rows"}, name) {
			continue
		}
		n := protocoltest.New(&t, protocoltest.Setting{
			Params: protocol.Small(e, 2), Graph: protocoltest.Ring(5), Arms: 2, Rounds: 100, Mechanism: dp.None,
		})
		faults := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Lose: .1}
		for range 100 {
			n.Play(&t, func(i int) (arm int, reward float64) {
				arm = (i + int(n.Round)) % 2
				return arm, float64(arm) / 2
			})
			faults.Befall(n)
		}
		fmt.Printf("%s: peer 3 believes %.2f\n", name, n.Peers[3].Belief().X)
	}
	// Output:
	// phases: peer 3 believes [0.00 0.50]
	// rows: peer 3 believes [0.00 0.50]
	// average: peer 3 believes [0.00 0.50]
}
