package explain

import (
	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/protocol"
)

// A leastNoiseDoc names the mechanism with the least noise for a budget and a horizon.
type leastNoiseDoc struct {
	Mechanism string  `json:"mechanism"`
	Ratio     float64 `json:"sd_ratio"` // its deviation divided by the settings' deviation, over all leaves
}

// leastNoise opens the charge of every mechanism that the budget of these settings can pay for,
// and compares the mean variance of their sums with n's.
func leastNoise(s *config.Settings, n noise) leastNoiseDoc {
	best := leastNoiseDoc{Mechanism: s.Privacy.Mechanism, Ratio: 1}
	of, _ := n.sums(s.Privacy.Rounds())
	for _, m := range dp.Mechanisms() {
		if m == dp.None || m.Describe().Papers || !protocol.Suits(s.ProtocolParams(), m) || m.Law() == dp.Gaussian && s.Privacy.Delta == 0 {
			continue
		}
		other := *s
		other.Privacy.Mechanism = m.String()
		charge, err := other.Charge()
		if err != nil { // it cannot be opened for this number of leaves
			continue
		}
		if sd, _ := newNoise(&other, charge).sums(s.Privacy.Rounds()); sd < best.Ratio*of*(1-1e-9) {
			best = leastNoiseDoc{Mechanism: m.String(), Ratio: sd / of}
		}
	}
	return best
}
