package network

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"
)

type key string

func (k key) Sign(b []byte) ([]byte, error) {
	sum := sha256.Sum256(append([]byte(k+"\x00"), b...))
	return sum[:], nil
}

func (key) Verify(id string, b, sig []byte) bool {
	want, _ := key(id).Sign(b)
	return slices.Equal(want, sig)
}
func TestSmoke(t *testing.T) {
	root := Document{Version: 1, Name: "lab", Start: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Every: "1s", Signers: []Signer{{"a", "ka"}}, Peers: []Peer{{Name: "a", ID: "ka", Addrs: []string{"x"}, Standing: Present}}}
	keep := func(State) error { return nil }
	a, err := Open(Config{Keys: key("ka"), ID: "ka", Keep: keep}, State{Root: encode(root)})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	for i := range 1000 {
		links := []string{"a"}
		if i > 4 {
			links = []string{fmt.Sprint("p", i-1), fmt.Sprint("p", i-3), fmt.Sprint("p", i-4), fmt.Sprint("p", i-5)}
		}
		if err := a.Propose(Change{Kind: Invite, Peer: fmt.Sprint("p", i), ID: fmt.Sprint("tok", i), Links: links}, false); err != nil {
			t.Fatal(err)
		}
		g, err := Open(Config{Keys: key(fmt.Sprint("tok", i)), ID: fmt.Sprint("tok", i), Keep: keep}, State{Root: encode(root)})
		if err != nil {
			t.Fatal(err)
		}
		if i%100 != 0 {
			continue
		}
		f, err := a.Lacks(g.Summary())
		if err != nil {
			t.Fatal(err)
		}
		if err = g.Merge(f); err != nil {
			t.Fatal(err)
		}
		nk := key(fmt.Sprint("k", i))
		if err = g.Say(5, nk, func(o *Own) { o.Addrs = []string{"y"}; o.Keys = append(o.Keys, Key{ID: string(nk)}) }); err != nil {
			t.Fatal(err)
		}
		f, err = g.Lacks(a.Summary())
		if err != nil || len(f) != 1 {
			t.Fatal(err, len(f))
		}
		if err = a.Merge(f); err != nil {
			t.Fatal(err)
		}
		if string(a.Summary()) != string(g.Summary()) {
			t.Fatal("differ")
		}
	}
	t.Log(time.Since(begin), a.Newest().Version, a.Newest().Peers[1], a.Newest().Peers[2], len(encode(a.State())))
	begin = time.Now()
	_, err = Open(Config{Keys: key("ka"), ID: "ka", Keep: keep}, a.State())
	t.Log(err, time.Since(begin))
}
