package account

import (
	"fmt"
	"math"
)

// Calibration is the theorem by which Gaussian noise is chosen for (ε, δ).
type Calibration uint8

// The calibrations, the tightest first. Printed formulas are kept for comparison.
const (
	Analytic   Calibration = iota // the exact curve of μ (Balle and Wang 2018)
	CKS                           // ρ by Canonne, Kamath and Steinke (2020), valid for discrete noise of any scale
	BunSteinke                    // ρ by ε = ρ + 2√(ρ·ln 1/δ) (Bun and Steinke 2016)
	Papers                        // ρ = ε²/4(ln(1/δ)+ε), as in papers on linear bandits
	Classical                     // σ = Δ√(2·ln(1.25/δ))/ε (Dwork and Roth 2014), proven only for ε < 1
)

// String returns the name of the calibration.
func (c Calibration) String() string {
	switch c {
	case Analytic:
		return "analytic"
	case CKS:
		return "CKS"
	case BunSteinke:
		return "Bun-Steinke"
	case Papers:
		return "papers"
	case Classical:
		return "classical"
	}
	return fmt.Sprintf("Calibration(%d)", uint8(c))
}

// Sigma returns the deviation of the noise that makes one release of an L2 sensitivity
// (ε, δ)-private by the calibration's theorem, rounded up.
func (c Calibration) Sigma(epsilon, delta, sensitivity float64) (float64, error) {
	if err := within("epsilon", epsilon, 1e-9, maxEpsilon); err != nil {
		return 0, err
	}
	if err := probability(delta); err != nil {
		return 0, err
	}
	if err := within("sensitivity", sensitivity, 1e-9, 1e9); err != nil {
		return 0, err
	}
	log := -math.Log(delta)
	var sigma float64
	switch c {
	case Analytic:
		mu, err := MuFor(epsilon, delta)
		if err != nil {
			return 0, err
		}
		sigma = 1 / float64(mu)
	case CKS:
		rho, err := RhoFor(epsilon, delta)
		if err != nil {
			return 0, err
		}
		sigma = 1 / math.Sqrt(2*float64(rho))
	case BunSteinke:
		sigma = (math.Sqrt(log+epsilon) + math.Sqrt(log)) / epsilon / math.Sqrt2
	case Papers:
		sigma = math.Sqrt(2*(log+epsilon)) / epsilon
	case Classical:
		sigma = math.Sqrt(2*(math.Log(1.25)+log)) / epsilon
	default:
		return 0, fmt.Errorf("%w: unknown %v", ErrRange, c)
	}
	return sensitivity * sigma * (1 + 0x1p-49), nil
}
