// Package amplification says what shuffling buys: how private a report is to an analyzer that receives the
// reports of many silos in a random order. It is arithmetic; docs/lab/proofs/shuffle.md has the proofs.
package amplification
