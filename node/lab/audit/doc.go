// Package audit tests the promise of docs/privacy.md on the peers' own code: it plays small
// networks of real Agents many times over two histories that differ in one user's rewards,
// records every frame, and looks for more than the promise allows.
//
// It asks three questions. Do the frames depend only on what was drawn and on public coins: is a
// play over the other history, given the nodes drawn in the first, the same byte for byte? How
// well can the histories be distinguished by what was drawn and sent: what is the lower bound on
// ε, or on μ? And does the noise have the distribution that the ledger charges for? docs/audit.md
// explains them, and what they cannot show.
package audit
