package network

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// voted is a vote of four signers, of whom three have to sign, on a change that the first one wants.
type voted struct {
	*terms
	change Change
	next   string
	motion Motion
	sealed Sealed
}

func by(place int, b []byte) []byte {
	_, keys := peers(4)
	sig, _ := keys[place].Sign(b)
	return sig
}

func (v *voted) signatures(places []int, b []byte) (all []Signature) {
	for _, place := range places {
		all = append(all, Signature{place, by(place, b)})
	}
	return all
}

func newVoted(t *testing.T, c Change) *voted {
	t.Helper()
	d, keys := peers(4)
	v := &voted{terms: newTerms(keys[3], d.Hash(), &d, func(_, _ *Document) error { return nil }), change: c}
	n, err := d.Next(&c)
	if err != nil {
		t.Fatal(err)
	}
	v.next = n.Hash()
	v.motion = Motion{Change: c, Sig: by(0, v.signedMotion(v.next))}
	v.sealed = Sealed{Motion: v.motion, Number: 2, Approvals: v.signatures([]int{0, 1, 2}, signedWish("approve", v.network, 0, 2, &c))}
	return v
}

func (v *voted) lockIn(round uint64) *Lock {
	return &Lock{Round: round, Motion: v.motion, Accepts: v.signatures([]int{1, 2, 3}, v.signedAccept(round, v.next))}
}

func (v *voted) proposalIn(round uint64, lock *Lock, locked uint64) *Proposal {
	x := &Proposal{Round: round, Sealed: v.sealed, Lock: lock, Sig: by(v.owner(round), v.signedProposal(round, v.next))}
	for place := range 3 {
		x.Basis = append(x.Basis, Promise{place, round, locked, by(place, v.signedPromise(round, locked))})
	}
	return x
}

// TestForgeriesAreRefused changes one thing at a time in what peers show each other.
func TestForgeriesAreRefused(t *testing.T) {
	v := newVoted(t, Change{Kind: Extend, Arm: "blue"})
	other := newVoted(t, Change{Kind: Extend, Arm: "green"})
	ballot := Ballot{3, v.owner(3)}
	step := func(change func(s *Step)) error {
		s := &Step{Motion: v.motion, Ballot: ballot, Votes: v.signatures([]int{0, 1, 3}, v.signedVote(ballot, v.next))}
		change(s)
		_, err := v.step(s)
		return err
	}
	proposal := func(change func(x *Proposal)) error {
		x := v.proposalIn(3, v.lockIn(2), 2)
		change(x)
		return v.proposal(x)
	}
	free := func(change func(x *Proposal)) error {
		x := v.proposalIn(2, nil, 0)
		change(x)
		return v.proposal(x)
	}
	lock := func(change func(l *Lock)) error {
		l := v.lockIn(2)
		change(l)
		_, err := v.lock(l)
		return err
	}
	wish := func(change func(w *Wish)) error {
		w := &Wish{Number: 2, Change: &v.change, Seal: v.motion.Sig}
		change(w)
		if w.Sig == nil {
			w.Sig = by(0, signedWish("wish", v.network, w.Author, w.Number, w.Change))
		}
		return v.wish(w)
	}
	if err := errors.Join(step(func(*Step) {}), proposal(func(*Proposal) {}), free(func(*Proposal) {}), lock(func(*Lock) {}), wish(func(*Wish) {})); err != nil {
		t.Fatal("what is true is refused: ", err)
	}
	stranger := Promise{1, 3, 2, by(3, v.signedPromise(3, 2))}
	long := v.change
	long.Addrs = make([]string, maxAddrs+1)
	rotated := Change{Kind: Rotate, Peer: "a", ID: "z"}
	for what, err := range map[string]error{
		"a version with two votes":                        step(func(s *Step) { s.Votes = s.Votes[:2] }),
		"a version with one vote twice":                   step(func(s *Step) { s.Votes[2] = s.Votes[1] }),
		"a version with a vote of another round":          step(func(s *Step) { s.Votes[2].Sig = by(3, v.signedVote(Ballot{2, v.owner(2)}, v.next)) }),
		"a version with a vote that another signed":       step(func(s *Step) { s.Votes[2].Sig = s.Votes[1].Sig }),
		"a version with acceptances":                      step(func(s *Step) { s.Votes = v.signatures([]int{0, 1, 3}, v.signedAccept(3, v.next)) }),
		"a version whose motion nobody signed":            step(func(s *Step) { s.Motion.Sig = nil }),
		"a version by another author":                     step(func(s *Step) { s.Motion.Author = 1 }),
		"a lock with two acceptances":                     lock(func(l *Lock) { l.Accepts = l.Accepts[:2] }),
		"a lock of another round":                         lock(func(l *Lock) { l.Round = 1 }),
		"a lock of another motion":                        lock(func(l *Lock) { l.Motion = other.motion }),
		"a lock with one acceptance twice":                lock(func(l *Lock) { l.Accepts[2] = l.Accepts[1] }),
		"a proposal on two promises":                      proposal(func(x *Proposal) { x.Basis = x.Basis[:2] }),
		"a proposal on one promise twice":                 proposal(func(x *Proposal) { x.Basis[2] = x.Basis[1] }),
		"a proposal on a promise of another round":        proposal(func(x *Proposal) { x.Basis[2] = Promise{2, 2, 0, by(2, v.signedPromise(2, 0))} }),
		"a proposal on a promise that another signed":     proposal(func(x *Proposal) { x.Basis[1] = stranger }),
		"a proposal without the lock that promises know":  proposal(func(x *Proposal) { x.Lock = nil }),
		"a proposal with an older lock":                   proposal(func(x *Proposal) { x.Lock = v.lockIn(1) }),
		"a proposal with a lock of its own round":         proposal(func(x *Proposal) { x.Lock = v.lockIn(3) }),
		"a proposal with a lock of another motion":        proposal(func(x *Proposal) { x.Lock = other.lockIn(2) }),
		"a proposal of another motion than its lock":      proposal(func(x *Proposal) { x.Sealed = other.sealed }),
		"a proposal that its owner has not signed":        proposal(func(x *Proposal) { x.Sig = by(v.owner(2), v.signedProposal(3, v.next)) }),
		"a proposal that two have approved":               free(func(x *Proposal) { x.Sealed.Approvals = x.Sealed.Approvals[:2] }),
		"a proposal of another wish than was approved":    free(func(x *Proposal) { x.Sealed.Number = 3 }),
		"a proposal whose author has not sealed it":       free(func(x *Proposal) { x.Sealed.Sig = nil }),
		"a proposal of no round":                          free(func(x *Proposal) { x.Round = 0 }),
		"a wish that another signed":                      wish(func(w *Wish) { w.Sig = by(1, signedWish("wish", v.network, 0, 2, w.Change)) }),
		"a wish with a seal of another":                   wish(func(w *Wish) { w.Seal = other.motion.Sig }),
		"a sealed wish for nothing":                       wish(func(w *Wish) { w.Change = nil }),
		"a wish for too many addresses":                   wish(func(w *Wish) { w.Change, w.Seal = &long, nil }),
		"a wish for a key that has not asked for it":      wish(func(w *Wish) { w.Change, w.Seal = &rotated, nil }),
		"a promise of a lock that comes later":            v.promise(&Promise{1, 2, 2, by(1, v.signedPromise(2, 2))}),
		"a promise that another signed":                   v.promise(&Promise{1, 2, 0, by(3, v.signedPromise(2, 0))}),
		"a promise of a peer that there is not":           v.promise(&Promise{4, 2, 0, by(1, v.signedPromise(2, 0))}),
		"a vote of a peer that there is not":              v.vote(&Mark{4, 2, v.next, nil}),
		"a vote that is another's with the place changed": v.vote(&Mark{1, 2, v.next, by(2, v.signedVote(Ballot{2, v.owner(2)}, v.next))}),
		"an acceptance with the place changed":            v.accept(&Mark{1, 2, v.next, by(2, v.signedAccept(2, v.next))}),
		"an approval of nothing":                          v.approval(&Approval{1, 0, 2, nil}, nil),
		"an approval that another signed":                 v.approval(&Approval{1, 0, 2, v.sealed.Approvals[2].Sig}, &Wish{Number: 2, Change: &v.change}),
		"an approval of an earlier wish":                  v.approval(&Approval{1, 0, 2, v.sealed.Approvals[1].Sig}, &Wish{Number: 3, Change: &v.change}),
		"more promises than there are signers":            v.merge(new(Agreement), &Agreement{Promises: make([]Promise, 5)}),
	} {
		if err == nil {
			t.Errorf("%s is believed", what)
		}
	}
}

// TestALieIsItsAuthors: what a peer has signed against the rules is its own fault, also if another one shows it, and is not kept. The honest peers
// that relay what they keep are not accused of anything.
func TestALieIsItsAuthors(t *testing.T) {
	l := newLab(t, 1, 4, 4, 3)
	a, b, c := l.sites[0], l.sites[1], l.sites[2]
	s := l.sites[3]
	terms := a.book.terms
	wish := func(number uint64, arm string) Wish {
		w := Wish{Author: 3, Number: number, Change: &Change{Kind: Extend, Arm: arm}}
		w.Sig, _ = s.key.Sign(signedWish("wish", terms.network, w.Author, w.Number, w.Change))
		return w
	}
	show := func(to *labSite, x Agreement) error {
		return to.book.Merge(&State{First: to.book.r.First, Agreement: x})
	}
	accuses := func(err error, what string) {
		t.Helper()
		lie := new(Lie)
		if !errors.As(err, &lie) || lie.Place != 3 || !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "d: "+what) {
			t.Errorf("%v, want an accusation of d: %s", err, what)
		}
	}
	if err := errors.Join(show(a, Agreement{Wishes: []Wish{wish(1, "blue")}}), show(b, Agreement{Wishes: []Wish{wish(1, "green")}})); err != nil {
		t.Fatal(err)
	}
	accuses(b.book.Merge(&a.book.r.State), "it wants")
	accuses(a.book.Merge(&b.book.r.State), "it wants")
	if x, y := text(a.book.r.Agreement.Wishes), text(b.book.r.Agreement.Wishes); x != y {
		t.Errorf("they keep different ones:\n%s\n%s", x, y)
	}
	if err := errors.Join(b.book.Merge(&a.book.r.State), c.book.Merge(&a.book.r.State)); err != nil {
		t.Errorf("an honest relay: %v", err)
	}
	forged := wish(1, "white")
	forged.Sig = []byte("not d's")
	if err := show(c, Agreement{Wishes: []Wish{forged}}); err == nil || errors.As(err, new(*Lie)) {
		t.Errorf("a twin that nobody has signed: %v", err)
	}

	c.book.fits = func(_, is *Document) error {
		if slices.Contains(is.Added, "teal") {
			return refuse("no room")
		}
		return nil
	}
	c.book.settle()
	accuses(show(c, Agreement{Wishes: []Wish{wish(2, "teal")}}), "it wants what no peer could go on with: network document refused: no room")
	if w := wishOf(&c.book.r.Agreement, 3); w.Number != 1 {
		t.Error("it is kept, and relayed")
	}

	for _, round := range []uint64{maxRound + 1, math.MaxUint64} {
		p := Promise{Place: 3, Round: round}
		p.Sig, _ = s.key.Sign(terms.signedPromise(p.Round, 0))
		accuses(show(a, Agreement{Promises: []Promise{p}}), "it signs for round")
		m := Mark{Place: 3, Round: round, Next: "x"}
		m.Sig, _ = s.key.Sign(terms.signedAccept(m.Round, m.Next))
		accuses(show(a, Agreement{Accepts: []Mark{m}}), "it signs for round")
		m.Sig, _ = s.key.Sign(terms.signedVote(Ballot{m.Round, terms.owner(m.Round)}, m.Next))
		accuses(show(a, Agreement{Votes: []Mark{m}}), "it signs for round")
	}
	if text(a.book.r.Agreement.Promises)+text(a.book.r.Agreement.Accepts) != "nullnull" {
		t.Error("a round that is far away is kept")
	}
}

// TestWishesHaveNumbersOfTheirOwn: also when a version has ended the last one, and another peer still has an earlier one.
func TestWishesHaveNumbersOfTheirOwn(t *testing.T) {
	l := newLab(t, 1, 2, 1, 0)
	a, b := l.sites[0], l.sites[1]
	want := func(arm string) {
		if err := b.book.Wish(Change{Kind: Extend, Arm: arm}); err != nil {
			t.Fatal(err)
		}
	}
	want("blue")
	l.show(b, a)
	old := a.book.Record().Agreement
	if err := b.book.Withdraw(); err != nil {
		t.Fatal(err)
	}
	want("green")
	l.show(b, a)
	a.signAll()
	l.show(a, b)
	l.show(b, a)
	want("white")
	if err := a.book.Merge(&State{First: a.book.r.First, Steps: a.book.r.Steps, Agreement: Agreement{Wishes: old.Wishes}}); err != nil {
		t.Fatal(err)
	}
	l.show(a, b)
	l.show(b, a)
	if w := wishOf(&a.book.r.Agreement, 1); a.book.Newest().Version != 2 || w.Number != 4 || w.Change.Arm != "white" {
		t.Errorf("version %d, wish %d", a.book.Newest().Version, w.Number)
	}
}

// TestASignerIsBound: a signer accepts one proposal in a round, and nothing of a round before the
// one to which it went on, and nothing is shown before it is kept.
func TestASignerIsBound(t *testing.T) {
	x, y := newVoted(t, Change{Kind: Extend, Arm: "blue"}), newVoted(t, Change{Kind: Extend, Arm: "green"})
	d, keys := peers(4)
	full := false
	b, err := Open(Config{Keys: keys[3], ID: string(keys[3]), Keep: func(Record) error {
		if full {
			return errors.New("no room")
		}
		return nil
	}}, Record{State: State{First: d}})
	if err != nil {
		t.Fatal(err)
	}
	show := func(p *Proposal) *Mark {
		if wrong := b.Merge(&State{First: d, Agreement: Agreement{Proposal: p}}); wrong != nil && !full {
			t.Fatal(wrong)
		}
		return find(b.Record().Agreement.Accepts, 3, placeOfMark)
	}
	full = true
	if m := show(x.proposalIn(1, nil, 0)); m != nil {
		t.Errorf("what was not kept is shown: %+v", m)
	}
	full = false
	if m := show(x.proposalIn(2, nil, 0)); m == nil || m.Round != 2 || m.Next != x.next {
		t.Fatalf("%+v", m)
	}
	b.r.Agreement.Proposal = nil
	if m := show(y.proposalIn(2, nil, 0)); m.Next != x.next {
		t.Error("two acceptances in one round")
	}
	if err = b.update(b.goOn); err != nil || b.r.Agreement.Promises[0].Round != 3 {
		t.Fatal(err, b.r.Agreement.Promises)
	}
	b.r.Agreement.Proposal, b.r.Agreement.Accepts = nil, nil
	if m := show(y.proposalIn(2, nil, 0)); m != nil {
		t.Errorf("an acceptance after the promise to go on: %+v", m)
	}
	if err = b.Merge(&State{First: d, Agreement: Agreement{Lock: x.lockIn(2)}}); err != nil || len(b.r.Agreement.Votes) > 0 {
		t.Errorf("a vote after the promise to go on: %+v, %v", b.r.Agreement.Votes, err)
	}
	if err = b.update(b.goOn); err != nil || b.r.Agreement.Promises[0].Locked != 2 {
		t.Errorf("a promise that does not mention the lock: %+v, %v", b.r.Agreement.Promises, err)
	}
}

// TestAForkNamesWhoSignedBoth: with more liars than the document allows for there can be two
// documents of one version. A peer keeps its own, and names who voted for both.
func TestAForkNamesWhoSignedBoth(t *testing.T) {
	x, y := newVoted(t, Change{Kind: Extend, Arm: "blue"}), newVoted(t, Change{Kind: Extend, Arm: "green"})
	d, keys := peers(4)
	ballot := Ballot{1, x.owner(1)}
	of := func(v *voted, places ...int) *State {
		return &State{First: d, Steps: []Step{{Motion: v.motion, Ballot: ballot, Votes: v.signatures(places, v.signedVote(ballot, v.next))}}}
	}
	b, err := Open(Config{Keys: keys[3], ID: string(keys[3]), Keep: func(Record) error { return nil }}, Record{State: *of(x, 0, 1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if err = b.Merge(of(y, 1, 3)); err == nil || !errors.Is(err, ErrRefused) || b.Record().Fork != nil {
		t.Error("two of four make a fork", err)
	}
	err = b.Merge(of(y, 1, 2, 3))
	fork := new(Fork)
	if !errors.As(err, &fork) || strings.Join(fork.Both, " ") != "b c" || !strings.Contains(err.Error(), "b, c") || b.Newest().Hash() != x.next || b.Record().Fork == nil {
		t.Errorf("%v", err)
	}
}

// TestWithdrawnChangesDoNotCome: a change that its author has taken back never comes, even
// if others sign it later; one that is sealed cannot be taken back.
func TestWithdrawnChangesDoNotCome(t *testing.T) {
	l := newLab(t, 1, 3, 3, 0)
	a, b, c := l.sites[0], l.sites[1], l.sites[2]
	want := func() {
		if err := a.book.Wish(Change{Kind: Remove, Peer: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	want()
	l.show(a, b)
	hash := b.book.Proposed()[0].Hash
	if err := a.book.Withdraw(); err != nil {
		t.Fatal(err)
	}
	if err := b.book.Approve(hash); err != nil {
		t.Fatal(err)
	}
	l.show(b, c)
	if err := c.book.Approve(hash); err == nil { // enough signers have signed, except the author
		t.Log("all have signed")
	}
	if l.settle() != 1 {
		t.Error("a change that was withdrawn has come")
	}
	if err := b.book.Approve(hash); err == nil || !strings.Contains(err.Error(), "no peer wants") {
		t.Error(err)
	}
	want()
	l.show(a, b)
	b.signAll()
	l.show(b, a)
	if err := a.book.Withdraw(); err == nil || !strings.Contains(err.Error(), "being voted on") {
		t.Error(err)
	}
	if l.settle() != 2 {
		t.Error("a change that all have signed has not come")
	}
}

// TestNoNumberStopsChanges: rounds that are far away, stated by an admin that then ends, do not
// keep the others from going on.
func TestNoNumberStopsChanges(t *testing.T) {
	l := newLab(t, 1, 3, 3, 0)
	s := l.sites[2]
	for _, b := range l.sites[:2] {
		p := Promise{Place: 2, Round: maxRound, Locked: maxRound - 1}
		p.Sig, _ = s.key.Sign(b.book.terms.signedPromise(p.Round, p.Locked))
		if err := b.book.Merge(&State{First: b.book.r.First, Agreement: Agreement{Promises: []Promise{p}}}); err != nil {
			t.Fatal(err)
		}
	}
	s.dead = true
	if err := l.sites[0].book.Wish(Change{Kind: Remove, Peer: "c"}); err != nil {
		t.Fatal(err)
	}
	for range waitFirst {
		if err := l.sites[0].book.Tick(); err != nil {
			t.Fatal(err)
		}
	}
	a := l.sites[0].book.Record().Agreement
	if round := roundOf(&a, 0); round > 1 {
		t.Errorf("in round %d before others could answer, since a number is far away", round)
	}
	if l.settle() != 2 {
		t.Error("nothing changes any more")
	}
}

// TestADeadAdminOfThreeCostsNothing: two others go on, whichever it is; a second one stops changes.
func TestADeadAdminOfThreeCostsNothing(t *testing.T) {
	for dead := range 3 {
		l := newLab(t, uint64(dead), 4, 3, 2)
		l.sites[dead].dead = true
		for i := range 3 {
			if err := l.sites[(dead+1)%3].book.Wish(Change{Kind: Extend, Arm: string(rune('x' + i))}); err != nil {
				t.Fatal(err)
			}
		}
		if versions := l.settle(); versions != 4 {
			t.Errorf("without %s: %d versions", l.sites[dead].name, versions)
		}
	}
}

// TestARestoredAdminHearsOthersFirst: until it has, it does not vote, and then it knows what it
// has signed.
func TestARestoredAdminHearsOthersFirst(t *testing.T) {
	l := newLab(t, 1, 2, 1, 0)
	a, b := l.sites[0], l.sites[1]
	old := a.disk
	if err := a.do(func() error { return a.book.Wish(Change{Kind: Extend, Arm: "blue"}) }); err != nil {
		t.Fatal(err)
	}
	l.show(a, b)
	a.disk, a.roll = old, new(Roll)
	a.open()
	if err := a.do(func() error { return a.book.Wish(Change{Kind: Extend, Arm: "green"}) }); err != nil {
		t.Fatal(err)
	}
	if v := a.book.Newest().Version; v != 1 || len(a.book.Awaits()) == 0 {
		t.Errorf("version %d before it has heard anybody", v)
	}
	if a.roll.Confirm(true); len(a.book.Awaits()) == 0 {
		t.Error("it signs before it has tried to hear others")
	}
	a.roll.Confirm(false)
	for range silence {
		a.roll.Add(nil)
	}
	if who := a.book.Awaits(); !slices.Equal(who, []string{"b"}) {
		t.Errorf("it signs although no neighbour has confirmed that its folder is current: it waits for %v", who)
	}
	a.roll.Confirm(true)
	if len(a.book.Awaits()) > 0 {
		t.Error("it waits for ever for peers that are gone")
	}
	a.disk = old
	a.start()
	if a.book.Newest().Hash() != b.book.Newest().Hash() || l.settle() != 2 {
		t.Error("a fork")
	}
}

// TestRecordsOfEarlierBuilds: a record of the time when versions were voted for in ballots is
// read with its versions, and without the vote that was under way.
func TestRecordsOfEarlierBuilds(t *testing.T) {
	x := newVoted(t, Change{Kind: Extend, Arm: "blue"})
	d, keys := peers(4)
	ballot := Ballot{Round: 7, Place: 3} // any peer could own one
	step := Step{Motion: x.motion, Ballot: ballot, Votes: x.signatures([]int{0, 1, 3}, x.signedVote(ballot, x.next))}
	old := map[string]any{
		"first": d, "steps": []Step{step}, "asked": ballot, "wishes": []Change{x.change}, "approved": []string{"x"},
		"promises": []any{map[string]any{"place": 1, "ballot": ballot, "voted": map[string]any{"place": 1}, "sig": "AAAA"}},
		"votes":    []any{map[string]any{"place": 1, "ballot": ballot, "motion": x.motion, "sig": "AAAA"}},
		"proposal": map[string]any{"ballot": ballot, "motion": x.motion, "basis": []any{}},
	}
	var r Record
	if err := json.Unmarshal(encode(old), &r); err != nil {
		t.Fatal(err)
	}
	b, err := Open(Config{Keys: keys[0], ID: string(keys[0]), Keep: func(Record) error { return nil }}, r)
	if err != nil || b.Newest().Hash() != x.next || len(b.Record().Wanted)+len(b.Proposed()) > 0 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestARotationKeepsTheFormerID, with which earlier signatures are verified and by which others remember the peer.
func TestARotationKeepsTheFormerID(t *testing.T) {
	d, keys := peers(2)
	n := &d
	for _, next := range []key{"second", "third"} {
		c := Change{Kind: Rotate, Peer: "a", ID: string(next)}
		if next == "third" {
			c.Ledger = &Ledger{Records: 7, Head: strings.Repeat("0a", 32)}
		}
		if err := c.Prove(n.Hash(), next.Sign); err != nil {
			t.Fatal(err)
		}
		if next.Verify(c.ID, (&Change{Kind: c.Kind, Peer: c.Peer, ID: c.ID, Ledger: &Ledger{Records: 8}}).proven(n.Hash()), c.Proof) {
			t.Error("the new key has not signed how far the ledger was")
		}
		var err error
		if n, err = n.Next(&c); err != nil {
			t.Fatal(err)
		}
	}
	if p := n.Peers[0]; p.ID != "third" || !slices.Equal(p.Former, []string{string(keys[0]), "second"}) || !slices.Equal(p.Closed, []Closed{{"second", Ledger{7, strings.Repeat("0a", 32)}}}) {
		t.Errorf("%+v", p)
	}
	for _, l := range []Ledger{{}, {7, ""}, {7, strings.Repeat("0a", 31)}, {7, strings.Repeat("zz", 32)}, {0, strings.Repeat("0a", 32)}} {
		if _, err := n.Next(&Change{Kind: Rotate, Peer: "a", ID: "fourth", Ledger: &l}); err == nil || !strings.Contains(err.Error(), "want a record and 64 hexadecimal digits") {
			t.Errorf("a ledger of %+v: %v", l, err)
		}
	}
}

// TestOnlyAPeersOwnAffairsComeUnasked: others need their operators.
func TestOnlyAPeersOwnAffairsComeUnasked(t *testing.T) {
	for _, kind := range []Kind{Invite, Add, Extend, Retire, Govern, Link, Unlink, Set} {
		if c := (Change{Kind: kind, Peer: "a"}); c.Own() {
			t.Error(kind)
		}
	}
}

// TestHowManySignersMayLie: fewer than any two quorums share.
func TestHowManySignersMayLie(t *testing.T) {
	for _, x := range []struct{ signers, needed, liars int }{{1, 1, 0}, {2, 2, 1}, {3, 2, 0}, {3, 3, 2}, {4, 3, 1}, {5, 3, 0}, {5, 4, 2}, {7, 5, 2}} {
		d, _ := peers(x.signers)
		d.Needed = x.needed
		if n := d.Liars(); n != x.liars {
			t.Errorf("%d of %d sign: %d may lie, want %d", x.needed, x.signers, n, x.liars)
		}
	}
}
