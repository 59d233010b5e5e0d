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
	"time"

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
		_, err = s.LedgerIdentity() // is needed in a year or so, when no backup has it any more
		return id, err
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

// rotate lets the key that is to replace this peer's, if there is one, follow it, and states how far the ledger is: the key that is
// replaced proves nothing beyond. A signer's key is replaced in the versions first. A site that waits for its neighbours, or knows that it
// is an old copy, does not know how far its ledger was, and keeps its key.
func (p *live) rotate() error {
	deployment, _ := p.now()
	return p.record.With(func(b *network.Book) error {
		next, err := gossip.LoadIdentity(filepath.Join(deployment.s.Dir, NextKey))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		d := b.Newest()
		if _, _, ok := d.PlaceOf(next.ID()); ok {
			return nil
		}
		at, open := p.site.Checkpoint()
		if !open {
			return fmt.Errorf("the key is not replaced yet, since this peer may be an old copy: %w", p.site.Ready(context.Background()))
		}
		k := network.Key{ID: next.ID()}
		if at.Records > 0 {
			k.Ledger = &network.Ledger{Records: at.Records, Head: hex.EncodeToString(at.Head[:])}
		}
		follow := func(o *network.Own) { o.Keys = append(o.Keys, k) }
		if s := d.SignerAt(int(deployment.Self)); s != nil && s.ID != next.ID() {
			c := network.Change{Kind: network.Govern, Signers: slices.Clone(d.Signers), Needed: d.Needed}
			c.Signers[slices.Index(d.Signers, *s)].ID = next.ID()
			if m := b.State().Signed; m != nil && m.Number > d.Version {
				return nil // it is proposed, or waits for another version
			}
			if err = b.CanSay(Now(), Keys(next), follow); err != nil { // then no key may sign versions that the peer never has
				return err
			}
			if err = b.Propose(c, false); errors.Is(err, network.ErrWaits) {
				return nil
			}
			return err
		}
		return b.Say(Now(), Keys(next), follow)
	})
}

// Now returns the number of a record that is made now: Unix time in seconds.
func Now() uint64 { return uint64(time.Now().Unix()) } //nolint:gosec // after 1970
