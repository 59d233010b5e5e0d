package network

import (
	"crypto/ed25519"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// edKey is a key as peers have it.
type edKey struct{ ed25519.PrivateKey }

func newEdKey(n int) edKey { return edKey{ed25519.NewKeyFromSeed(fmt.Appendf(nil, "%032d", n))} }

func (k edKey) id() string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(k.Public().(ed25519.PublicKey))
}

func (k edKey) Sign(b []byte) ([]byte, error) { return ed25519.Sign(k.PrivateKey, b), nil }

func (edKey) Verify(id string, b, sig []byte) bool {
	k, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(id)
	return err == nil && len(k) == ed25519.PublicKeySize && ed25519.Verify(k, b, sig)
}

// heap reads what is in use, without what is left of before.
func heap(m *runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(m)
}

// TestGrowthIsLinear measures networks whose peers were all invited, with four links each, and joined.
func TestGrowthIsLinear(t *testing.T) {
	admin := newEdKey(0)
	d, _ := peers(1, 1, 1)
	d.Peers[0].ID, d.Signers[0].ID = admin.id(), admin.id()
	c := Config{Keys: admin, ID: admin.id(), Keep: func(State) error { return nil }}
	b, err := Open(c, State{Root: encode(&d)})
	must(t, err)
	name, each := func(i int) string { return []string{"a", fmt.Sprint("site-", i)}[min(i, 1)] }, make(map[int]uint64)
	for n := 1; n < 1000; n++ {
		token, own := newEdKey(2*n), newEdKey(2*n+1)
		x := Change{Kind: Invite, Peer: name(n), ID: token.id()}
		for i := max(0, n-4); i < n; i++ {
			x.Links = append(x.Links, name(i))
		}
		must(t, b.Propose(x, false))
		o := Own{Network: b.chain.network, Peer: x.Peer, Number: 1_900_000_000, Addrs: []string{"/ip4/192.0.2.17/udp/46873/quic-v1"}, Keys: []Key{{ID: own.id()}}}
		o.Keys[0].Sig, _ = token.Sign(signedKey(&o, &o.Keys[0]))
		r := Record{Text: encode(&o)}
		r.Sig, _ = own.Sign(r.signed())
		must(t, b.Merge([][]byte{frame(frameRecord, r)}))
		switch n + 1 {
		case 50, 100, 200, 400, 1000:
		default:
			continue
		}
		disk := encode(b.State())
		var was, is runtime.MemStats
		heap(&was)
		var s State
		must(t, json.Unmarshal(disk, &s))
		begin := time.Now()
		o2, err := Open(c, s)
		took := time.Since(begin)
		must(t, err)
		heap(&is)
		bytes := is.HeapAlloc - was.HeapAlloc
		each[n+1] = bytes / uint64(n+1)
		t.Logf("%4d places: %7d bytes, %4d each; opened in %v; file of %d bytes; summary of %d; a change costs %d and a record %d", n+1, bytes, each[n+1], took.Round(time.Millisecond), len(disk), len(o2.Summary()), len(encode(s.Versions[n-1]))+1, len(encode(r))+1)
		if os.Getenv("PEERD_LONG") != "" && took > time.Second/2 || bytes > 2<<20 {
			t.Errorf("%d bytes, %v", bytes, took)
		}
	}
	if float64(each[1000]) > 1.5*float64(each[100]) {
		t.Error("a place takes more in a larger network")
	}
}

// FuzzMerge merges two frames into a book and shows what it holds to itself.
func FuzzMerge(f *testing.F) {
	l := newLab(f, 1, 4, 3, 2)
	a, b := l.sites[0], l.sites[1]
	none := b.book.State()
	for _, c := range changes()[:2] {
		l.agree(c, a, b)
	}
	must(f, l.sites[3].say(nil))
	l.show(l.sites[3], a)
	must(f, a.book.Propose(changes()[2], false))
	frames, err := a.book.Lacks(nil)
	must(f, err)
	for i, x := range frames {
		f.Add(x, frames[(i+1)%len(frames)], a.book.Summary()[:8*i])
	}
	f.Fuzz(func(t *testing.T, x, y, summary []byte) {
		o, err := Open(Config{Keys: l.sites[2].key, ID: "of c", Keep: func(State) error { return nil }}, none)
		must(t, err)
		_ = o.Merge([][]byte{x, y})
		if _, err = Open(Config{Keys: key("")}, o.State()); err != nil {
			t.Fatalf("what it holds is not what it opens: %v", err)
		}
		frames, err := o.Lacks(summary)
		if err == nil {
			must(t, o.Merge(frames))
		}
	})
}
