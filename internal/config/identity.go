package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"peerd.dev/gossip"
	"peerd.dev/node"
)

// DocumentName is the name of the record of a signed network document in a peer's folder.
const DocumentName = "network.json"

// NetworkPath returns where the network file is: in Dir, unless it is absolute. If the setting has
// its default, and the folder holds a signed document, that is it.
func (s *Settings) NetworkPath() string {
	if filepath.IsAbs(s.Network) {
		return s.Network
	}
	if k, ok := s.Schema().Find("network"); ok && s.Network == k.Default {
		path := filepath.Join(s.Dir, DocumentName)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return filepath.Join(s.Dir, s.Network)
}

// FileName is the name of a configuration in a peer's folder.
const FileName = "peerd.yaml"

// IdentityPath returns where the peer's private key is.
func (s *Settings) IdentityPath() string { return filepath.Join(s.Dir, "identity.key") }

// FirstIdentityPath returns where the key is that the folder had before its key was replaced.
func (s *Settings) FirstIdentityPath() string { return filepath.Join(s.Dir, "identity.first.key") }

// LockstepIdentity returns the key derived from a peer's seed number.
func LockstepIdentity(number uint64) gossip.Identity {
	return gossip.SeedIdentity(node.NewSeed(number).Of("identity"))
}

// Identity returns the peer's key.
func (s *Settings) Identity() (gossip.Identity, error) {
	if s.Mode == Lockstep {
		return LockstepIdentity(s.Seed), nil
	}
	return gossip.LoadIdentity(s.IdentityPath())
}

// LedgerIdentity returns the key that the ledger names, and that signs exports of it: the first
// key of the folder.
func (s *Settings) LedgerIdentity() (gossip.Identity, error) {
	id, err := gossip.LoadIdentity(s.FirstIdentityPath())
	if errors.Is(err, fs.ErrNotExist) {
		return s.Identity()
	}
	return id, err
}

// Signed reports whether the network file is a record of signed documents. Its name ends in .json.
func (s *Settings) Signed() bool { return signed(s.NetworkPath()) }

func signed(path string) bool { return filepath.Ext(path) == ".json" }
