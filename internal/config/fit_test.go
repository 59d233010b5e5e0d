package config

import (
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// TestTheFirstBatchFitsTheNoise: three times the scale of Laplace noise as wide as what a draw has,
// of either law, and k times as many rewards where a user has k.
func TestTheFirstBatchFitsTheNoise(t *testing.T) {
	for _, m := range []dp.Mechanism{dp.EachLaplace, dp.EachGaussian} {
		for _, records := range []uint64{1, 3, 20} {
			p := Privacy{Epsilon: .5, Mechanism: m.String(), RecordsPerUser: records, Horizon: 1000}
			if m.Law() == dp.Gaussian {
				p.Delta = 1e-6
			}
			s := Settings{Privacy: p}
			s.Protocol.Name = "phases"
			params, ok := s.ProtocolParams().(rows.PhasesParams)
			if !ok {
				t.Fatalf("%T", s.ProtocolParams())
			}
			promise := require.Value(p.promise(Lockstep))(t)
			charge := require.Value(promise.Streams(bandit.Statistic{Parts: 2, Dim: 1}, protocol.Cadence{First: 1, Growth: .5, Noun: "batch"}).Charge())(t)
			noise := dp.Noise{Law: m.Law(), Scale: charge.Scale, VarianceUnits: dp.VarianceScale}
			want := 3 * math.Sqrt(noise.Variance()/2) / (1 << 20)
			if got := float64(params.First); math.Abs(got-want) > 1 || records == 1 && m == dp.EachLaplace && got != 6 {
				t.Errorf("%v, %d records of a user: first %v, want %.2f", m, records, got, want)
			}
		}
	}
}
