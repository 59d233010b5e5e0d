package ledger

import (
	"crypto/ed25519"
	"fmt"
)

// Domain separates signatures of ledgers from all other signatures by a peer's key.
const Domain = "peerd/ledger/1"

// A Trailer ends an export: the peer's statement that these are all its records.
type Trailer struct {
	Records   uint64
	Head      Hash
	Signature [ed25519.SignatureSize]byte
}

func (t *Trailer) fields() []field {
	return []field{{"kind", new(kindEnd)}, {"records", &t.Records}, {"head", new(digits(t.Head[:]))}, {"signature", new(digits(t.Signature[:]))}}
}

// Signed returns what the signature covers, after the domain and a zero byte.
func (t *Trailer) Signed(network string) []byte {
	return fmt.Appendf(nil, "%s\x00%d\x00%v", network, t.Records, t.Head)
}

// Line returns the line of the trailer, without a newline.
func (t *Trailer) Line() ([]byte, error) { return write(nil, t.fields()) }

// ParseTrailer reads the line of a trailer.
func ParseTrailer(line []byte) (t Trailer, err error) {
	return t, read(line, func(k Kind) []field {
		if k != kindEnd {
			return nil
		}
		return t.fields()
	})
}
