// Package forgeable has keys that anyone can forge, for networks without forgers.
package forgeable

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"math/rand/v2"

	"peerd.dev/protocol"
)

// Keys are the keys of a peer: digests of the peer and the text. They have the lengths of real
// signatures and sealed texts and fail like them, a hundred times faster. The same input gives the
// same output, so that runs repeat byte for byte.
type Keys protocol.Peer

var _ protocol.Keys = Keys(0)

// Sign implements [protocol.Keys].
func (k Keys) Sign(b []byte) []byte { return digest(k, b) }

// Verify implements [protocol.Keys].
func (k Keys) Verify(p protocol.Peer, b, sig []byte) bool {
	return bytes.Equal(digest(Keys(p), b), sig)
}

// Seal implements [protocol.Keys].
func (k Keys) Seal(to protocol.Peer, b []byte) ([]byte, error) {
	tag := digest(Keys(to), b)[:protocol.SealOverhead]
	return append(tag, masked(Keys(to), tag, b)...), nil
}

// Open implements [protocol.Keys].
func (k Keys) Open(sealed []byte) ([]byte, error) {
	if len(sealed) >= protocol.SealOverhead {
		tag, rest := sealed[:protocol.SealOverhead], sealed[protocol.SealOverhead:]
		if b := masked(k, tag, rest); bytes.Equal(tag, digest(k, b)[:len(tag)]) {
			return b, nil
		}
	}
	return nil, errors.New("sealed for another peer, or changed")
}

// masked returns b under a mask that follows from the receiver and the tag.
func masked(to Keys, tag, b []byte) []byte {
	mask := rand.NewChaCha8(sha256.Sum256(digest(to, tag)))
	out := make([]byte, len(b))
	_, _ = mask.Read(out) // never fails
	for i, x := range b {
		out[i] ^= x
	}
	return out
}

func digest(p Keys, b []byte) []byte {
	h := sha512.Sum512(append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(b)), uint32(p)), b...))
	return h[:]
}
