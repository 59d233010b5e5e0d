package printed

import (
	"math"

	"peerd.dev/bandit"
	"peerd.dev/bandit/gram"
	"peerd.dev/bandit/linear"
)

// LinearIndex names the index of [LinUCBParams].
type LinearIndex string

// The indices.
const (
	// PrintedIndex is the upper confidence bound printed in the paper that releases such records.
	// It is not proved as printed.
	PrintedIndex LinearIndex = "printed"
	// CalibratedIndex is [linear.CalibratedIndex].
	CalibratedIndex LinearIndex = "calibrated"
)

// LinearRecords names what [LinUCBParams] add up.
type LinearRecords string

// The records.
const (
	// WithSquares is Σ x xᵀ, Σ x y and Σ y², as the Privatizer of Dubey and Pentland (2020) releases
	// them. Nothing needs the last number, and a record moves it further than the others.
	WithSquares LinearRecords = "squares"
	// WithoutSquares is what the estimate needs, as Zhou and Chowdhury (2024) release it.
	WithoutSquares LinearRecords = "plain"
)

// LinUCBParams are the parameters of learner linucb-printed.
type LinUCBParams struct {
	Features int           `want:"1..120" fixed:"yes" doc:"Numbers of an action, with squares that sum to at most 1."`
	Index    LinearIndex   `want:"printed|calibrated" doc:"The paper's bound, which is not proved, or linucb's proved one."`
	Records  LinearRecords `want:"squares|plain" fixed:"yes" doc:"Released are products of features with each other and with rewards, as in paper 002 (plain), and squared rewards, as in paper 000 (squares)."`
}

// Words implements [bandit.Params].
func (LinUCBParams) Words() bandit.Words {
	return bandit.Words{Name: "linucb-printed", Summary: "chooses by features like linucb, with the records and the bounds of papers 000 and 002"}
}

// Traits implements [bandit.Traited].
func (p LinUCBParams) Traits() bandit.Traits {
	return bandit.Traits{Contextual: true, Inputs: bandit.Inputs{Action: p.Features}}
}

// Small implements [bandit.Shrinking], with few features.
func (p LinUCBParams) Small() bandit.Params {
	p.Features = min(p.Features, 3)
	return p
}

// New implements [bandit.Params].
func (p LinUCBParams) New(c bandit.Config) (bandit.Learner, error) {
	leaves, by, records := float64(max(1, c.Leaves)), linear.Estimator(linear.Ridge), bandit.Linear
	switch {
	case p.Index == CalibratedIndex:
	case p.Records == WithSquares:
		by = propositions2And4(float64(c.Peers), leaves)
	default:
		by = lemmaC4(leaves)
	}
	if p.Records == WithSquares {
		records = bandit.Corner
	}
	return linear.NewLinUCB(c, p.Features, records, by), nil
}

const (
	missed    = .01 // probability with which a radius may be too small at any time in a life
	rewardVar = .25 // bounds the variance of a reward in [0,1]
)

// lemmaC4 returns the estimate (V+λI)⁻¹B and the radius β that Zhou and Chowdhury (2024, Lemma
// C.4) print. Sums are over n records with noise of deviation σ, of sites that release K batches
// in their lives:
//
//	λ = max(1, σ(√d+√ln(K/α))),  β = √(2 ln(2/α) + d ln(1+n/(dλ))) + √λ.
//
// They leave constants open; here they are 1, which is not proved: λ must bound the norm of the
// noise, and also cover the noise in B. Eigenvalues of V+λI below 1 are raised to 1.
func lemmaC4(leaves float64) linear.Estimator {
	return func(g gram.Gram, n float64) (e gram.Estimate, beta float64, ok bool) {
		d := float64(g.V.SymmetricDim())
		lambda := max(1, math.Sqrt(g.Noise.Diagonal)*(math.Sqrt(d)+math.Sqrt(math.Log(leaves/missed))))
		e, ok = g.Estimate(func(eigenvalue, _ float64) (gain, precision float64) {
			precision = max(eigenvalue+lambda, 1)
			return 1 / precision, precision
		})
		return e, math.Sqrt(2*math.Log(2/missed)+d*math.Log(1+n/(d*lambda))) + math.Sqrt(lambda), ok
	}
}

// propositions2And4 returns the estimate H⁻¹B and the radius β that Dubey and Pentland (2020) print
// for sums of M sites that release K times each, with noise of deviation s in one site's sums:
//
//	Λ = s(4√d + 2 ln(2KM/α)),  H = V + 2MΛI,  κ = s(√d + 2 ln(2KM/α))/√Λ,
//	β = ½√(2 ln(2/α) + ln det H - d ln(MΛ)) + √(3MΛ) + κ√M,
//
// where rewards in [0,1] are ½-sub-Gaussian. In print, κ lacks a factor that Λ has, and ln det H
// has a factor of d that its proof does not have. Each site shifts its own noise, so the shifts
// add up to M times one site's, whereas the noise grows with √M. Without noise 2MΛ, MΛ and 3MΛ
// are 1, as in Abbasi-Yadkori et al. (2011).
func propositions2And4(peers, leaves float64) linear.Estimator {
	return func(g gram.Gram, _ float64) (e gram.Estimate, beta float64, ok bool) {
		d := float64(g.V.SymmetricDim())
		deviation, log := math.Sqrt(g.Noise.Diagonal/peers), 2*math.Log(2*leaves*peers/missed)
		norm := peers * deviation * (4*math.Sqrt(d) + log)
		shift, least, most, kappa := 2*norm, norm, 3*norm, 0.
		if norm > 0 {
			kappa = peers * deviation * (math.Sqrt(d) + log) / math.Sqrt(norm)
		} else {
			shift, least, most = 1, 1, 1
		}
		det := 0.
		e, ok = g.Estimate(func(eigenvalue, _ float64) (gain, precision float64) {
			precision = max(eigenvalue+shift, least)
			det += math.Log(precision / least)
			return 1 / precision, precision
		})
		return e, math.Sqrt(rewardVar*(2*math.Log(2/missed)+det)) + math.Sqrt(most) + kappa, ok
	}
}
