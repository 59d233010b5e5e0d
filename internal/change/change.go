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
	"peerd.dev/internal/terminal"
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
	if err := daemon.OwnDir(s.Dir); err != nil {
		return nil, err
	}
	if old := s.NetworkPath(); filepath.Base(old) != config.DocumentName {
		if _, err := os.Stat(old); err == nil {
			return nil, config.Failf(config.ErrUnexpected, "%s already says what the network is; a signed document begins in a folder without one", old)
		}
	}
	if len(f.Addrs) == 0 && everywhere(s.Listen) {
		return nil, wantAddrs(s.Listen)
	}
	if err := checkAddrs(f.Addrs); err != nil {
		return nil, err
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

// Overview is the network document of a folder, with the way to its next version.
type Overview struct {
	Document *network.Document  `json:"document"`
	Proposed []network.Proposed `json:"proposed"` // changes that peers want
	Needed   int                `json:"needed"`   // signers that have to sign a change
	Wanted   []network.Change   `json:"wanted"`   // changes that this peer wants, which no version has yet
	Fork     *network.Fork      `json:"fork,omitempty"`
	Notes    []string           `json:"notes,omitempty"` // what a change means at the sites
}

// Show returns the state of a folder's document.
func Show(s *config.Settings) (*Overview, error) {
	return show(s, func(*network.Book, gossip.Identity) error { return nil })
}

// with calls do, which may change a folder, with its book and returns the state afterwards.
func with(s *config.Settings, do func(b *network.Book, id gossip.Identity) error) (*Overview, error) {
	if err := daemon.OwnDir(s.Dir); err != nil {
		return nil, err
	}
	return show(s, do)
}

func show(s *config.Settings, do func(b *network.Book, id gossip.Identity) error) (*Overview, error) {
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
	x := &Overview{Wanted: []network.Change{}}
	err = r.With(func(b *network.Book) error {
		if wrong := do(b, id); wrong != nil {
			return wrong
		}
		x.Document = b.Newest()
		r := b.Record()
		x.Needed, x.Proposed, x.Fork = x.Document.Quorum(), b.Proposed(), r.Fork
		x.Wanted = append(x.Wanted, r.Wanted...)
		return nil
	})
	if errors.Is(err, network.ErrRefused) {
		err = config.Failf(config.ErrUsage, "%w", err)
	}
	return x, err
}

// Want makes the peer of a folder want a change. A move without a name is this peer's.
func Want(s *config.Settings, c network.Change) (*Overview, error) {
	if c.Kind == network.Move && len(c.Addrs) == 0 && everywhere(s.Listen) {
		return nil, wantAddrs(s.Listen)
	}
	if err := checkAddrs(c.Addrs); err != nil {
		return nil, err
	}
	return with(s, func(b *network.Book, id gossip.Identity) error {
		if c.Kind == network.Move && c.Peer == "" {
			place, _, ok := b.Newest().PlaceOf(id.ID())
			if !ok {
				return network.ErrRefused
			}
			c.Peer = b.Newest().Peers[place].Name
		}
		return b.Wish(c)
	})
}

// ExtendNotes says what an action that is added means at the sites.
func ExtendNotes(action string) []string {
	return []string{
		fmt.Sprintf("no application is answered with %s by surprise: a site takes it for requests that name it in actions, and for others once its api.offer has it, or is [all]; sites that join later have it there", action),
		"while no reward of it is released, it gets a tenth of the decisions for which it is on offer, and the other actions the rest; simulated worlds play it at once",
	}
}

// Rotate gives the peer of a folder a new key: it makes the key, and the peer, when it runs and may release something, asks
// for the change, in which it states how far its ledger is.
func Rotate(s *config.Settings) (*Overview, error) {
	var name string
	x, err := with(s, func(b *network.Book, id gossip.Identity) error {
		place, former, ok := b.Newest().PlaceOf(id.ID())
		if !ok || former {
			return config.Failf(config.ErrNetwork, "this peer's key has no place in the network; start the peer first")
		}
		name = b.Newest().Peers[place].Name
		return nil
	})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(s.Dir, daemon.NextKey)
	next, err := gossip.LoadIdentity(path)
	if errors.Is(err, os.ErrNotExist) {
		next, err = gossip.CreateIdentity(path)
	}
	if err == nil && !slices.ContainsFunc(x.Wanted, func(c network.Change) bool { return c.ID == next.ID() }) {
		x.Wanted = append(x.Wanted, network.Change{Kind: network.Rotate, Peer: name, ID: next.ID()})
	}
	return x, err
}

// Sign makes the peer of a folder approve the change that has a hash.
func Sign(s *config.Settings, hash string) (*Overview, error) {
	return with(s, func(b *network.Book, _ gossip.Identity) error { return b.Approve(hash) })
}

// DoWithout lets the peer of a folder sign although it has not heard some others; see [network.Book.DoWithout].
func DoWithout(s *config.Settings, names []string) error {
	_, err := with(s, func(b *network.Book, _ gossip.Identity) error { return b.DoWithout(names) })
	return err
}

// Withdraw ends the wishes of a folder's peer, and removes the key that was to replace its key.
func Withdraw(s *config.Settings) (*Overview, error) {
	return with(s, func(b *network.Book, _ gossip.Identity) error {
		if err := b.Withdraw(); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(s.Dir, daemon.NextKey)); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	})
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
	if least := newTerms(d, "").Settings["give.least"]; least != "" {
		_, _ = fmt.Fprintf(w, "asks each site to release %s rewards or more\n", terminal.Plain(least))
	}
	for _, x := range d.Changed {
		_, _ = fmt.Fprintf(w, "%s is %s\n", x.Key, terminal.Plain(x.Value))
	}
	n := len(d.Signers())
	_, _ = fmt.Fprintf(w, "changes need %d of %d signers: up to %d may be lost, and up to %d may lie\n", x.Needed, n, n-x.Needed, d.Liars())
	if len(d.Admins) == 1 {
		_, _ = fmt.Fprintf(w, "%s alone signs changes: without its key nothing can change any more; `peerd network admins` names more\n", d.Admins[0])
	}
	for i := range x.Proposed {
		p := &x.Proposed[i]
		state := "to be signed with `peerd network sign " + p.Hash + "`"
		if p.Sealed {
			state = "being voted on"
		}
		_, _ = fmt.Fprintf(w, "%s wants: %s; %s; signed by %s", p.By, terminal.Plain(p.Change.String()), state, names(p.Signed))
		if len(p.Unsigned) > 0 {
			_, _ = fmt.Fprintf(w, "; not by %s", names(p.Unsigned))
		}
		_, _ = fmt.Fprintln(w)
	}
	for i := range x.Wanted {
		_, _ = fmt.Fprintf(w, "this peer wants: %v\n", &x.Wanted[i])
	}
	if x.Fork != nil {
		_, _ = fmt.Fprintln(w, x.Fork)
	}
	for _, note := range x.Notes {
		_, _ = fmt.Fprintf(w, "note: %s\n", note)
	}
}

// names returns names as text.
func names(all []string) string {
	if len(all) == 0 {
		return "nobody"
	}
	return strings.Join(all, ", ")
}
