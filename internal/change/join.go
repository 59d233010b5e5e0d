package change

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
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

const (
	joinTimeout   = time.Minute      // until enough signers have signed the invitation
	arriveTimeout = 15 * time.Second // for the first contact
	pause         = 200 * time.Millisecond
)

// guest is what a joining machine holds of the network document. One goroutine uses it.
type guest struct {
	invited *Invitation
	id      gossip.Identity
	book    *network.Book // nil before the first contact
	taken   bool          // the other end lacked nothing in the last exchange
}

// Summary implements [gossip.Document].
func (g *guest) Summary() ([]byte, error) {
	if g.book == nil {
		return nil, nil
	}
	return g.book.Summary(), nil
}

// Lacks implements [gossip.Document].
func (g *guest) Lacks(summary []byte) (frames [][]byte, err error) {
	if g.book != nil {
		frames, err = g.book.Lacks(summary)
	}
	g.taken = g.taken && err == nil && len(frames) == 0
	return frames, err
}

// Merge implements [gossip.Document]. The token determines the network.
func (g *guest) Merge(frames [][]byte) error {
	if g.book == nil && len(frames) > 0 {
		root, err := network.RootOf(frames[0], g.invited.Network)
		if err != nil {
			return errors.New("the peer that the token names is in another network")
		}
		if g.book, err = network.Open(network.Config{Keys: daemon.Keys(g.id), ID: g.id.ID(), Keep: func(network.State) error { return nil }}, network.State{Root: root}); err != nil {
			g.book = nil
			return err
		}
		frames = frames[1:]
	}
	if g.book == nil {
		return nil
	}
	return g.book.Merge(frames)
}

// Joined is what Join made.
type Joined struct {
	Dir     string `json:"dir"`
	Name    string `json:"name"`
	ID      string `json:"id"`
	Network string `json:"network"`
	Version uint64 `json:"version"`
}

// Join makes the folder of an invited peer, with a key of its own, and puts that key in the peer's place, with the addresses
// that agree leaves in the terms, at first addrs. Without one the peer dials others, and is not dialled. If from is not empty,
// the peer that invites is dialled there. Join asks agree before it makes anything; with an error of agree the token can still
// be used. If it is interrupted, it can be run again. set is the same as for the command init, with keys of schema.
func Join(ctx context.Context, schema *config.Schema, token, dir string, listen, addrs, from, set []string, agree func(*Terms) error) (*Joined, error) {
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
	if _, fresh := os.Stat(filepath.Join(dir, config.FileName)); fresh != nil && time.Now().After(v.Until) { // an interrupted join goes on
		return nil, config.Failf(config.ErrUsage, "this token could be used until %s, and by the clock of this machine that has passed: a new one comes from `peerd network invite %s` at the site that invites", v.until(), v.Name)
	}
	if len(from) > 0 {
		v.With.Addrs = from
	}
	g := &guest{invited: v, id: v.identity()}
	here, err := g.arrive(ctx)
	if err != nil {
		return nil, err
	}
	terms, all := newTerms(g.book.Newest(), v.Name), settingsOf(g.book.Newest(), dir, listen, set)
	terms.Own, terms.Addrs = schema.Beginning(all, true).Chosen, addrs
	at, _, _ := strings.Cut(here, "/tcp/")
	terms.Here, terms.near = at+"/tcp/"+cmp.Or(portOf(listen), "PORT"), has(v.With.Addrs, private)
	if err = agree(terms); err == nil {
		addrs, err = terms.Addrs, checkAddrs(terms.Addrs)
	}
	if err != nil {
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
	d := g.book.Newest()
	if err = daemon.CreateRecord(filepath.Join(s.Dir, config.DocumentName), g.book.State()); err != nil {
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
			return "", config.Failf(config.ErrNetwork, "%s: %w; see that this peer runs, that `peerd network show` there lists %s as invited, by no later token, and that this machine reaches that address: `--from ADDR` dials another one", strings.Join(g.invited.With.Addrs, ", "), err, g.invited.Name)
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
		if _, err = daemon.Init(schema, all, true); err != nil {
			return nil, err
		}
	}
	c, err := schema.Load(file, nil)
	if err != nil {
		return nil, err
	}
	return &c.Settings, nil
}

// enter puts a key in the invited peer's place, and shows that to the inviting peer.
func (g *guest) enter(ctx context.Context, s *config.Settings, id gossip.Identity, addrs []string) error {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	used := config.Failf(config.ErrNetwork, "%s has another key in the network, or has left: this token was used, withdrawn, or replaced by a later one", g.invited.Name)
	for {
		var err error
		d, state := g.book.Newest(), "the invitation is not signed"
		place, ok := d.Place(g.invited.Name)
		switch {
		case !ok: // the invitation is not signed yet
		case d.Peers[place].ID == id.ID(): // this peer's record is made
		case d.Peers[place].Standing != network.Invited || d.Peers[place].ID != g.id.ID():
			return used
		default:
			err = g.book.Say(daemon.Now(), daemon.Keys(id), func(o *network.Own) {
				o.Addrs, o.Keys = addrs, append(o.Keys, network.Key{ID: id.ID()})
			})
			if err == nil {
				err = s.CheckChange(config.NetworkOf(d), config.NetworkOf(g.book.Newest()))
			}
			if err != nil {
				return config.Failf(config.ErrUsage, "%w", err)
			}
		}
		if g.taken = ok && d.Peers[place].ID == id.ID(); g.taken {
			state = "the peer that invites does not have this one's key"
		}
		if _, err = gossip.TradeDocument(ctx, g.id, g.invited.With, g); err == nil && g.taken {
			return nil
		}
		if lie := new(network.Lie); errors.As(err, &lie) && lie.Place == place { // meanwhile on another machine
			return used
		}
		select {
		case <-ctx.Done():
			return config.Failf(config.ErrNetwork, "%s after %v: see `peerd network show` at the site that invites; run this command again, it continues: %w", state, joinTimeout, errors.Join(err, ctx.Err()))
		case <-time.After(pause):
		}
	}
}
