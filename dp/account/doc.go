// Package account says what a privacy loss means and how losses add up: pure ε, the μ of Gaussian
// differential privacy, ρ-zCDP, and (ε, δ).
//
// All rounding is conservative: a δ, an ε or a cost comes out a little too large; a μ, a ρ or the
// number of releases that a budget allows, a little too small. Budgets are integers, nano-ε and
// nano-μ². NaN, infinities and numbers out of range are refused, and never returned.
//
// Formulas, sources and numerical care are in docs/proofs/account.md.
package account
