// Package check verifies exports of ledgers, and says what they show.
package check

import (
	"errors"
	"fmt"
)

// The kinds of a [Fault]. Each text explains how to read it.
var (
	ErrGenesis   = errors.New("the first record does not say whose ledger this is")
	ErrBuild     = errors.New("the program was not built as it is published, and may draw other noise than it states")
	ErrCharge    = errors.New("the charge is wrong, so the noise protects less than it says")
	ErrBudget    = errors.New("more is charged than the budget holds")
	ErrUnpaid    = errors.New("this was released, and no charge pays for it")
	ErrNoise     = errors.New("a release has other noise than was charged")
	ErrTwice     = errors.New("noise drawn twice for the same rewards averages away")
	ErrMissing   = errors.New("a release is not in the ledger")
	ErrOpening   = errors.New("this opens no release that is before it, or another one")
	ErrGap       = errors.New("the gap does not fit what is before it")
	ErrTruncated = errors.New("the file stops before its signed end; ask for a whole export")
	ErrSignature = errors.New("the peer's key did not sign this")
	ErrTrailing  = errors.New("nothing may follow the signed end")
)

// A Fault is the first thing that is wrong with an export.
type Fault struct {
	Line uint64 // of the file, from 1
	Err  error  // wraps one of the errors above, or of package ledger
}

// Error returns the line, what is wrong and how to read it.
func (f *Fault) Error() string { return fmt.Sprintf("line %d: %v", f.Line, f.Err) }

// Unwrap returns Err.
func (f *Fault) Unwrap() error { return f.Err }
