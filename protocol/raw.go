package protocol

// Raw says what follows from records that are not released, which protects no user whose record is
// replaced; see docs/proofs/linear.md and docs/proofs/local.md. The zero Raw is nothing.
type Raw struct {
	Choices bool    // those within a batch
	News    float64 // how much of it in own records is worth a message; 0 if messages do not follow from it
}

// String returns it in words; empty for nothing.
func (r Raw) String() string {
	switch {
	case r.Choices && r.News > 0:
		return "choices and messages"
	case r.Choices:
		return "choices"
	case r.News > 0:
		return "messages"
	}
	return ""
}
