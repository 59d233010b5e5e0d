package bundle

import "fmt"

// Kind names a kind of fault. docs/bundle.md says what each is about.
type Kind string

// The kinds of faults.
const (
	Form       Kind = "form"
	Hash       Kind = "hash"
	Signature  Kind = "signature"
	LedgerBad  Kind = "ledger"
	NetworkBad Kind = "network"
	Terms      Kind = "terms"
	PageBad    Kind = "page"
	BuildBad   Kind = "build"
	Receipt    Kind = "receipt"
	Clock      Kind = "clock"
)

// A Fault is what is wrong with a bundle.
type Fault struct {
	Kind Kind
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("fault: %s: %v", f.Kind, f.Err) }

// Unwrap returns Err.
func (f *Fault) Unwrap() error { return f.Err }

func fault(k Kind, format string, args ...any) error { return &Fault{k, fmt.Errorf(format, args...)} }
