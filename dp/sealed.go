package dp

import (
	"fmt"

	"peerd.dev/internal/vouch"
)

// Sealed is an encrypted Release: bytes that only the holder of a key can read,
// carried by peers who cannot.
type Sealed struct{ b string }

// MaxSealed bounds the length of a Sealed in bytes.
const MaxSealed = 1 << 15

// Bytes returns a copy of the ciphertext.
func (s Sealed) Bytes() []byte { return []byte(s.b) }

// ReceivedSealed makes a Sealed of a copy of what a peer sent. Like [Received], it is only for
// the codec.
func ReceivedSealed(sent vouch.Value[[]byte]) (Sealed, error) {
	b := sent.Get()
	if len(b) == 0 || len(b) > MaxSealed {
		return Sealed{}, fmt.Errorf("%w: %d sealed bytes, want 1 to %d", ErrMalformed, len(b), MaxSealed)
	}
	return Sealed{string(b)}, nil
}
