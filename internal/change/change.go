// Package change is what operators do to the network document: they begin one, change it, sign
// changes, and join.
package change

import (
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
	Hash     string             `json:"hash"`   // of the newest version
	Full     int                `json:"full"`   // percent of the room for versions that is taken
	Needed   int                `json:"needed"` // signers that have to sign a version
	Proposed []network.Proposed `json:"proposed"`
	Notes    []string           `json:"notes,omitempty"` // what a change means at the sites
}

// Show returns the state of a folder's document.
func Show(s *config.Settings) (*Overview, error) {
	r, err := open(s)
	if err != nil {
		return nil, err
	}
	return with(r, func(*network.Book) error { return nil })
}

// open opens the record of a folder.
func open(s *config.Settings) (*daemon.Record, error) {
	if !s.Signed() {
		return nil, config.Failf(config.ErrUsage, "%s is not a signed document: `peerd network new` begins one", s.NetworkPath())
	}
	id, err := s.Identity()
	if err != nil {
		return nil, err
	}
	return daemon.OpenRecord(s, id)
}

// with calls do with the book of a record, and returns the state afterwards.
func with(r *daemon.Record, do func(b *network.Book) error) (*Overview, error) {
	x := new(Overview)
	err := r.With(func(b *network.Book) error {
		if wrong := do(b); wrong != nil {
			return wrong
		}
		x.Document, x.Proposed = b.Newest(), b.Proposed()
		hash, room := b.Head()
		x.Hash, x.Full, x.Needed = hash, 100*room/network.Room, x.Document.Quorum()
		return nil
	})
	if errors.Is(err, network.ErrRefused) {
		err = config.Failf(config.ErrUsage, "%w", err)
	}
	return x, err
}

// Signing is how an operator signs.
type Signing struct {
	Again   bool     // also if this peer has signed another version with the number
	Without []string // names of peers that it need not hear before: they are lost, or the folder was not restored
}

// Bounds of the wait for a peer that has just started and has not heard enough others.
const (
	hearTimeout = 5 * time.Second
	hearPause   = 500 * time.Millisecond
)

// signs calls do, which signs a version, once the peer of the folder may sign.
func signs(ctx context.Context, s *config.Settings, how Signing, do func(b *network.Book) error) (*Overview, error) {
	if err := daemon.OwnDir(s.Dir); err != nil {
		return nil, err
	}
	r, err := open(s)
	if err != nil {
		return nil, err
	}
	for last := time.Now().Add(hearTimeout); ; time.Sleep(hearPause) {
		running, err := r.Hear(ctx, how.Without)
		if err != nil {
			return nil, err
		}
		x, err := with(r, do)
		if !errors.Is(err, network.ErrWaits) {
			return x, err
		}
		if !running || time.Now().After(last) {
			way := "start the peer, which hears them"
			if running {
				way = "the peer runs, and has not heard them yet"
			}
			return nil, config.Failf(config.ErrNetwork, "%w. The folder may be older than what it has signed: %s. If they are lost, or the folder was not restored from a backup, add --without NAME,NAME", err, way)
		}
	}
}

// Propose signs a change as the next version of a folder's network.
func Propose(ctx context.Context, s *config.Settings, c network.Change, how Signing) (*Overview, error) {
	return signs(ctx, s, how, func(b *network.Book) error {
		d := b.Newest()
		if c.Kind == network.Govern {
			for i := range c.Signers {
				place, ok := d.Place(c.Signers[i].Name)
				if !ok || d.Peers[place].Standing != network.Present {
					return config.Failf(config.ErrUsage, "no peer %.70q is present", c.Signers[i].Name)
				}
				c.Signers[i].ID = d.Peers[place].ID
			}
			slices.SortFunc(c.Signers, func(x, y network.Signer) int {
				i, _ := d.Place(x.Name)
				j, _ := d.Place(y.Name)
				return i - j
			})
		}
		return b.Propose(c, how.Again)
	})
}

// Sign signs the version that is proposed and has a hash.
func Sign(ctx context.Context, s *config.Settings, hash string, how Signing) (*Overview, error) {
	return signs(ctx, s, how, func(b *network.Book) error { return b.Sign(hash, how.Again) })
}

// Remove ends the part of a peer. The peer of the folder itself leaves at once.
func Remove(ctx context.Context, s *config.Settings, name string, how Signing) (*Overview, error) {
	if err := daemon.OwnDir(s.Dir); err != nil {
		return nil, err
	}
	d, self, err := selfOf(s)
	if err != nil {
		return nil, err
	}
	if self.Name != name {
		return Propose(ctx, s, network.Change{Kind: network.Remove, Peer: name}, how)
	}
	if place, _ := d.Place(name); d.SignerAt(place) != nil {
		return nil, config.Failf(config.ErrUsage, "%s signs versions: name other admins with `peerd network admins` first", name)
	}
	return say(s, func(o *network.Own) { o.Addrs, o.Left = nil, true })
}

// Move sets the addresses of a folder's peer.
func Move(s *config.Settings, addrs []string) (*Overview, error) {
	if len(addrs) == 0 {
		return nil, wantAddrs(s.Listen)
	}
	if err := checkAddrs(addrs); err != nil {
		return nil, err
	}
	return say(s, func(o *network.Own) { o.Addrs = addrs })
}

// say changes the record of a folder's peer.
func say(s *config.Settings, change func(o *network.Own)) (*Overview, error) {
	if err := daemon.OwnDir(s.Dir); err != nil {
		return nil, err
	}
	r, err := open(s)
	if err != nil {
		return nil, err
	}
	return with(r, func(b *network.Book) error { return b.Say(daemon.Now(), nil, change) })
}

// selfOf returns the newest document and the place of a folder's peer in it.
func selfOf(s *config.Settings) (*network.Document, *network.Peer, error) {
	r, err := open(s)
	if err != nil {
		return nil, nil, err
	}
	id, err := s.Identity()
	if err != nil {
		return nil, nil, err
	}
	d, err := r.Newest()
	if err != nil {
		return nil, nil, err
	}
	place, former, ok := d.PlaceOf(id.ID())
	if !ok || former {
		return nil, nil, config.Failf(config.ErrNetwork, "this peer's key has no place in the network; start the peer first")
	}
	return d, &d.Peers[place], nil
}

// Rotate gives the peer of a folder a new key: it makes the key, and the peer, when it runs and may release something, lets it follow the
// present one and states how far its ledger is.
func Rotate(s *config.Settings) (*Overview, error) {
	if err := daemon.OwnDir(s.Dir); err != nil {
		return nil, err
	}
	if _, _, err := selfOf(s); err != nil {
		return nil, err
	}
	path := filepath.Join(s.Dir, daemon.NextKey)
	_, err := gossip.LoadIdentity(path)
	if errors.Is(err, os.ErrNotExist) {
		_, err = gossip.CreateIdentity(path)
	}
	if err != nil {
		return nil, err
	}
	x, err := Show(s)
	if err == nil {
		x.Notes = []string{"the peer takes the new key once it runs and its neighbours have reported; to keep the present one until then, remove " + path}
	}
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
	if x.Full >= 75 {
		_, _ = fmt.Fprintf(w, "the document is %d %% full; when it is full, nothing that concerns all can change any more\n", x.Full)
	}
	for _, note := range x.Notes {
		_, _ = fmt.Fprintf(w, "note: %s\n", note)
	}
}
