package sim_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// TestTracesAreGolden: decisions, releases, estimates and frames of seeded runs have the same
// bytes as when the tables were introduced, and as in the commit before: 8.3 MB with two
// protocols, with and without faults. A change that intends to change them states here what
// changed, and why: package forgeable makes the signatures, and with the former ones the hash is
// the former one, 500a83a5.
func TestTracesAreGolden(t *testing.T) {
	h := sha256.New()
	for _, params := range []protocol.Params{nil, plainRows()} {
		c := config(7, ring(5), 1500, []float64{.8, .5, .2}, []float64{.3, .9, .2})
		if params != nil {
			c.Spec.Protocol = params
		}
		for i := range 5 {
			c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(i)))
		}
		for _, faults := range []sim.Faults{{}, {Loss: .2, Delay: 3, Churn: .01}} {
			c.Faults = faults // the worlds continue
			for _, r := range simulated(t, c) {
				h.Write([]byte(r.String()))
			}
		}
	}
	const want = "5a049d458c872d70e24e8e14a9a88f5727d4d8987ded378c696b23558658846a"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("traces have the hash %s, want %s", got, want)
	}
}
