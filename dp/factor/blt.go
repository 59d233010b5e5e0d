package factor

// A BLT is a buffered linear Toeplitz factorization (Dvijotham, McMahan, Pillutla,
// Steinke and Thakurta 2024): the coefficients of C are c_0 = 1 and
// c_k = Σ_j ω_j·θ_j^(k-1), so that a leaf needs one buffer for every j:
//
//	(C·x)_t = x_t + Σ_j ω_j·m_j, then m_j ← θ_j·m_j + x_t
//	B·y:      x̂_t = y_t - Σ_j ω_j·b_j, then b_j ← θ_j·b_j + x̂_t, and Σ x̂ is released
//
// (McMahan, Xu and Zhang 2024, Algorithms 2 and 3). Every choice of θ and ω is private with noise
// for its Column; they only affect the variance.
type BLT []Buffer

// A Buffer has a weight and a decay per leaf, both above 0 and below 1: θ = 1 - Decay. Decay is
// stored because θ is close to 1.
type Buffer struct{ Decay, Weight float64 }

// Factor returns θ and ω in units of 2^-64, rounded down, so that no coefficient is greater than
// the one in Column.
func (b Buffer) Factor() (theta, omega uint64) {
	return ^uint64(b.Decay * 0x1p64), uint64(b.Weight * 0x1p64)
}

// Column returns a bound of the squared norm of a column of C with n ≥ 1 leaves,
// 1 + Σ_ij ω_i·ω_j·(1-q^(n-1))/(1-q) with q = θ_i·θ_j.
func (b BLT) Column(n uint64) Norm {
	sum := 1.0
	for _, x := range b {
		for _, y := range b {
			sum += float64(float64(x.Weight*y.Weight) * geometric(both(x.Decay, y.Decay), n-1))
		}
	}
	return normOf(sum)
}

// both returns 1 - (1-g)·(1-h) without cancellation for small arguments.
func both(g, h float64) float64 { return g + float64(h*(1-g)) }

// geometric returns Σ q^k over k < n for q = 1 - gap from 0 to 1: (1-q^n)/(1-q), with 1-q^n by
// doubling. For a gap up to 1 every step adds a relative error of at most 3·2^-53 and does not
// increase earlier ones, so the error after 2·64 steps is below 2^-44.
func geometric(gap float64, n uint64) float64 {
	if gap == 0 {
		return float64(n)
	}
	all := 0.0
	for g := gap; n > 0; n >>= 1 {
		if n&1 == 1 {
			all = both(all, g)
		}
		g = both(g, g)
	}
	return all / gap
}
