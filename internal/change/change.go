// Package change is what operators do to the network document: they begin one, change it, agree
// to changes, and join.
package change

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/network"
)

// Founding holds the arguments of New that are not settings.
type Founding struct {
	Name   string    // of the network
	Peer   string    // name of this peer
	Addrs  []string  // at which other peers dial it
	Start  time.Time // zero for now
	Admins bool      // only this peer signs changes, not a majority of all peers
}

// New begins a network document whose only peer is a folder's.
func New(s *config.Settings, f Founding) (*Overview, error) {
	if s.Mode == config.Lockstep {
		return nil, config.Failf(config.ErrRefused, "mode: lockstep: want live")
	}
	if old := s.NetworkPath(); filepath.Base(old) != config.DocumentName {
		if _, err := os.Stat(old); err == nil {
			return nil, config.Failf(config.ErrUnexpected, "%s already says what the network is; a signed document begins in a folder without one", old)
		}
	}
	id, err := s.Identity()
	if err != nil {
		return nil, err
	}
	if f.Start.IsZero() {
		f.Start = time.Now().Truncate(time.Second)
	}
	d := network.Document{
		Version: 1, Name: f.Name, Start: f.Start.UTC(), Every: config.DurationText(s.Rounds.Every), Settings: s.SharedSettings(),
		Peers: []network.Peer{{Name: f.Peer, ID: id.ID(), Addrs: f.Addrs, Standing: network.Present}},
	}
	if f.Admins {
		d.Admins = []string{f.Peer}
	}
	if err = d.Check(); err != nil {
		return nil, config.Failf(config.ErrUsage, "%w", err)
	}
	n := config.NetworkOf(d.Hash(), &d)
	if problems := append(n.ValidatePeers(), s.CheckNetwork(n)...); len(problems) > 0 {
		return nil, &config.Refusal{What: "network document", Problems: problems}
	}
	if err = daemon.CreateRecord(filepath.Join(s.Dir, config.DocumentName), network.Record{State: network.State{First: d}}); err != nil {
		return nil, err
	}
	return Show(s)
}

// Overview is the network document of a folder, with the vote on its next version.
type Overview struct {
	Document  *network.Document `json:"document"`
	UnderVote *network.Change   `json:"under_vote"` // nil for none
	Voted     []string          `json:"voted"`      // names of the peers that have voted for it
	Needed    int               `json:"needed"`
	Wanted    []network.Change  `json:"wanted"` // changes that this peer wants, which no version has yet
}

// Show returns the state of a folder's document.
func Show(s *config.Settings) (*Overview, error) {
	return with(s, func(*network.Book, gossip.Identity) error { return nil })
}

// with calls do with a folder's book and returns the state afterwards.
func with(s *config.Settings, do func(b *network.Book, id gossip.Identity) error) (*Overview, error) {
	if !s.Signed() {
		return nil, config.Failf(config.ErrUsage, "%s is not a signed document: `peerd network new` begins one", s.NetworkPath())
	}
	id, err := s.Identity()
	if err != nil {
		return nil, err
	}
	r, err := daemon.OpenRecord(s, id)
	if err != nil {
		return nil, err
	}
	x := &Overview{Voted: []string{}, Wanted: []network.Change{}}
	err = r.With(func(b *network.Book) error {
		if wrong := do(b, id); wrong != nil {
			return wrong
		}
		x.Document = b.Newest()
		r := b.Record()
		x.Needed = x.Document.Majority()
		x.Wanted = append(x.Wanted, r.Wishes...)
		if r.Proposal != nil {
			x.UnderVote = &r.Proposal.Motion.Change
			for _, v := range r.Votes {
				if v.Ballot == r.Proposal.Ballot {
					x.Voted = append(x.Voted, x.Document.Peers[v.Place].Name)
				}
			}
		}
		return nil
	})
	if errors.Is(err, network.ErrRefused) {
		err = config.Failf(config.ErrUsage, "%w", err)
	}
	return x, err
}

// Want makes the peer of a folder move a change. An empty name is this peer's, unless the change
// is about an arm.
func Want(s *config.Settings, c network.Change) (*Overview, error) {
	return with(s, func(b *network.Book, id gossip.Identity) error {
		if c.Peer == "" && c.Arm == "" {
			place, _, ok := b.Newest().PlaceOf(id.ID())
			if !ok {
				return network.ErrRefused
			}
			c.Peer = b.Newest().Peers[place].Name
		}
		return errors.Join(b.Wish(c), b.Tick())
	})
}

// Rotate gives the peer of a folder a new key.
func Rotate(s *config.Settings) (*Overview, error) {
	path := filepath.Join(s.Dir, daemon.NextKey)
	next, err := gossip.LoadIdentity(path)
	if errors.Is(err, os.ErrNotExist) {
		next, err = gossip.CreateIdentity(path)
	}
	if err != nil {
		return nil, err
	}
	return with(s, func(b *network.Book, id gossip.Identity) error {
		place, former, ok := b.Newest().PlaceOf(id.ID())
		if !ok || former {
			return config.Failf(config.ErrNetwork, "this peer's key has no place in the network; start the peer first")
		}
		c := network.Change{Kind: network.Rotate, Peer: b.Newest().Peers[place].Name, ID: next.ID()}
		if err := c.Prove(b.At(1).Hash(), daemon.Signs(next)); err != nil {
			return err
		}
		return errors.Join(b.Wish(c), b.Tick())
	})
}

// Sign makes the peer of a folder vote for the change that is under vote.
func Sign(s *config.Settings) (*Overview, error) {
	return with(s, func(b *network.Book, _ gossip.Identity) error {
		x := b.Record().Proposal
		if x == nil {
			return config.Failf(config.ErrUsage, "nothing is under vote here")
		}
		return b.Approve(x.Motion.Change)
	})
}

// Withdraw ends the wishes of a folder's peer.
func Withdraw(s *config.Settings) (*Overview, error) {
	return with(s, func(b *network.Book, _ gossip.Identity) error { return b.Withdraw() })
}

// Write writes the state for people.
func (x *Overview) Write(w io.Writer) {
	d := x.Document
	_, _ = fmt.Fprintf(w, "network %s, version %d, %s\n", d.Name, d.Version, d.Hash())
	_, _ = fmt.Fprintf(w, "rounds of %s from %s\n", d.Every, d.Start.Format(time.RFC3339))
	for i, p := range d.Peers {
		of := ""
		if slices.Contains(d.Signers(), i) {
			of = ", signs changes"
		}
		_, _ = fmt.Fprintf(w, "%3d %s, %s%s: %s %s\n", i, p.Name, p.Standing, of, p.ID, strings.Join(p.Addrs, " "))
	}
	_, _ = fmt.Fprintf(w, "links %v\n", d.Edges())
	if len(d.Added)+len(d.Retired) > 0 {
		_, _ = fmt.Fprintf(w, "actions added %q, retired %q\n", d.Added, d.Retired)
	}
	if x.UnderVote != nil {
		_, _ = fmt.Fprintf(w, "under vote: %v; %d of %d needed have voted: %s\n", x.UnderVote, len(x.Voted), x.Needed, strings.Join(x.Voted, ", "))
	}
	for i := range x.Wanted {
		_, _ = fmt.Fprintf(w, "this peer wants: %v\n", &x.Wanted[i])
	}
}
