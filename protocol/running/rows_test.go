package running_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// A field is 20 sites with rows on a random graph whose network loses 30 % of all messages. A round
// takes 100 ms: five digests a second, and with protocol rows a row a second.
type field struct {
	*protocoltest.Network
	loss protocoltest.Faults
	pull func(i int) (int, float64)
	away int // a site that is not there, or -1
}

const (
	second    = 10 // rounds
	fieldLife = 25 * second

	// What was lost is pulled by digests to one random neighbour, which asks back for
	// what it misses itself; 30 % of both and of the answers are lost too. In 40 seeds
	// all sites agreed 1.5 s after the last row in the median and 4.1 s at worst; with phases
	// 1.0 s and 3.5 s.
	healing = 5 * second
	joining = 5 * second
)

func newField(t *testing.T, seed uint64, params protocol.Params) *field {
	rng := rand.New(rand.NewPCG(seed, 4))
	n := protocoltest.New(t, protocoltest.Setting{
		Graph: protocoltest.Random(20, 15, rng), Arms: 3, Rounds: fieldLife, Mechanism: dp.None, Seed: seed, Params: params,
	})
	return &field{Network: n, loss: protocoltest.Faults{Rand: rng, Lose: .3}, pull: n.Choices(seed), away: -1}
}

// fields runs f for protocols with rows and a few seeds.
func fields(t *testing.T, f func(t *testing.T, seed uint64, params protocol.Params)) {
	for _, params := range []protocol.Params{
		running.Params{Every: second, Pull: second / 5, Merge: rows.MergeMean, F: 1},
		rows.PhasesParams{First: 4, Growth: .5, Pull: second / 5, Merge: rows.MergeMean, F: 1},
	} {
		for seed := range uint64(5) {
			t.Run(fmt.Sprintf("%T/%d", params, seed), func(t *testing.T) { f(t, seed, params) })
		}
	}
}

// play plays rounds with the field's faults.
func (f *field) play(t *testing.T, rounds int) {
	t.Helper()
	for range rounds {
		if f.away >= 0 { // whatever a site that is not there would say or hear is lost
			f.Underway = slices.DeleteFunc(f.Underway, func(p protocoltest.Parcel) bool {
				return int(p.To) == f.away || int(p.From) == f.away
			})
		}
		f.Play(t, f.pull)
		f.loss.Befall(f.Network)
	}
}

// agree reports whether the states of all sites are the same bytes.
func (f *field) agree() bool {
	for _, p := range f.Peers {
		if !bytes.Equal(stateOf(p), stateOf(f.Peers[0])) {
			return false
		}
	}
	return true
}

func stateOf(p *protocoltest.Peer) (b []byte) {
	for _, m := range running.NewestRows(p.Protocol) {
		b = protocol.Encode(b, m)
	}
	return b
}

// TestRowsAgreeAfterAPartition: with 30 % loss throughout, 10 s of partition and
// rows closing all the while, all sites hold the same bytes a bounded time later.
func TestRowsAgreeAfterAPartition(t *testing.T) {
	fields(t, func(t *testing.T, seed uint64, params protocol.Params) {
		f := newField(t, seed, params)
		f.play(t, 10*second)
		f.loss.Cut = func(from, to protocol.Peer) bool { return (from < 10) != (to < 10) }
		f.play(t, 10*second)
		if f.agree() {
			t.Fatal("the halves agree although nothing crossed: the partition is none")
		}
		f.loss.Cut = nil
		f.play(t, fieldLife-20*second) // until the last row of every site is out
		f.pull = nil
		f.play(t, healing)
		if !f.agree() {
			t.Errorf("sites differ %d rounds after the last row", healing)
		}
		origins := make(map[protocol.Peer]bool)
		for _, m := range running.NewestRows(f.Peers[0].Protocol) {
			origins[m.Label().Origin] = true
		}
		if len(origins) != 20 {
			t.Errorf("rows of %d sites are held, want everybody's", len(origins))
		}
		for i, p := range f.Peers {
			if !slices.Equal(p.Belief().X, f.Peers[0].Belief().X) {
				t.Errorf("peer %d believes %v, peer 0 %v", i, p.Belief().X, f.Peers[0].Belief().X)
			}
		}
	})
}

// TestLateJoinerCatchesUp: a site that comes when all is said, and one that comes
// back with nothing in memory, hold what the others hold a bounded time later.
func TestLateJoinerCatchesUp(t *testing.T) {
	fields(t, func(t *testing.T, seed uint64, params protocol.Params) {
		f := newField(t, seed, params)
		f.away = int(seed) * 3
		f.play(t, fieldLife)
		f.pull = nil
		f.play(t, healing)
		s := f.Setting
		s.Rounds = 0 // Leaves is at least 1
		f.Peers[f.away] = s.Peer(t, protocol.Peer(f.away), uint32(seed%2))
		f.away = -1
		f.play(t, joining)
		if !f.agree() {
			t.Error("the site that came late holds something else")
		}
	})
}

// TestRelaysPassRowsOn: sites that are linked to a relay alone know each other's rows by way
// of it, and decide by them: those that it forwards, and those that digests ask it for where
// messages are lost. It has no row, no arms and no budget, and its state survives.
func TestRelaysPassRowsOn(t *testing.T) {
	for _, x := range []struct {
		merge rows.Merge
		pull  uint64
		lose  float64
	}{
		{rows.MergeMean, 1000, 0},
		{rows.MergeTrimmed, 1000, 0},
		{rows.MergeMean, 2, .5},
	} {
		n := protocoltest.New(t, protocoltest.Setting{
			Graph: protocoltest.Star(4), Arms: 4, Rounds: 40, Mechanism: dp.None,
			Params: running.Params{Every: 2, Pull: x.pull, Merge: x.merge, F: 1, Relays: 1},
		})
		loss := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Lose: x.lose}
		for range 40 { // peer i pulls arm i alone, and arm 0
			n.Play(t, func(i int) (int, float64) { return int(n.Round) % 2 * i, float64(i) / 4 })
			n.Restart(t, 0, 0)
			loss.Befall(n)
		}
		for range 2 { // the last rows cross two links
			n.Play(t, nil)
			loss.Befall(n)
		}
		for range 20 * protocoltest.Count(x.lose > 0) {
			n.Play(t, nil)
		}
		relay := n.Peers[0]
		if !relay.Idle() || len(relay.Released) > 0 || relay.Spent() != 0 {
			t.Errorf("the relay is idle: %v, released %d leaves and spent %g", relay.Idle(), len(relay.Released), relay.Spent())
		}
		for i, p := range n.Peers {
			held := running.NewestRows(p.Protocol)
			if len(held) != 3 || !bytes.Equal(stateOf(p), stateOf(relay)) {
				t.Errorf("peer %d holds %d rows, want those of the 3 sites, as the relay does", i, len(held))
			}
			for _, m := range held {
				if m.Label().Origin == 0 {
					t.Errorf("peer %d holds a row of the relay", i)
				}
			}
			if i == 0 {
				continue
			}
			want := []float64{.5, .25, .5, .75}
			if x.merge == rows.MergeTrimmed { // one row of an arm is too few to identify liars
				want = []float64{.5, 0, 0, 0}
				want[i] = float64(i) / 4
			}
			if got := p.Belief().X; !slices.Equal(got, want) {
				t.Errorf("%+v: peer %d believes %v, want %v", x, i, got, want)
			}
		}
		own := protocoltest.DraftOf(running.NewestRows(n.Peers[1].Protocol)[0])
		own.Label.Origin, own.Label.Seq = 0, own.Label.Seq+1
		m := own.Signed(protocoltest.Keys(0))
		if _, err := n.Deliver(t, 2, protocol.Delivery{From: 0, Message: m}); !errors.Is(err, protocol.ErrPeer) {
			t.Errorf("a row that a relay signed as its own: %v, want ErrPeer", err)
		}
	}
}

// TestForgedRowsAreRefused: only the origin can make a row that replaces its last.
func TestForgedRowsAreRefused(t *testing.T) {
	n := protocoltest.New(t, protocoltest.Setting{
		Graph: protocoltest.Complete(3), Arms: 2, Rounds: 100, Mechanism: dp.Tree,
		Params: running.Params{Every: 1, Pull: 50, Merge: rows.MergeMean, F: 1},
	})
	for range 5 {
		n.Play(t, func(int) (int, float64) { return 0, 1 })
	}
	type draft = protocoltest.Draft
	p := n.Peers[0]
	newest := running.NewestRows(p.Protocol)
	sign := func(d draft, by protocol.Peer) draft { return protocoltest.DraftOf(d.Signed(protocoltest.Keys(by))) }
	change := func(d draft, f func(d *draft)) draft {
		d = protocoltest.DraftOf(d.Message()) // its lists are its own
		f(&d)
		return d
	}
	// newer than what peer 0 holds; of its neighbour 2, by way of neighbour 1
	theirs := change(protocoltest.DraftOf(newest[2]), func(d *draft) { d.Label.Seq++ })
	for name, m := range map[string]draft{
		"an old row under a new number":         theirs,
		"signed by the forwarder":               sign(theirs, 1),
		"signed by nobody":                      change(theirs, func(d *draft) { d.Sig = nil }),
		"a row under another origin":            change(protocoltest.DraftOf(newest[2]), func(d *draft) { d.Label.Origin, d.Label.Seq = 1, 9 }),
		"a row in a later incarnation":          change(protocoltest.DraftOf(newest[2]), func(d *draft) { d.Label.Incarnation++ }),
		"another origin's numbers":              change(theirs, func(d *draft) { d.Body = protocoltest.DraftOf(newest[1]).Body }),
		"a row of the receiver's own":           sign(change(protocoltest.DraftOf(newest[0]), func(d *draft) { d.Label.Seq = 99 }), 0),
		"an origin that is no peer":             sign(change(theirs, func(d *draft) { d.Label.Origin = 3 }), 3),
		"two releases":                          sign(change(theirs, func(d *draft) { d.Body = append(d.Body, d.Body[0]) }), 2),
		"no release":                            sign(change(theirs, func(d *draft) { d.Body = nil }), 2),
		"a label beside the row":                sign(change(theirs, func(d *draft) { d.Refs = []protocol.Label{{}} }), 2),
		"a round, which no signature covers":    change(sign(theirs, 2), func(d *draft) { d.Round = 1 }),
		"a digest of peers that there are not":  {Kind: running.RowsDigest, Label: protocol.Label{Origin: 1}, Refs: []protocol.Label{{Origin: 3}}},
		"a message of another protocol's kinds": {Kind: protocol.FirstFree, Label: protocol.Label{Origin: 1}},
	} {
		before := stateOf(p)
		es, err := n.Deliver(t, 0, protocol.Delivery{From: 1, Message: m.Message()})
		if !errors.Is(err, protocol.ErrPeer) || len(es) > 0 || !bytes.Equal(stateOf(p), before) {
			t.Errorf("%s: got %v and %d messages, want ErrPeer and nothing changed", name, err, len(es))
		}
	}

	// A replay is what a network does to honest rows: no fault, and no news.
	before := stateOf(p)
	for _, m := range newest[1:] {
		if es, err := n.Deliver(t, 0, protocol.Delivery{From: 1, Message: m}); err != nil || len(es) > 0 {
			t.Errorf("a copy: got %v and %d messages, want nothing", err, len(es))
		}
	}
	if !bytes.Equal(stateOf(p), before) {
		t.Error("a copy changed something")
	}

	// And the real next row is accepted from any peer.
	next := protocol.Delivery{From: 1, Message: sign(theirs, 2).Message()}
	if _, err := n.Deliver(t, 0, next); err != nil || bytes.Equal(stateOf(p), before) {
		t.Errorf("the origin's own newer row: %v", err)
	}
}

// TestOfTwoRowsOfANumberOneStays: an origin that signs two rows of one number leaves all peers
// with the same one, in whichever order they come.
func TestOfTwoRowsOfANumberOneStays(t *testing.T) {
	n := protocoltest.New(t, protocoltest.Setting{
		Graph: protocoltest.Complete(3), Arms: 2, Rounds: 100, Mechanism: dp.Tree,
		Params: running.Params{Every: 1, Pull: 50, Merge: rows.MergeMean, F: 1},
	})
	for range 5 {
		n.Play(t, func(int) (int, float64) { return 0, 1 })
	}
	n.Hostile = true
	var forks [2]protocol.Message
	for i := range forks {
		d := protocoltest.DraftOf(running.NewestRows(n.Peers[0].Protocol)[2])
		d.Label.Seq++
		f := d.Body[0].Fields()
		f.Value[0] += int64(i)
		x, err := dp.Received(vouch.For(f))
		if err != nil {
			t.Fatal(err)
		}
		d.Body = []dp.Release{x}
		forks[i] = d.Signed(protocoltest.Keys(2))
	}
	for peer, order := range [][]int{{0, 1}, {1, 0}} {
		for _, i := range order {
			_, err := n.Deliver(t, peer, protocol.Delivery{From: 2, Message: forks[i]})
			if err != nil && !errors.Is(err, protocol.ErrPeer) {
				t.Fatal(err)
			}
		}
	}
	if a, b := running.NewestRows(n.Peers[0].Protocol)[2], running.NewestRows(n.Peers[1].Protocol)[2]; a.Frame() != b.Frame() {
		t.Error("two peers hold two rows of one number")
	}
}
