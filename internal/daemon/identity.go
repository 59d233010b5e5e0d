package daemon

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/node/network"
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

// rotate asks for the key that is to replace this peer's, if there is one, and states how far the ledger is: the key that is
// replaced proves nothing beyond. A site that waits for its neighbours, or knows that it is an old copy, does not know how far its
// ledger was, and does not ask.
func (p *live) rotate() error {
	deployment, _ := p.now()
	return p.record.With(func(b *network.Book) error { // in which a withdrawal removes the key, too
		next, err := gossip.LoadIdentity(filepath.Join(deployment.s.Dir, NextKey))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		asked := slices.ContainsFunc(b.Record().Wanted, func(c network.Change) bool { return c.ID == next.ID() })
		if _, _, ok := b.Newest().PlaceOf(next.ID()); ok || asked {
			return nil
		}
		at, open := p.site.Checkpoint()
		if !open {
			return fmt.Errorf("the key is not replaced yet, since this peer may be an old copy: %w", p.site.Ready(context.Background()))
		}
		c := network.Change{Kind: network.Rotate, Peer: deployment.Network.Peers[deployment.Self].Name, ID: next.ID()}
		if at.Records > 0 {
			c.Ledger = &network.Ledger{Records: at.Records, Head: hex.EncodeToString(at.Head[:])}
		}
		if err := c.Prove(b.At(1).Hash(), Signs(next)); err != nil {
			return err
		}
		return b.Wish(c)
	})
}
