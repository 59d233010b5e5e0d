// Package ledger records what a peer charged and what it released, in a form that others can
// check.
//
// A ledger only grows. Every record is one line of JSON in its one canonical form and contains
// the hash of the line before, so that changing, removing, inserting or moving a line changes all
// later ones. An export ends with the peer's signature of the last hash. Package check needs only the
// file and recomputes everything in integers. docs/ledger.md describes the format.
//
// Everything in a ledger is public: charges, and releases with their noise.
package ledger
