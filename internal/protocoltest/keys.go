package protocoltest

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"

	"peerd.dev/protocol"
)

// Keys stand in for signatures: a digest of the signer and the bytes. They have a signature's
// length and fail like one, a hundred times faster. Anyone can forge them.
type Keys protocol.Peer

// Sign implements [protocol.Keys].
func (k Keys) Sign(b []byte) []byte { return digest(protocol.Peer(k), b) }

// Verify implements [protocol.Keys].
func (k Keys) Verify(p protocol.Peer, b, sig []byte) bool { return bytes.Equal(digest(p, b), sig) }

func digest(p protocol.Peer, b []byte) []byte {
	h := sha512.Sum512(append(binary.BigEndian.AppendUint32(nil, uint32(p)), b...))
	return h[:]
}
