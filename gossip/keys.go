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

// signedMessage separates these signatures from all others made with a peer's key, such
// as libp2p's own.
const signedMessage = "peerd/message/1\x00"

// A Keyring verifies signatures of the peers of one network for that network, and seals for them, by their present keys: what a
// replaced key has signed, its owner signs again, and what was sealed for it stays sealed. It is safe for concurrent use; peers in one process can share it.
type Keyring struct {
	prefix []byte              // of what is signed
	info   []byte              // of what is sealed
	public []ed25519.PublicKey // by index
}

// NewKeyring returns the keyring of a network whose peers have the given ids, in
// index order.
func NewKeyring(network string, ids []string) (*Keyring, error) {
	if err := checkNetwork(network); err != nil {
		return nil, err
	}
	k := &Keyring{
		prefix: []byte(signedMessage + network + "\x00"),
		info:   []byte(sealedText + network),
	}
	for i, id := range ids {
		key, err := publicKey(id)
		if err != nil {
			return nil, fmt.Errorf("gossip: peer %d: id %q: %w", i, id, err)
		}
		k.public = append(k.public, key)
	}
	return k, nil
}

// Verify reports whether sig is peer p's signature of b in this network.
func (k *Keyring) Verify(p protocol.Peer, b, sig []byte) bool {
	if int64(p) >= int64(len(k.public)) {
		return false
	}
	return ed25519.Verify(k.public[p], k.signed(b), sig)
}

// Keys returns the keys of the peer with the given identity.
func (k *Keyring) Keys(id Identity) (*Keys, error) {
	raw, err := id.private.Raw()
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	keys := &Keys{Keyring: k, private: raw}
	if keys.opens, err = opening(keys.private); err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	return keys, nil
}

// signed returns the bytes that a signature of b covers.
func (k *Keyring) signed(b []byte) []byte { return slices.Concat(k.prefix, b) }

// Keys signs and opens for one peer of a network, and verifies and seals for all of them.
type Keys struct {
	*Keyring
	private ed25519.PrivateKey
	opens   hpke.PrivateKey
}

var _ protocol.Keys = (*Keys)(nil)

// Sign returns this peer's signature of b in this network.
func (k *Keys) Sign(b []byte) []byte { return ed25519.Sign(k.private, k.signed(b)) }

// Seal encrypts b so that peer p alone can read it, in this network: HPKE (RFC 9180) in base mode with
// X25519, HKDF-SHA256 and ChaCha20-Poly1305. It refuses a peer that the network does not have, and a
// key with which a sealed text would be open to all.
func (k *Keyring) Seal(p protocol.Peer, b []byte) ([]byte, error) {
	if int64(p) >= int64(len(k.public)) {
		return nil, fmt.Errorf("gossip: no peer %d", p)
	}
	sealed, err := seal(k.public[p], k.info, b)
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
