package plan

import (
	"fmt"
	"math"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/config"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
	"peerd.dev/protocol/shuffling"
)

// shuffleConstraints are about the noise of protocol shuffle.
func shuffleConstraints() []config.Constraint {
	return []config.Constraint{
		{Keys: []string{"protocol.shuffle.honest", "mode"}, Broken: func(s *config.Settings) string { // A live peer counts on its own noise alone.
			if p, ok := s.ProtocolParams().(shuffling.Params); ok && p.Honest > 1 && s.Mode == config.Live {
				return fmt.Sprintf("want 1 with %s: the budget of a live peer is a promise against shuffler and analyzer together", s.With("mode"))
			}
			return ""
		}},
		{
			Keys: []string{
				"protocol.shuffle.honest", "protocol.shuffle.sees", "protocol.shuffle.every", "experiment.noise", "privacy.epsilon", "privacy.delta", "privacy.mechanism",
				"privacy.horizon", "privacy.records_per_user", "privacy.adjacency", "learner.name",
			},
			Broken: func(s *config.Settings) string { // The noise of several sites, or of a paper, can be had.
				p, ok := s.ProtocolParams().(shuffling.Params)
				if !ok || s.Mode == config.Live && p.Honest > 1 || p.Honest == 1 && ExperimentOf(s).Noise == tightNoise { // said elsewhere, or no noise of others
					return ""
				}
				spec, err := s.Spec(make([][]protocol.Peer, TestnetOf(s).Nodes), "")
				if err != nil {
					return ""
				}
				spec.Privacy.Amend = nil
				streams, err := spec.Streams()
				if err == nil {
					_, err = shuffleSigma(s, p, streams)
				}
				return config.When(err != nil, "want 1, or other settings: %v", err)
			},
		},
	}
}

// amended returns what the streams of protocol shuffle are where several sites' noise counts, or a paper's is drawn. They cost more than
// the budget, which only [dp.Lockstep] pays.
func amended(s *config.Settings, p shuffling.Params) func(dp.Spec) dp.Spec {
	return func(spec dp.Spec) dp.Spec {
		if sigma, err := shuffleSigma(s, p, spec); err == nil { // else shuffleConstraints refuse the settings
			spec.Sigma, spec.Epsilon = sigma, account.Nano*1e6
		}
		return spec
	}
}

// shuffleSigma returns the deviation of a site's noise in protocol shuffle, in the units of sums.
func shuffleSigma(s *config.Settings, p shuffling.Params, spec dp.Spec) (float64, error) {
	epsilon, noise := spec.Epsilon.Float(), ExperimentOf(s).Noise
	switch {
	case spec.Mechanism != dp.TreeGaussian || spec.RecordsPerUser != 1 || p.Sees == shuffling.Reports && spec.Adjacency != dp.ReplaceOne:
		return 0, fmt.Errorf("noise of several sites, or of a paper, is for privacy.mechanism: %s and one record a user, which another replaces in reports", dp.TreeGaussian)
	case noise == provenNoise && p.Sees == shuffling.Sum:
		charge, err := spec.Charge()
		if err != nil {
			return 0, err
		}
		return printed.VectorSumProven(epsilon, spec.Delta, charge.Width(), spec.Leaves, p.Honest)
	case noise == provenNoise:
		return 0, fmt.Errorf("experiment.noise: %s is for protocol.shuffle.sees: %s", noise, shuffling.Sum)
	case noise == printedNoise && p.Sees == shuffling.Sum:
		return printed.VectorSum(epsilon, spec.Delta, spec.Dim, p.Honest)
	case noise == printedNoise:
		return printed.Amplified(epsilon, spec.Delta, spec.Leaves, s.Privacy.Rounds(), p.Honest)
	}
	charge, err := spec.Charge()
	if err != nil {
		return 0, err
	}
	sigma := float64(charge.Scale) * (1. / (1 << -dp.GridExponent))
	if p.Sees == shuffling.Sum { // docs/lab/proofs/shuffle.md: the sum of discrete Gaussians is one
		return sigma / math.Sqrt(float64(p.Honest)), nil
	}
	return p.Tree(p.Honest, spec.Leaves).Sigma(epsilon, spec.Delta, sigma*float64(shuffling.MuOfNode(&charge)))
}
