package gossip

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/libp2p/go-libp2p/core/peer"
)

// Sign returns the Ed25519 signature of domain, a zero byte and b. A domain names one use
// of the key, so that a signature is valid for one use only; it has no zero byte.
func (i Identity) Sign(domain string, b []byte) ([]byte, error) {
	if i.private == nil {
		return nil, errors.New("gossip: no key to sign with")
	}
	sig, err := i.private.Sign(append([]byte(domain+"\x00"), b...))
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	return sig, nil
}

// Verify reports whether sig is the signature that [Identity.Sign] returns with the key of an id.
func Verify(id, domain string, b, sig []byte) bool {
	p, err := peer.Decode(id)
	if err != nil {
		return false
	}
	key, err := publicKey(p)
	return err == nil && ed25519.Verify(key, append([]byte(domain+"\x00"), b...), sig)
}
