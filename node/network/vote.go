package network

import (
	"cmp"
	"fmt"
	"slices"
)

// Versions are agreed on as in Paxos [Lamport 1998], one decision per version. A peer asks for a
// ballot. Signers promise to vote in no lower one, and report their last votes. With the promises
// of a majority, the peer that asked proposes the motion of the newest of those votes, or its own
// change if enough promises show no vote. Then signers vote. A motion for which a majority voted
// in one ballot is the next version. Two such majorities share a signer, whose promise kept the
// later ballot from another change. Proposing two changes in one ballot achieves nothing:
// promises that show votes for both permit no proposal.

// A Ballot is one attempt at the next version.
type Ballot struct {
	Round uint64 `json:"round"` // from 1; 0 for none
	Place int    `json:"place"` // the peer that asked for it
}

func (b Ballot) compare(c Ballot) int {
	return cmp.Or(cmp.Compare(b.Round, c.Round), cmp.Compare(b.Place, c.Place))
}

// A Motion is a change that a peer wants.
type Motion struct {
	Change Change `json:"change"`
	Author int    `json:"author"` // its place
	Sig    []byte `json:"sig"`    // by the author
}

// A Vote is a signer's signature of a motion in a ballot.
type Vote struct {
	Place  int    `json:"place"`
	Ballot Ballot `json:"ballot"`
	Motion Motion `json:"motion"`
	Sig    []byte `json:"sig"`
}

// A Promise says that a signer votes in no ballot before this one, and how it voted last.
type Promise struct {
	Place  int    `json:"place"`
	Ballot Ballot `json:"ballot"`
	Voted  *Vote  `json:"voted,omitempty"`
	Sig    []byte `json:"sig"`
}

// A Proposal is what is voted on in a ballot, with the promises that permit it.
type Proposal struct {
	Ballot Ballot    `json:"ballot"`
	Motion Motion    `json:"motion"`
	Basis  []Promise `json:"basis"`
}

// A Step is how a version follows from the one before: a motion for which a majority of its
// signers voted.
type Step struct {
	Motion Motion      `json:"motion"`
	Ballot Ballot      `json:"ballot"`
	Votes  []Signature `json:"votes"`
}

// A Signature is the part of a vote that is kept.
type Signature struct {
	Place int    `json:"place"`
	Sig   []byte `json:"sig"`
}

// Keys signs with this peer's key and verifies signatures by other peers' keys. Signatures are
// for network documents only.
type Keys interface {
	Sign(b []byte) ([]byte, error)
	Verify(id string, b, sig []byte) bool
}

// signedMotion, signedVote and signedPromise return what signatures cover. next is the hash of
// the document that a motion makes.

func (t *terms) signedMotion(next string) []byte {
	return fmt.Appendf(nil, "motion\x00%s\x00%s", t.network, next)
}

func (t *terms) signedVote(b Ballot, next string) []byte {
	return fmt.Appendf(nil, "vote\x00%s\x00%d\x00%d\x00%s", t.network, b.Round, b.Place, next)
}

func (t *terms) signedPromise(p *Promise) []byte {
	voted := "nothing"
	if p.Voted != nil {
		voted = fmt.Sprintf("%d\x00%d\x00%x", p.Voted.Ballot.Round, p.Voted.Ballot.Place, p.Voted.Sig)
	}
	return fmt.Appendf(nil, "promise\x00%s\x00%s\x00%d\x00%d\x00%s", t.network, t.hash, p.Ballot.Round, p.Ballot.Place, voted)
}

// terms describe the vote on the version after a document.
type terms struct {
	keys     Keys
	network  string // hash of the first document
	hash     string // of the document
	document *Document
	signers  []int
}

func newTerms(keys Keys, network string, d *Document) *terms {
	return &terms{keys: keys, network: network, hash: d.Hash(), document: d, signers: d.Signers()}
}

func (t *terms) signs(place int) bool { return slices.Contains(t.signers, place) }

// by verifies a signature by the key of the peer in a place.
func (t *terms) by(place int, b, sig []byte) bool {
	return place >= 0 && place < len(t.document.Peers) && t.keys.Verify(t.document.Peers[place].ID, b, sig)
}

// next returns the document that a motion makes, if its author may move it.
func (t *terms) next(m *Motion) (*Document, error) {
	n, err := t.document.Next(&m.Change)
	if err != nil {
		return nil, err
	}
	if m.Author < 0 || m.Author >= len(t.document.Peers) {
		return nil, refuse("a motion by peer %d", m.Author)
	}
	author := &t.document.Peers[m.Author]
	switch {
	case author.Standing != Present && (author.Standing != Invited || m.Change.Kind != Join || author.Name != m.Change.Peer):
		return nil, refuse("a motion by %s, which is %s", author.Name, author.Standing)
	case (m.Change.Kind == Join || m.Change.Kind == Rotate) && !t.keys.Verify(m.Change.ID, m.Change.proven(t.network), m.Change.Proof):
		return nil, refuse("%s: the new key has not signed it", m.Change.Kind)
	case !t.by(m.Author, t.signedMotion(n.Hash()), m.Sig):
		return nil, refuse("a motion that %s has not signed", author.Name)
	}
	return n, nil
}

// vote verifies a vote.
func (t *terms) vote(v *Vote) error {
	if !t.signs(v.Place) {
		return refuse("a vote of peer %d, which is no signer", v.Place)
	}
	n, err := t.next(&v.Motion)
	if err != nil {
		return err
	}
	if !t.by(v.Place, t.signedVote(v.Ballot, n.Hash()), v.Sig) {
		return refuse("a vote that peer %d has not signed", v.Place)
	}
	return nil
}

func (t *terms) promise(p *Promise) error {
	if !t.signs(p.Place) || !t.by(p.Place, t.signedPromise(p), p.Sig) {
		return refuse("a promise that no signer has made")
	}
	if p.Voted == nil {
		return nil
	}
	if p.Voted.Place != p.Place || p.Voted.Ballot.compare(p.Ballot) > 0 {
		return refuse("a promise with a vote of another peer, or of a later ballot")
	}
	return t.vote(p.Voted)
}

// proposal verifies that a proposal may be voted on.
func (t *terms) proposal(x *Proposal) error {
	var places []int
	for i := range x.Basis {
		p := &x.Basis[i]
		if err := t.promise(p); err != nil {
			return err
		}
		if p.Ballot != x.Ballot || slices.Contains(places, p.Place) {
			return refuse("a proposal with promises of another ballot, or two of one signer")
		}
		places = append(places, p.Place)
	}
	if len(places) < t.document.Majority() {
		return refuse("a proposal with %d promises, want %d", len(places), t.document.Majority())
	}
	n, err := t.next(&x.Motion)
	if err != nil {
		return err
	}
	for _, last := range newest(x.Basis) {
		before, err := t.next(&last.Motion)
		if err != nil || before.Hash() != n.Hash() {
			return refuse("a proposal of another change than a signer has voted for")
		}
	}
	return nil
}

// newest returns the votes in the highest ballot that promises show. They are for one motion,
// unless the peer that asked for that ballot proposed two.
func newest(promises []Promise) (votes []*Vote) {
	for i := range promises {
		v := promises[i].Voted
		switch {
		case v == nil || len(votes) > 0 && v.Ballot.compare(votes[0].Ballot) < 0:
		case len(votes) > 0 && v.Ballot == votes[0].Ballot:
			votes = append(votes, v)
		default:
			votes = []*Vote{v}
		}
	}
	return votes
}

// step verifies a step and returns the document that it makes.
func (t *terms) step(s *Step) (*Document, error) {
	n, err := t.next(&s.Motion)
	if err != nil {
		return nil, err
	}
	signed := t.signedVote(s.Ballot, n.Hash())
	var places []int
	for _, v := range s.Votes {
		if t.signs(v.Place) && !slices.Contains(places, v.Place) && t.by(v.Place, signed, v.Sig) {
			places = append(places, v.Place)
		}
	}
	if len(places) < t.document.Majority() {
		return nil, refuse("version %d has %d valid signatures, want %d of %d", n.Version, len(places), t.document.Majority(), len(t.signers))
	}
	return n, nil
}
