// Package ledger is the account of what a peer charged and what it released, in a form
// that others can check.
//
// A ledger only grows. Every record is one line of JSON in its one canonical form
// and names the hash of the line before, so that no line can be changed, taken out,
// put in or moved without all later ones changing too. An export ends with the
// peer's signature of the last hash. [Verify] needs only the file and recomputes
// everything in integers. docs/ledger.md is the format.
//
// Everything in a ledger is public: charges, and releases with their noise.
package ledger
