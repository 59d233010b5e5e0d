package sim

import (
	"bytes"

	"peerd.dev/node/lab/forgeable"
	"peerd.dev/protocol"
)

// mostSigned is how many signatures are remembered.
const mostSigned = 1 << 13

// A notary remembers what the peers of a run have signed, so that a message which all of them
// receive is not verified by each. Signatures that it does not remember are verified.
type notary map[string]deed // by signature

// A deed is what was signed, and by which peer.
type deed struct {
	by      protocol.Peer
	content []byte
}

// notarized are a peer's keys, whose signatures are remembered.
type notarized struct {
	protocol.Keys
	self   protocol.Peer
	notary notary
}

// Sign signs and remembers it.
func (k *notarized) Sign(b []byte) []byte {
	sig := k.Keys.Sign(b)
	if len(k.notary) >= mostSigned {
		clear(k.notary)
	}
	k.notary[string(sig)] = deed{k.self, bytes.Clone(b)}
	return sig
}

// Verify reports whether a peer has signed b.
func (k *notarized) Verify(p protocol.Peer, b, sig []byte) bool {
	if d, ok := k.notary[string(sig)]; ok && d.by == p && bytes.Equal(d.content, b) {
		return true
	}
	return k.Keys.Verify(p, b, sig)
}

// Seal implements [protocol.Keys] with keys that anyone can forge: real ones take more than half the time of a run, and draw what
// does not repeat.
func (k *notarized) Seal(to protocol.Peer, b []byte) ([]byte, error) {
	return forgeable.Keys(k.self).Seal(to, b)
}

// Open implements [protocol.Keys].
func (k *notarized) Open(sealed []byte) ([]byte, error) { return forgeable.Keys(k.self).Open(sealed) }
