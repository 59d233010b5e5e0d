package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
)

// NextKey is the file of the key that replaces the peer's key in the next version of the network.
const NextKey = "identity.next.key"

// identity returns the peer's key. If the network has the next key in the peer's place, identity
// makes it the peer's key.
func identity(s *config.Settings, n *config.Network) (gossip.Identity, error) {
	id, err := s.Identity()
	if err != nil || s.Mode == config.Lockstep {
		return id, err
	}
	if _, ok := n.Index(id.ID()); ok {
		return id, nil
	}
	path := filepath.Join(s.Dir, NextKey)
	next, err := gossip.LoadIdentity(path)
	if err != nil {
		return id, nil //nolint:nilerr // there is none, and the id has no place
	}
	if _, ok := n.Index(next.ID()); !ok {
		return id, nil
	}
	if err = os.Link(s.IdentityPath(), s.FirstIdentityPath()); err != nil && !errors.Is(err, fs.ErrExist) {
		return id, err
	}
	if err = os.Rename(path, s.IdentityPath()); err != nil {
		return id, err
	}
	dir, err := os.Open(s.Dir)
	if err != nil {
		return id, err
	}
	defer func() { _ = dir.Close() }()
	return next, dir.Sync()
}
