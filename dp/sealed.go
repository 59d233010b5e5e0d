package dp

import "fmt"

// Sealed is an encrypted Release: bytes that only the holder of a key can read,
// carried by peers who cannot.
type Sealed struct{ b []byte }

// MaxSealed bounds the length of a Sealed in bytes.
const MaxSealed = 1 << 15

// Bytes returns the ciphertext. It must not be written to.
func (s Sealed) Bytes() []byte { return s.b }

// ReceivedSealed makes a Sealed of what a peer sent. Like [Received] it is for
// the codec alone. It keeps b.
func ReceivedSealed(b []byte) (Sealed, error) {
	if len(b) == 0 || len(b) > MaxSealed {
		return Sealed{}, fmt.Errorf("%w: %d sealed bytes, want 1 to %d", ErrMalformed, len(b), MaxSealed)
	}
	return Sealed{b}, nil
}
