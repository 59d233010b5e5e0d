package network

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"
)

// named are keys whose signatures are a hash with a name.
type named string

func (k named) Sign(b []byte) ([]byte, error) {
	sum := sha256.Sum256(append([]byte(k), b...))
	return sum[:], nil
}

func (named) Verify(id string, b, sig []byte) bool {
	want, _ := named(id).Sign(b)
	return slices.Equal(want, sig)
}

func signed(place int, b []byte) []byte {
	sig, _ := named(string(rune('a' + place))).Sign(b)
	return sig
}

// TestTwoProposalsOfOneBallotDecideOneChange: peer a proposes one change to b and c, and another one to d and e, in
// one ballot. The first has a majority with a's own vote. What c, d and e promise later allows no
// proposal of the second, nor of anything else; what a, b and c promise allows the first.
func TestTwoProposalsOfOneBallotDecideOneChange(t *testing.T) {
	d := &Document{Version: 1, Name: "n", Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Every: "1s"}
	for i := range 5 {
		name := string(rune('a' + i))
		d.Peers = append(d.Peers, Peer{Name: name, ID: name, Addrs: []string{"/ip4/127.0.0.1/tcp/1"}, Standing: Present})
		if i > 0 {
			d.Links = append(d.Links, [2]int{0, i})
		}
	}
	x := newTerms(named("a"), d.Hash(), d)
	motion := func(addr string) Motion {
		m := Motion{Change: Change{Kind: Move, Peer: "a", Addrs: []string{addr}}}
		next, err := d.Next(&m.Change)
		if err != nil {
			t.Fatal(err)
		}
		m.Sig = signed(0, x.signedMotion(next.Hash()))
		return m
	}
	first, second := motion("/ip4/127.0.0.1/tcp/2"), motion("/ip4/127.0.0.1/tcp/3")
	before, later := Ballot{1, 0}, Ballot{2, 4}
	promises := make([]Promise, 5)
	for i := range promises {
		m := first
		if i > 2 {
			m = second
		}
		next, err := x.next(&m)
		if err != nil {
			t.Fatal(err)
		}
		v := &Vote{Place: i, Ballot: before, Motion: m, Sig: signed(i, x.signedVote(before, next.Hash()))}
		promises[i] = Promise{Place: i, Ballot: later, Voted: v}
		promises[i].Sig = signed(i, x.signedPromise(&promises[i]))
	}
	for _, m := range []Motion{first, second} {
		if err := x.proposal(&Proposal{Ballot: later, Motion: m, Basis: promises[2:]}); err == nil {
			t.Errorf("proposed on votes for two changes: %v", &m.Change)
		}
	}
	if err := x.proposal(&Proposal{Ballot: later, Motion: first, Basis: promises[:3]}); err != nil {
		t.Errorf("proposed on votes for one change: %v", err)
	}
	if err := x.proposal(&Proposal{Ballot: later, Motion: second, Basis: promises[:3]}); err == nil {
		t.Error("another change than the one that was voted for")
	}

	b := &Book{keys: named("e"), self: 4, documents: []*Document{d}}
	r := Record{State: State{First: *d, Asked: later, Promises: promises[2:]}}
	if did, err := b.propose(x, &r); did || err != nil {
		t.Errorf("e proposes on votes for two changes: %+v, %v", r.Proposal, err)
	}
	r.Promises = promises
	if did, err := b.propose(x, &r); !did || err != nil || text(&r.Proposal.Motion.Change) != text(&first.Change) || x.proposal(r.Proposal) != nil {
		t.Errorf("with promises of all, e proposes %+v, %v", r.Proposal, err)
	}
}
