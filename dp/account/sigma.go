package account

// Sigma returns the deviation of the noise that makes one release of an L2 sensitivity (ε, δ)-private,
// by the exact curve of μ (Balle and Wang 2018), rounded up.
func Sigma(epsilon, delta, sensitivity float64) (float64, error) {
	if err := within("epsilon", epsilon, 1e-9, maxEpsilon); err != nil {
		return 0, err
	}
	if err := probability(delta); err != nil {
		return 0, err
	}
	if err := within("sensitivity", sensitivity, 1e-9, 1e9); err != nil {
		return 0, err
	}
	mu, err := MuFor(epsilon, delta)
	if err != nil {
		return 0, err
	}
	return sensitivity * (1 / float64(mu)) * (1 + 0x1p-49), nil
}
