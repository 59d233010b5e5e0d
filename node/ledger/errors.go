package ledger

import "errors"

// What is wrong with a line or its place. Each text explains how to read it.
var (
	ErrForm  = errors.New("not as a peer writes it, so the line was edited or damaged, or is of another build")
	ErrChain = errors.New("lines were changed, taken out, put in or moved")
)
