package gossip

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hpke"
	"crypto/sha512"
	"fmt"
	"math/big"
	"slices"

	"peerd.dev/protocol"
)

// sealedText separates sealed texts from all others that a peer's key could open.
const sealedText = "peerd/sealed/1\x00"

// Seal encrypts b so that peer p alone can read it, in this network: HPKE (RFC 9180) in base mode with
// X25519, HKDF-SHA256 and ChaCha20-Poly1305. It refuses a peer that the network does not have, and a
// key with which a sealed text would be open to all.
func (k *Keyring) Seal(p protocol.Peer, b []byte) ([]byte, error) {
	if int64(p) >= int64(len(k.public)) {
		return nil, fmt.Errorf("gossip: no peer %d", p)
	}
	public, err := ecdh.X25519().NewPublicKey(montgomery(k.public[p]))
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	to, err := hpke.NewDHKEMPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	sealed, err := hpke.Seal(to, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), k.info, b)
	if err != nil {
		return nil, fmt.Errorf("gossip: the key of peer %d: %w", p, err)
	}
	return sealed, nil
}

// Open decrypts what was sealed for this peer in this network.
func (k *Keys) Open(sealed []byte) ([]byte, error) {
	b, err := hpke.Open(k.opens, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), k.info, sealed)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	return b, nil
}

// opening returns the key that opens what is sealed for the owner of an Ed25519 key: the scalar with
// which it signs (RFC 8032, 5.1.5).
func opening(private ed25519.PrivateKey) (hpke.PrivateKey, error) {
	h := sha512.Sum512(private.Seed())
	k, err := ecdh.X25519().NewPrivateKey(h[:32]) // X25519 sets the bits that RFC 8032 sets
	if err != nil {
		return nil, err
	}
	return hpke.NewDHKEMPrivateKey(k)
}

// montgomery returns the X25519 key of an Ed25519 key: u = (1+y)/(1-y) modulo 2^255 - 19 (RFC 7748, 4.1).
// The point y = 1 gives 0, which is of low order. The time that it takes depends on the key, which is public.
func montgomery(key ed25519.PublicKey) []byte {
	b := slices.Clone(key)
	slices.Reverse(b)
	b[0] &= 0x7f // the sign of x
	one := big.NewInt(1)
	p := new(big.Int).Lsh(one, 255)
	p.Sub(p, big.NewInt(19))
	y := new(big.Int).SetBytes(b)
	u := new(big.Int).Sub(one, y)
	u.Exp(u.Mod(u, p), new(big.Int).Sub(p, big.NewInt(2)), p) // the inverse, or 0 of 0
	u.Mul(u, y.Add(y, one)).Mod(u, p).FillBytes(b)
	slices.Reverse(b)
	return b
}
