package gossip

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
)

// maxIdentityFile bounds what is read of an identity file; a key takes 68 bytes.
const maxIdentityFile = 4096

// An Identity is a peer's Ed25519 key and the peer id that follows from it. The
// zero Identity is none.
type Identity struct {
	private crypto.PrivKey
	id      peer.ID
}

// ID returns the peer id as text.
func (i Identity) ID() string { return i.id.String() }

// CreateIdentity draws a key and writes it to path, which must not exist, in libp2p's protobuf
// form, readable only by the owner. The key is on disk when CreateIdentity returns.
func CreateIdentity(path string) (Identity, error) {
	private, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		return Identity{}, fmt.Errorf("gossip: %w", err)
	}
	id, err := newIdentity(private)
	if err != nil {
		return Identity{}, err
	}
	b, err := crypto.MarshalPrivateKey(private)
	if err != nil {
		return Identity{}, fmt.Errorf("gossip: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return Identity{}, fmt.Errorf("gossip: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		// A partial key would only block the next attempt.
		return Identity{}, fmt.Errorf("gossip: %w", errors.Join(err, os.Remove(path)))
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return Identity{}, err
	}
	return id, nil
}

// LoadIdentity reads the key at path. It refuses a file that anyone except its owner can
// read or write.
func LoadIdentity(path string) (Identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return Identity{}, fmt.Errorf("gossip: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return Identity{}, fmt.Errorf("gossip: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return Identity{}, fmt.Errorf("gossip: %s has mode %04o and is open to users other than its owner; want mode 0600", path, mode)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxIdentityFile))
	if err != nil {
		return Identity{}, fmt.Errorf("gossip: %w", err)
	}
	private, err := crypto.UnmarshalPrivateKey(b)
	if err != nil {
		return Identity{}, fmt.Errorf("gossip: %s is no identity: %w", path, err)
	}
	id, err := newIdentity(private)
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %s", err, path)
	}
	if raw, err := private.Raw(); err != nil || len(raw) != ed25519.PrivateKeySize || !bytes.Equal(raw, ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize])) {
		return Identity{}, fmt.Errorf("gossip: the key in %s is damaged: its halves do not match; restore the file from a backup", path)
	}
	return id, nil
}

// SeedIdentity derives a key from a seed. It is for lockstep only: the key is known to anyone who
// knows the seed.
func SeedIdentity(seed [32]byte) Identity {
	std := ed25519.NewKeyFromSeed(seed[:])
	private, err := crypto.UnmarshalEd25519PrivateKey(std)
	if err != nil {
		panic("gossip: " + err.Error())
	}
	id, err := newIdentity(private)
	if err != nil {
		panic(err.Error())
	}
	return id
}

func newIdentity(private crypto.PrivKey) (Identity, error) {
	if private.Type() != crypto.Ed25519 {
		return Identity{}, fmt.Errorf("gossip: key of type %v, want Ed25519", private.Type())
	}
	id, err := peer.IDFromPrivateKey(private)
	if err != nil {
		return Identity{}, fmt.Errorf("gossip: %w", err)
	}
	return Identity{private, id}, nil
}

// syncDir makes a new file's name as durable as its content.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("gossip: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("gossip: %w", err)
	}
	return nil
}

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
	key, err := publicKey(id)
	return err == nil && ed25519.Verify(key, append([]byte(domain+"\x00"), b...), sig)
}

// publicKey returns the key that an id contains, as ids of Ed25519 keys do.
func publicKey(id string) (ed25519.PublicKey, error) {
	p, err := peer.Decode(id)
	if err != nil {
		return nil, err
	}
	key, err := p.ExtractPublicKey()
	if err != nil {
		return nil, err
	}
	raw, err := key.Raw()
	if err != nil {
		return nil, err
	}
	if len(raw) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("a key of %d bytes, want Ed25519", len(raw))
	}
	return raw, nil
}
