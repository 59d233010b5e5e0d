// Package change is what operators do to the network document: they begin one, change it, sign
// changes, and join.
package change

import (
	"cmp"
	"context"
	"encoding/json"
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
	Name  string    // of the network
	Peer  string    // name of this peer, which signs versions
	Addrs []string  // at which other peers dial it
	Start time.Time // zero for now
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
	if len(f.Addrs) == 0 && has(s.Listen, everywhere) { // which says nothing of the address that others dial
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
		Peers:   []network.Peer{{Name: f.Peer, ID: id.ID(), Addrs: f.Addrs, Standing: network.Present}},
		Signers: []network.Signer{{Name: f.Peer, ID: id.ID()}},
	}
	if err = d.Check(); err != nil {
		return nil, config.Failf(config.ErrUsage, "%w", err)
	}
	n := config.NetworkOf(&d)
	if problems := append(n.ValidatePeers(), s.CheckNetwork(n)...); len(problems) > 0 {
		return nil, &config.Refusal{What: "network document", Problems: problems}
	}
	root, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	if _, err = network.Open(network.Config{}, network.State{Root: root}); err != nil {
		return nil, config.Failf(config.ErrUsage, "%w", err)
	}
	if err = daemon.CreateRecord(filepath.Join(s.Dir, config.DocumentName), network.State{Root: root}); err != nil {
		return nil, err
	}
	return Show(s)
}

// Overview is the network document of a folder, with what is proposed as its next version.
type Overview struct {
	Document *network.Document  `json:"document"`
	Hash     string             `json:"hash"`           // of the newest version
	Full     string             `json:"full,omitempty"` // that the document is nearly full
	Needed   int                `json:"needed"`         // signers that have to sign a version
	Proposed []network.Proposed `json:"proposed"`
	Notes    []string           `json:"notes,omitempty"` // what a change means at the sites
}

// A folder is a peer's, with its record.
type folder struct {
	*daemon.Record
	s  *config.Settings
	id string // of its key
}

// open opens a folder whose document is changed.
func open(s *config.Settings) (*folder, error) {
	if err := daemon.OwnDir(s.Dir); err != nil {
		return nil, err
	}
	return read(s)
}

// read opens a folder whose document is read.
func read(s *config.Settings) (*folder, error) {
	if !s.Signed() {
		return nil, config.Failf(config.ErrUsage, "%s is not a signed document: `peerd network new` begins one", s.NetworkPath())
	}
	id, err := s.Identity()
	if err != nil {
		return nil, err
	}
	r, err := daemon.OpenRecord(s, id)
	return &folder{r, s, id.ID()}, err
}

// with calls do with the book, and returns the state afterwards.
func (f *folder) with(do func(b *network.Book) error) (*Overview, error) {
	x := new(Overview)
	err := f.With(func(b *network.Book) error {
		if wrong := do(b); wrong != nil {
			return wrong
		}
		x.Document, x.Proposed = b.Newest(), b.Proposed()
		hash, room := b.Head()
		x.Hash, x.Full, x.Needed = hash, network.Full(room), x.Document.Quorum()
		return nil
	})
	if errors.Is(err, network.ErrRefused) {
		err = config.Failf(config.ErrUsage, "%w", err)
	}
	return x, err
}

// self returns the newest document, and the place of the folder's peer in it.
func (f *folder) self() (*network.Document, int, error) {
	d, err := f.Newest()
	if err != nil {
		return nil, 0, err
	}
	place, former, ok := d.PlaceOf(f.id)
	if !ok || former {
		return nil, 0, config.Failf(config.ErrNetwork, "this peer's key has no place in the network; start the peer first")
	}
	return d, place, nil
}

// Show returns the state of a folder's document.
func Show(s *config.Settings) (*Overview, error) {
	f, err := read(s)
	if err != nil {
		return nil, err
	}
	return f.with(func(*network.Book) error { return nil })
}

// Signing is how an operator signs.
type Signing struct {
	Again   bool     // also if this peer has signed another version with the number
	Without []string // names of peers that it need not hear before: they are lost, or the folder was not restored
}

// Bounds of the wait for a peer that has just started and has not heard enough others.
const (
	hearTimeout = 12 * time.Second // more than between two exchanges of a peer at rest
	hearPause   = 500 * time.Millisecond
)

// sign calls do, which signs a version, once the peer of the folder may sign.
func (f *folder) sign(ctx context.Context, how Signing, do func(b *network.Book) error) (*Overview, error) {
	for last := time.Now().Add(hearTimeout); ; {
		way := "the peer runs, and has not heard them yet"
		running, err := f.Hear(ctx, how.Without)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if !running {
			way = "start the peer, which hears them"
		}
		x, err := f.with(do)
		if !errors.Is(err, network.ErrWaits) {
			return x, err
		}
		if !running || time.Now().After(last) || ctx.Err() != nil {
			return nil, config.Failf(config.ErrNetwork, "%w. The folder may be older than what it has signed: %s. If they are lost, or the folder was not restored from a backup, add --without NAME,NAME", err, way)
		}
		select {
		case <-ctx.Done():
		case <-time.After(hearPause):
		}
	}
}

// Propose signs a change as the next version of a folder's network. Signers of a change need names alone.
func Propose(ctx context.Context, s *config.Settings, c network.Change, how Signing) (*Overview, error) {
	f, err := open(s)
	if err != nil {
		return nil, err
	}
	return f.sign(ctx, how, func(b *network.Book) (err error) {
		if c.Kind == network.Govern {
			c.Signers, err = signers(b.Newest(), c.Signers)
		}
		if err != nil {
			return err
		}
		return b.Propose(c, how.Again)
	})
}

// signers returns the peers with some names as signers, by place.
func signers(d *network.Document, named []network.Signer) (all []network.Signer, err error) {
	for _, p := range d.Peers {
		for i, x := range named {
			if x.Name == p.Name && p.Standing == network.Present {
				all = append(all, network.Signer{Name: p.Name, ID: p.ID})
				named = slices.Delete(slices.Clone(named), i, i+1)
				break
			}
		}
	}
	if len(named) > 0 {
		return nil, config.Failf(config.ErrUsage, "no peer %.70q is present, or it is named twice", named[0].Name)
	}
	return all, nil
}

// Sign signs the version that is proposed and has a hash.
func Sign(ctx context.Context, s *config.Settings, hash string, how Signing) (*Overview, error) {
	f, err := open(s)
	if err != nil {
		return nil, err
	}
	return f.sign(ctx, how, func(b *network.Book) error { return b.Sign(hash, how.Again) })
}

// Remove ends the part of a peer. The peer of the folder itself leaves at once.
func Remove(ctx context.Context, s *config.Settings, name string, how Signing) (*Overview, error) {
	f, err := open(s)
	if err != nil {
		return nil, err
	}
	switch d, self, err := f.self(); {
	case err != nil:
		return nil, err
	case d.Peers[self].Name != name:
		return Propose(ctx, s, network.Change{Kind: network.Remove, Peer: name}, how)
	case d.SignerAt(self) != nil:
		return nil, config.Failf(config.ErrUsage, "%s signs versions: name other admins with `peerd network admins` first", name)
	}
	return f.say(func(o *network.Own) { o.Addrs, o.Left = nil, true })
}

// Move sets the addresses of a folder's peer.
func Move(s *config.Settings, addrs []string) (*Overview, error) {
	if len(addrs) == 0 {
		return nil, wantAddrs(s.Listen)
	}
	if err := checkAddrs(addrs); err != nil {
		return nil, err
	}
	f, err := open(s)
	if err != nil {
		return nil, err
	}
	return f.say(func(o *network.Own) { o.Addrs = addrs })
}

// say changes the record of the folder's peer.
func (f *folder) say(change func(o *network.Own)) (*Overview, error) {
	return f.with(func(b *network.Book) error { return b.Say(daemon.Now(), nil, change) })
}

// Rotate gives the peer of a folder a new key: it makes the key, and the peer, when it runs and may release something, lets it follow the
// present one and states how far its ledger is.
func Rotate(s *config.Settings) (*Overview, error) {
	f, err := open(s)
	if err != nil {
		return nil, err
	}
	d, self, err := f.self()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(s.Dir, daemon.NextKey)
	if _, err = gossip.LoadIdentity(path); errors.Is(err, os.ErrNotExist) {
		_, err = gossip.CreateIdentity(path)
	}
	if err != nil {
		return nil, err
	}
	note := "the peer takes the new key once it runs and its neighbours have reported. Until then it keeps the present one if you remove " + path
	if d.SignerAt(self) != nil {
		note = fmt.Sprintf("the peer takes the new key once it runs and its neighbours have reported. Since it signs versions, one names its new key first, which %d of %d have to sign. Keep %s: once that version is there, only this key signs", d.Quorum(), len(d.Signers), path)
	}
	x, err := f.with(func(*network.Book) error { return nil })
	x.Notes = []string{note}
	return x, err
}

// ExtendNotes says what an action that is added means at the sites.
func ExtendNotes(action string) []string {
	return []string{
		fmt.Sprintf("no application is answered with %s by surprise: a site takes it for requests that name it in actions, and for others once its api.offer has it, or is [all]; sites that join later have it there", action),
		"while no reward of it is released, it gets a tenth of the decisions for which it is on offer, and the other actions the rest; simulated worlds play it at once",
	}
}

// Write writes the state for people.
func (x *Overview) Write(w io.Writer) {
	d := x.Document
	_, _ = fmt.Fprintf(w, "network %s, version %d, %s\n", d.Name, d.Version, x.Hash)
	_, _ = fmt.Fprintf(w, "rounds of %s from %s\n", d.Every, d.Start.Format(time.RFC3339))
	for i, p := range d.Peers {
		of := ""
		if d.SignerAt(i) != nil {
			of = ", signs versions"
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
	if n := len(d.Signers); n > 1 {
		_, _ = fmt.Fprintf(w, "versions need %d of %d signers: up to %d may be lost\n", x.Needed, n, n-x.Needed)
	} else {
		_, _ = fmt.Fprintf(w, "%s alone signs versions: without its key nothing that concerns all can change; `peerd network admins` names more\n", d.Signers[0].Name)
	}
	for i := range x.Proposed {
		p := &x.Proposed[i]
		_, _ = fmt.Fprintf(w, "%s proposes: %s; to be signed with `peerd network sign %s`; signed by %s; not by %s\n", p.By, terminal.Plain(p.Change.String()), p.Hash, strings.Join(p.Signed, ", "), strings.Join(p.Unsigned, ", "))
	}
	if x.Full != "" {
		_, _ = fmt.Fprintln(w, x.Full)
	}
	for _, note := range x.Notes {
		_, _ = fmt.Fprintf(w, "note: %s\n", note)
	}
}
