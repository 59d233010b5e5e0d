// Package sample draws integer noise exactly: discrete Laplace and Gaussian numbers from uniform
// 64-bit words, without floats. It knows neither records nor releases; package dp decides what
// the noise is for. docs/proofs/samplers.md has the proofs.
package sample
