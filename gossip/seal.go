package gossip

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hpke"
	"crypto/sha512"
	"math/big"
	"slices"
)

// sealedText separates sealed texts from all others that a peer's key could open.
const sealedText = "peerd/sealed/1\x00"

// seal encrypts b for the owner of an Ed25519 key.
func seal(key ed25519.PublicKey, info, b []byte) ([]byte, error) {
	public, err := ecdh.X25519().NewPublicKey(montgomery(key))
	if err != nil {
		return nil, err
	}
	to, err := hpke.NewDHKEMPublicKey(public)
	if err != nil {
		return nil, err
	}
	return hpke.Seal(to, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), info, b)
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
