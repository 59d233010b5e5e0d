package network

import (
	"crypto/sha256"
	"errors"
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

// five is a star of five peers, and the terms of the vote on its second version.
func five() (*Document, *terms) {
	d := &Document{Version: 1, Name: "n", Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Every: "1s"}
	for i := range 5 {
		name := string(rune('a' + i))
		d.Peers = append(d.Peers, Peer{Name: name, ID: name, Addrs: []string{"/ip4/127.0.0.1/tcp/1"}, Standing: Present})
		if i > 0 {
			d.Links = append(d.Links, [2]int{0, i})
		}
	}
	return d, newTerms(named("a"), d.Hash(), d)
}

// TestTwoProposalsOfOneBallotDecideOneChange: peer a proposes one change to b and c, and another
// one to d and e, in one ballot. The first has a majority with a's own vote. The later promises
// of c, d and e permit no proposal of the second, nor of anything else; the promises of a, b and
// c permit the first.
func TestTwoProposalsOfOneBallotDecideOneChange(t *testing.T) {
	d, x := five()
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

// TestForgeriesAreRefused changes one thing at a time in what peers show each other.
func TestForgeriesAreRefused(t *testing.T) {
	d, x := five()
	at, other := Ballot{2, 0}, Ballot{1, 0}
	make1 := func() (m Motion, next string) {
		m = Motion{Change: Change{Kind: Move, Peer: "a", Addrs: []string{"/ip4/127.0.0.1/tcp/2"}}}
		n, err := d.Next(&m.Change)
		if err != nil {
			t.Fatal(err)
		}
		m.Sig = signed(0, x.signedMotion(n.Hash()))
		return m, n.Hash()
	}
	good, hash := make1()
	vote := func(by int, b Ballot) *Vote {
		return &Vote{Place: by, Ballot: b, Motion: good, Sig: signed(by, x.signedVote(b, hash))}
	}
	sign := func(p Promise) Promise {
		p.Sig = signed(p.Place, x.signedPromise(&p))
		return p
	}
	promises := func() (all []Promise) {
		for i := range 3 {
			all = append(all, sign(Promise{Place: i, Ballot: at}))
		}
		return all
	}
	step := func(change func(s *Step)) error {
		s := Step{Motion: good, Ballot: at}
		for i := range 3 {
			s.Votes = append(s.Votes, Signature{i, vote(i, at).Sig})
		}
		change(&s)
		_, err := x.step(&s)
		return err
	}
	proposal := func(change func(p *Proposal)) error {
		p := Proposal{Ballot: at, Motion: good, Basis: promises()}
		change(&p)
		return x.proposal(&p)
	}
	promise := func(v *Vote) error {
		p := sign(Promise{Place: 1, Ballot: at, Voted: v})
		return x.promise(&p)
	}
	if step(func(*Step) {}) != nil || proposal(func(*Proposal) {}) != nil || promise(vote(1, other)) != nil || x.vote(vote(1, at)) != nil {
		t.Fatal("what is true is refused")
	}
	rotated := Motion{Change: Change{Kind: Rotate, Peer: "b", ID: "z"}, Author: 1}
	n, err := d.Next(&rotated.Change)
	if err != nil {
		t.Fatal(err)
	}
	rotated.Sig = signed(1, x.signedMotion(n.Hash()))
	stranger := sign(Promise{Place: 4, Ballot: at})
	stranger.Place = 1
	for what, err := range map[string]error{
		"a version that two of five voted for":            step(func(s *Step) { s.Votes = s.Votes[:2] }),
		"a version with one vote twice":                   step(func(s *Step) { s.Votes[2] = s.Votes[1] }),
		"a version with a vote of another ballot":         step(func(s *Step) { s.Votes[2].Sig = vote(2, other).Sig }),
		"a version with a vote that another signed":       step(func(s *Step) { s.Votes[2].Sig = s.Votes[1].Sig }),
		"a version whose motion nobody signed":            step(func(s *Step) { s.Motion.Sig = nil }),
		"a version by another author":                     step(func(s *Step) { s.Motion.Author = 1 }),
		"a proposal on two promises":                      proposal(func(p *Proposal) { p.Basis = p.Basis[:2] }),
		"a proposal on one promise twice":                 proposal(func(p *Proposal) { p.Basis[2] = p.Basis[1] }),
		"a proposal on a promise of another ballot":       proposal(func(p *Proposal) { p.Basis[2] = sign(Promise{Place: 2, Ballot: other}) }),
		"a proposal on a promise that another signed":     proposal(func(p *Proposal) { p.Basis[1] = stranger }),
		"a proposal that nobody signed":                   proposal(func(p *Proposal) { p.Motion.Sig = nil }),
		"a promise with another peer's vote":              promise(vote(2, other)),
		"a promise with a vote of a later ballot":         promise(vote(1, Ballot{3, 0})),
		"a promise with a vote that another signed":       promise(&Vote{Place: 1, Ballot: other, Motion: good, Sig: vote(2, other).Sig}),
		"a vote of a peer that there is not":              x.vote(vote(5, at)),
		"a vote for a key that has not asked for it":      x.vote(&Vote{Place: 1, Ballot: at, Motion: rotated, Sig: signed(1, x.signedVote(at, n.Hash()))}),
		"a vote that is another's with the place changed": x.vote(&Vote{Place: 1, Ballot: at, Motion: good, Sig: vote(2, at).Sig}),
	} {
		if err == nil {
			t.Errorf("%s is believed", what)
		}
	}
}

// TestASignerIsBoundByItsVote: a signer's promise shows its last vote, only the newest of the
// votes that promises show can be proposed, and nothing of it is shown before it is kept.
func TestASignerIsBoundByItsVote(t *testing.T) {
	d, x := five()
	motion := func(addr string, ballot Ballot, by int) *Vote {
		m := Motion{Change: Change{Kind: Move, Peer: "a", Addrs: []string{addr}}}
		n, err := d.Next(&m.Change)
		if err != nil {
			t.Fatal(err)
		}
		m.Sig = signed(0, x.signedMotion(n.Hash()))
		return &Vote{Place: by, Ballot: ballot, Motion: m, Sig: signed(by, x.signedVote(ballot, n.Hash()))}
	}
	older, newer, asked := motion("/ip4/127.0.0.1/tcp/2", Ballot{1, 0}, 1), motion("/ip4/127.0.0.1/tcp/3", Ballot{2, 0}, 2), Ballot{3, 4}
	if last := newest([]Promise{{Voted: newer}, {}, {Voted: older}}); len(last) != 1 || last[0] != newer {
		t.Errorf("the newest vote is %+v", last)
	}
	b := &Book{keys: named("b"), self: 1, documents: []*Document{d}, fits: func(_, _ *Document) error { return nil }}
	b.r = Record{State: State{First: *d, Votes: []Vote{*older}}}
	b.keep = func(Record) error { return errors.New("no room") }
	ask := func(r *Record) error {
		r.Asked = asked
		return nil
	}
	if err := b.update(ask); err == nil || b.r.Asked == asked || len(b.r.Promises) > 0 {
		t.Errorf("what was not kept is shown: %+v, %v", b.r, err)
	}
	b.keep = func(Record) error { return nil }
	if err := b.update(ask); err != nil || len(b.r.Promises) != 1 || b.r.Promises[0].Voted == nil || x.promise(&b.r.Promises[0]) != nil {
		t.Errorf("%+v, %v", b.r.Promises, err)
	}
	b.r.Proposal = &Proposal{Ballot: Ballot{2, 3}, Motion: newer.Motion}
	b.r.Approved = []string{text(&newer.Motion.Change)}
	if did, err := b.vote(x, &b.r); did || err != nil {
		t.Errorf("a vote in a ballot before the promised one: %+v, %v", b.r.Votes, err)
	}
	b.r.Proposal.Ballot = asked
	if did, err := b.vote(x, &b.r); !did || err != nil {
		t.Errorf("no vote in the promised ballot: %v", err)
	}
}
