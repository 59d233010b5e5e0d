package check

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"math/big"
	"strings"
)

// base58 has the digits of a peer id, without characters that are easily confused.
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

var errID = errors.New("not the id of an Ed25519 key")

// publicKey returns the key that a peer id contains. In base 58, the id of an Ed25519 key is the
// key itself after six bytes of header: an identity multihash (0) of 36 bytes, which are a
// protobuf of key type (8) 1 and of key (18) with 32 bytes. It is decoded here, so that checking
// a ledger needs no other library.
func publicKey(id string) (ed25519.PublicKey, error) {
	if len(id) != 52 || id[0] != '1' { // a leading 1 is the leading byte 0
		return nil, errID
	}
	n, digit := new(big.Int), new(big.Int)
	for _, r := range id[1:] {
		d := strings.IndexRune(base58, r)
		if d < 0 {
			return nil, errID
		}
		n.Add(n.Mul(n, big.NewInt(58)), digit.SetInt64(int64(d)))
	}
	key, ok := bytes.CutPrefix(n.Bytes(), []byte{36, 8, 1, 18, ed25519.PublicKeySize})
	if !ok || len(key) != ed25519.PublicKeySize {
		return nil, errID
	}
	return key, nil
}
