package account

// Rho is the parameter of zero-concentrated differential privacy (Bun and Steinke 2016): the
// Rényi divergence of every order α between neighbours is at most αρ. Discrete Gaussian noise has
// exactly ρ = Δ²/2σ² in any dimension, whereas its μ is exact only up to the lattice. Over
// releases ρ adds.
type Rho float64
