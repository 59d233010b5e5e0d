package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/network"
)

// joinTimeout is how long Join waits until the other peers have agreed.
const (
	joinTimeout   = time.Minute
	arriveTimeout = 15 * time.Second // for the first contact
	pause         = 500 * time.Millisecond
)

// guest is what a joining machine holds of the network document.
type guest struct {
	invited *Invitation
	id      gossip.Identity

	mu   sync.Mutex
	book *network.Book
}

// Show implements [gossip.Document].
func (g *guest) Show() ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.book == nil {
		return nil, nil
	}
	return json.Marshal(g.book.Record().State)
}

// Merge implements [gossip.Document]. The token determines the network.
func (g *guest) Merge(b []byte) (err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	theirs, err := network.ParseState(b)
	if err != nil {
		return err
	}
	if g.book != nil {
		return g.book.Merge(theirs)
	}
	if theirs.First.Hash() != g.invited.Network {
		return errors.New("the peer that the token names is in another network")
	}
	book, err := network.Open(network.Config{
		Keys: daemon.Keys(g.id), ID: g.id.ID(), Keep: func(network.Record) error { return nil },
	}, network.Record{State: network.State{First: theirs.First}})
	if err == nil {
		g.book = book
		err = book.Merge(theirs)
	}
	return err
}

// Joined is what Join made.
type Joined struct {
	Dir     string `json:"dir"`
	Name    string `json:"name"`
	ID      string `json:"id"`
	Network string `json:"network"`
	Version uint64 `json:"version"`
}

// Join makes the folder of an invited peer, with a key of its own, and lets the network put that
// key and addrs in the peer's place. If addrs is empty, it uses the address from which the
// network was reached, with the port of listen. It asks agree before it makes anything; with an error of agree the token
// can still be used. If it is interrupted, it can be run again. set is
// the same as for the command init, with keys of schema.
func Join(ctx context.Context, schema *config.Schema, token, dir string, listen, addrs, set []string, agree func(*Terms) error) (*Joined, error) {
	v, err := ParseToken(token)
	if err != nil {
		return nil, err
	}
	if err = daemon.CheckNew(dir); err != nil {
		return nil, err
	}
	if err = checkAddrs(addrs); err != nil {
		return nil, err
	}
	g := &guest{invited: v, id: gossip.SeedIdentity(v.Seed)}
	from, err := g.arrive(ctx)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		addrs = reachedAt(from, listen)
	}
	terms, all := newTerms(g.book.Newest(), v.Name), settingsOf(g.book.Newest(), dir, listen, set)
	terms.Own = schema.Beginning(all, true).Chosen
	if err = agree(terms); err != nil {
		return nil, err
	}
	s, err := makeFolder(schema, dir, all)
	if err != nil {
		return nil, err
	}
	id, err := s.Identity()
	if err != nil {
		return nil, err
	}
	if err = g.enter(ctx, s, id, addrs); err != nil {
		return nil, err
	}
	d, r := g.book.Newest(), g.book.Record()
	r.Wanted = nil
	if err = daemon.CreateRecord(filepath.Join(s.Dir, config.DocumentName), r); err != nil {
		return nil, err
	}
	return &Joined{Dir: s.Dir, Name: v.Name, ID: id.ID(), Network: d.Name, Version: d.Version}, nil
}

// arrive gets the network document, and returns the local address of the connection. The inviting
// peer may not know of the invitation yet.
func (g *guest) arrive(ctx context.Context) (from string, err error) {
	ctx, cancel := context.WithTimeout(ctx, arriveTimeout)
	defer cancel()
	for {
		from, err = gossip.TradeDocument(ctx, g.id, g.invited.With, g)
		if err == nil && g.book == nil {
			err = errors.New("it shows no network document")
		}
		if err == nil {
			return from, nil
		}
		select {
		case <-ctx.Done():
			return "", config.Failf(config.ErrNetwork, "%s: %w; see that this peer runs, and that `peerd network show` there lists the invitation", strings.Join(g.invited.With.Addrs, ", "), err)
		case <-time.After(pause):
		}
	}
}

// settingsOf returns the shared settings in a document, and those in set.
func settingsOf(d *network.Document, dir string, listen, set []string) (all []string) {
	for _, x := range d.Settings {
		all = append(all, x.Key+"="+x.Value)
	}
	all = append(all, "dir="+dir, "listen=["+strings.Join(listen, ", ")+"]")
	added := slices.DeleteFunc(slices.Clone(d.Added), func(name string) bool { return slices.Contains(d.Retired, name) })
	if len(added) > 0 { // an application that begins now knows all actions that there are
		all = append(all, "api.offer="+config.ValueText(added))
	}
	return append(all, set...)
}

// makeFolder makes a peer's folder with these settings.
func makeFolder(schema *config.Schema, dir string, all []string) (*config.Settings, error) {
	file := filepath.Join(dir, config.FileName)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if _, err = daemon.InitJoining(schema, all); err != nil {
			return nil, err
		}
	}
	c, err := schema.Load(file, nil)
	if err != nil {
		return nil, err
	}
	return &c.Settings, nil
}

// enter puts a key in the invited peer's place.
func (g *guest) enter(ctx context.Context, s *config.Settings, id gossip.Identity, addrs []string) error {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	c := network.Change{Kind: network.Join, Peer: g.invited.Name, ID: id.ID(), Addrs: addrs}
	if err := c.Prove(g.invited.Network, daemon.Signs(id)); err != nil {
		return err
	}
	for {
		d := g.book.Newest()
		place, ok := d.Place(g.invited.Name)
		switch {
		case !ok: // the invitation is not agreed on yet
		case d.Peers[place].ID == id.ID():
			return nil
		case d.Peers[place].Standing != network.Invited:
			return config.Failf(config.ErrNetwork, "%s is %s in version %d of the network, under another key: this token was used, or withdrawn", g.invited.Name, d.Peers[place].Standing, d.Version)
		default:
			next, err := d.Next(&c)
			if err == nil {
				if err = s.CheckChange(config.NetworkOf(g.invited.Network, d), config.NetworkOf(g.invited.Network, next)); err != nil {
					return err
				}
				err = g.book.Wish(c)
			}
			if err != nil {
				return config.Failf(config.ErrUsage, "%w", err)
			}
		}
		err := g.book.Tick()
		if err == nil {
			_, err = gossip.TradeDocument(ctx, g.id, g.invited.With, g)
		}
		select {
		case <-ctx.Done():
			return config.Failf(config.ErrNetwork, "the network has not agreed in %v: see `peerd network show` at the site that invites; run this command again, it continues: %w", joinTimeout, errors.Join(err, ctx.Err()))
		case <-time.After(pause):
		}
	}
}

// reachedAt returns the address of this machine from which others were reached, with the port of
// listen.
func reachedAt(from string, listen []string) []string {
	at, _, ok := strings.Cut(from, "/tcp/")
	if !ok {
		return nil
	}
	for _, l := range listen {
		if _, port, ok := strings.Cut(l, "/tcp/"); ok && port != "0" {
			return []string{fmt.Sprintf("%s/tcp/%s", at, port)}
		}
	}
	return nil
}
