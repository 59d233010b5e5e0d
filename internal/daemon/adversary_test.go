package daemon

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/require"
	"peerd.dev/node/network"
)

// triangle is a network of three peers, of which the first signs, with the keys of the seeds 1, 2 and 3.
func triangle(t *testing.T) network.State {
	d := network.Document{Version: 1, Name: "clinics", Start: time.Now().UTC().Truncate(time.Second), Every: "1s", Links: [][2]int{{0, 1}, {1, 2}, {0, 2}}}
	for i := range 3 {
		d.Peers = append(d.Peers, network.Peer{Name: fmt.Sprint("p", i), ID: seeded(i).ID(), Addrs: []string{"/ip4/127.0.0.1/tcp/1"}, Standing: network.Present})
	}
	d.Signers = []network.Signer{{Name: "p0", ID: d.Peers[0].ID}}
	return network.State{Root: marshal(t, d)}
}

func seeded(i int) gossip.Identity { return gossip.SeedIdentity([32]byte{byte(i + 1)}) }

// bookOf is the book of the peer in a place.
func bookOf(t *testing.T, place int, s network.State) *network.Book {
	return require.Value(network.Open(network.Config{Keys: Keys(seeded(place)), ID: seeded(place).ID(), Keep: func(network.State) error { return nil }}, s))(t)
}

// shows merges what a book has and another lacks.
func shows(t *testing.T, from, to *network.Book) error {
	frames, err := from.Lacks(to.Summary())
	return errors.Join(err, to.Merge(frames))
}

func leaving(o *network.Own) { o.Addrs, o.Left = nil, true }

// TestAThiefDoesNotKeepAPlace: with the greatest number in a record of the stolen key, its owner takes a new key, or leaves.
func TestAThiefDoesNotKeepAPlace(t *testing.T) {
	s, next := triangle(t), seeded(7)
	thief := bookOf(t, 1, s)
	require.NoError(t, thief.Say(1<<53, nil, func(o *network.Own) { o.Addrs = []string{"/ip4/127.0.0.1/tcp/666"} }))
	for name, do := range map[string]func(o *network.Own){"leaves": leaving, "rotates": func(o *network.Own) { o.Keys = append(o.Keys, network.Key{ID: next.ID()}) }} {
		owner, other := bookOf(t, 1, s), bookOf(t, 2, s)
		if err := errors.Join(shows(t, thief, owner), shows(t, thief, other), owner.Say(Now(), Keys(next), do), shows(t, owner, other)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if string(owner.Summary()) != string(other.Summary()) {
			t.Errorf("%s: the others keep the record of the thief", name)
		}
	}
}

// TestTwoRecordsOfLeavingBecomeOne: otherwise peers that keep different ones exchange them for ever.
func TestTwoRecordsOfLeavingBecomeOne(t *testing.T) {
	s := triangle(t)
	var at []*network.Book
	for i, place := range []int{0, 2} {
		liar, b := bookOf(t, 1, s), bookOf(t, place, s)
		require.NoError(t, errors.Join(liar.Say(uint64(5+i), nil, leaving), shows(t, liar, b)))
		at = append(at, b)
	}
	if err := errors.Join(shows(t, at[0], at[1]), shows(t, at[1], at[0])); err != nil || string(at[0].Summary()) != string(at[1].Summary()) {
		t.Errorf("%v, and their records differ", err)
	}
}

// TestALongForkIsNobodysFault: what follows the other version, in later frames, counts against no peer that shows it.
func TestALongForkIsNobodysFault(t *testing.T) {
	s := triangle(t)
	books := []*network.Book{bookOf(t, 0, s), bookOf(t, 0, s)}
	for i, b := range books {
		for n := range 3 + 100*i {
			c := network.Change{Kind: []network.Kind{network.Unlink, network.Link}[n%2], Peer: "p0", Links: []string{fmt.Sprint("p", 1+i)}}
			require.NoError(t, b.Propose(c, false))
		}
	}
	path := filepath.Join(t.TempDir(), config.DocumentName)
	require.NoError(t, CreateRecord(path, books[0].State()))
	r := &Record{path: path, id: seeded(2), s: new(config.Settings)}
	frames, err := books[1].Lacks(books[0].Summary())
	if err != nil {
		t.Fatal(err)
	}
	for batch := range slices.Chunk(frames, 64) {
		if err = r.Merge(batch); err != nil {
			t.Error(err)
		}
	}
	if r.Fork() == nil {
		t.Error("no fork was found")
	}
}

// TestACopiedFileForgetsNoSignature: a signer that takes the file of another site over, as docs/network.md says for lost addresses and forks,
// still knows what it has signed, and does not take the other's mark for its own.
func TestACopiedFileForgetsNoSignature(t *testing.T) {
	s := triangle(t)
	books := []*network.Book{bookOf(t, 0, s), bookOf(t, 1, s), bookOf(t, 2, s)}
	var all []network.Signer
	for i := range 3 {
		all = append(all, network.Signer{Name: fmt.Sprint("p", i), ID: seeded(i).ID()})
	}
	require.NoError(t, errors.Join(books[0].Propose(network.Change{Kind: network.Govern, Signers: all, Needed: 2}, false), shows(t, books[0], books[1]), shows(t, books[0], books[2]),
		books[0].Propose(network.Change{Kind: network.Extend, Arm: "one"}, false), books[1].Propose(network.Change{Kind: network.Extend, Arm: "two"}, false),
		shows(t, books[0], books[1]), shows(t, books[0], books[2]), shows(t, books[1], books[2])))
	for i, from := range books[1:] {
		b := bookOf(t, 0, from.State())
		if b.Propose(network.Change{Kind: network.Extend, Arm: "three"}, false) == nil {
			t.Errorf("with the file of p%d, p0 proposes a second version without --again", i+1)
		}
		b = bookOf(t, 0, from.State())
		for _, p := range b.Proposed() {
			if p.By == "p1" && b.Sign(p.Hash, false) == nil {
				t.Errorf("with the file of p%d, p0 signs a second version without --again", i+1)
			}
		}
	}
	x := books[2].State()
	x.Proposals = append(x.Proposals[:1:1], network.Version{Text: []byte(`{"number":3,"parent":"","by":99,"change":{"kind":"extend"}}`)})
	if n := len(bookOf(t, 0, x).Proposed()); n != 1 {
		t.Errorf("%d proposals of a file with a wrong one", n)
	}
}
