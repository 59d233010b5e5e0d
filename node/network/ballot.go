package network

import (
	"fmt"
	"slices"
)

// Signers agree on the version after a document as in PBFT [Castro and Liskov 1999], one decision
// per version. A quorum is as many signers as have to vote; see [Document.Quorum]. Rounds have
// owners, who take turns. The owner of a round proposes a sealed motion, and signers accept one
// proposal in a round. The acceptances of a quorum are a [Lock]. Signers that know the lock vote
// for its motion, and the votes of a quorum make the version.
//
// A signer that waits in vain promises to go on to the next round, and says of which round the
// newest lock is that it knows. In later rounds the owner needs the promises of a
// quorum, and has to propose the motion of a lock that is as new as the newest that they mention.
// docs/proofs/document.md shows what follows.

// A Ballot is the round in which a version was voted for.
type Ballot struct {
	Round uint64 `json:"round"` // from 1
	Place int    `json:"place"` // its owner
}

// A Promise says that a signer accepts and votes in no round before this one.
type Promise struct {
	Place  int    `json:"place"`
	Round  uint64 `json:"round"`
	Locked uint64 `json:"locked"` // round of the newest lock that the signer knows; 0 for none
	Sig    []byte `json:"sig"`
}

// A Proposal is what the owner of a round wants to be accepted.
type Proposal struct {
	Round  uint64    `json:"round"`
	Sealed Sealed    `json:"sealed"`          // its approvals count if there is no lock
	Basis  []Promise `json:"basis,omitempty"` // none in round 1
	Lock   *Lock     `json:"lock,omitempty"`  // of the same motion
	Sig    []byte    `json:"sig"`             // by the owner
}

// A Mark is a signer's acceptance of a proposal or its vote for a lock, in a round.
type Mark struct {
	Place int    `json:"place"`
	Round uint64 `json:"round"`
	Next  string `json:"next"` // hash of the document that the motion makes
	Sig   []byte `json:"sig"`
}

// A Lock is a motion that a quorum has accepted in one round.
type Lock struct {
	Round   uint64      `json:"round"`
	Motion  Motion      `json:"motion"`
	Accepts []Signature `json:"accepts"`
}

// A Step is how a version follows from the one before: a motion for which a quorum of its signers
// voted in one round.
type Step struct {
	Motion Motion      `json:"motion"`
	Ballot Ballot      `json:"ballot"`
	Votes  []Signature `json:"votes"`
}

// A Signature is a signer's.
type Signature struct {
	Place int    `json:"place"`
	Sig   []byte `json:"sig"`
}

// Domain separates signatures of network documents from all other signatures with a peer's key.
const Domain = "peerd/document/1"

// Keys signs with this peer's key and verifies signatures by other peers' keys. Signatures are
// for network documents only.
type Keys interface {
	Sign(b []byte) ([]byte, error)
	Verify(id string, b, sig []byte) bool
}

// terms describe the agreement on the version after a document.
type terms struct {
	keys     Keys
	network  string // hash of the first document
	hash     string // of the document
	document *Document
	signers  []int
	quorum   int
	fits     func(was, is *Document) error // why this peer could not go on with a version
	nexts    map[string]*Document          // of motions that were verified
}

// maxNexts bounds the motions of one version that are remembered.
const maxNexts = 64

func newTerms(keys Keys, network string, d *Document, fits func(was, is *Document) error) *terms {
	return &terms{
		keys: keys, network: network, hash: d.Hash(), document: d, signers: d.Signers(), quorum: d.Quorum(), fits: fits,
		nexts: make(map[string]*Document),
	}
}

func (t *terms) signs(place int) bool { return slices.Contains(t.signers, place) }

// owner returns the place of the signer who proposes in a round.
func (t *terms) owner(round uint64) int {
	return t.signers[(t.document.Version+round)%uint64(len(t.signers))]
}

// by verifies a signature by the key of the peer in a place.
func (t *terms) by(place int, b, sig []byte) bool {
	return place >= 0 && place < len(t.document.Peers) && t.keys.Verify(t.document.Peers[place].ID, b, sig)
}

// enough verifies that a quorum of signers has signed.
func (t *terms) enough(all []Signature, signed func(Signature) []byte) error {
	if len(all) > len(t.signers) {
		return refuse("%d signatures of %d signers", len(all), len(t.signers))
	}
	var places []int
	for _, s := range all {
		if t.signs(s.Place) && !slices.Contains(places, s.Place) && t.by(s.Place, signed(s), s.Sig) {
			places = append(places, s.Place)
		}
	}
	if len(places) < t.quorum {
		return refuse("%d valid signatures, want %d of %d", len(places), t.quorum, len(t.signers))
	}
	return nil
}

// What signatures cover. next is the hash of the document that a motion makes.

func (t *terms) signedPromise(round, locked uint64) []byte {
	return fmt.Appendf(nil, "go on\x00%s\x00%s\x00%d\x00%d", t.network, t.hash, round, locked)
}

func (t *terms) signedProposal(round uint64, next string) []byte {
	return fmt.Appendf(nil, "propose\x00%s\x00%s\x00%d\x00%s", t.network, t.hash, round, next)
}

func (t *terms) signedAccept(round uint64, next string) []byte {
	return fmt.Appendf(nil, "accept\x00%s\x00%s\x00%d\x00%s", t.network, t.hash, round, next)
}

func (t *terms) signedVote(b Ballot, next string) []byte {
	return fmt.Appendf(nil, "vote\x00%s\x00%d\x00%d\x00%s", t.network, b.Round, b.Place, next)
}

func (t *terms) promise(p *Promise) error {
	if p.Locked >= p.Round || !t.signs(p.Place) || !t.by(p.Place, t.signedPromise(p.Round, p.Locked), p.Sig) {
		return refuse("a promise that no signer has made")
	}
	return t.round(p.Place, p.Round)
}

func (t *terms) accept(m *Mark) error {
	if m.Round == 0 || !t.signs(m.Place) || !t.by(m.Place, t.signedAccept(m.Round, m.Next), m.Sig) {
		return refuse("an acceptance that no signer has given")
	}
	return t.round(m.Place, m.Round)
}

func (t *terms) vote(m *Mark) error {
	if m.Round == 0 || !t.signs(m.Place) || !t.by(m.Place, t.signedVote(Ballot{m.Round, t.owner(m.Round)}, m.Next), m.Sig) {
		return refuse("a vote that no signer has given")
	}
	return t.round(m.Place, m.Round)
}

// maxRound bounds rounds. A signer waits at least seven seconds in each, so it does not get there in ten thousand years.
const maxRound = 1 << 36

// round returns a lie if a signer has signed something of a round that it cannot have reached.
func (t *terms) round(place int, round uint64) error {
	if round > maxRound {
		return t.lie(place, "it signs for round %d", round)
	}
	return nil
}

// lock verifies a lock, and returns the hash of the document that its motion makes.
func (t *terms) lock(l *Lock) (next string, err error) {
	n, err := t.next(&l.Motion)
	if err != nil {
		return "", err
	}
	next = n.Hash()
	signed := t.signedAccept(l.Round, next)
	if l.Round == 0 {
		return "", refuse("a lock of no round")
	}
	return next, t.enough(l.Accepts, func(Signature) []byte { return signed })
}

// proposal verifies that a proposal may be accepted.
func (t *terms) proposal(x *Proposal) (err error) {
	var next string // hash of the document that its motion makes
	if x.Lock == nil {
		next, err = t.sealed(&x.Sealed)
	} else {
		if next, err = t.lock(x.Lock); err == nil && (x.Lock.Round >= x.Round || text(&x.Lock.Motion) != text(&x.Sealed.Motion)) {
			err = refuse("a proposal with a lock of another motion, or of a later round")
		}
	}
	if err != nil {
		return err
	}
	if x.Round == 0 || !t.by(t.owner(x.Round), t.signedProposal(x.Round, next), x.Sig) {
		return refuse("a proposal that the owner of round %d has not signed", x.Round)
	}
	if x.Round == 1 {
		return nil
	}
	var promises []Signature
	locked := make(map[int]uint64)
	for _, p := range x.Basis {
		if p.Round != x.Round || p.Locked > 0 && (x.Lock == nil || x.Lock.Round < p.Locked) {
			return refuse("a proposal with promises of another round, or without the lock that they mention")
		}
		promises = append(promises, Signature{p.Place, p.Sig})
		locked[p.Place] = p.Locked
	}
	return t.enough(promises, func(s Signature) []byte { return t.signedPromise(x.Round, locked[s.Place]) })
}

// step verifies a step and returns the document that it makes.
func (t *terms) step(s *Step) (*Document, error) {
	n, err := t.next(&s.Motion)
	if err != nil {
		return nil, err
	}
	signed := t.signedVote(s.Ballot, n.Hash())
	if err = t.enough(s.Votes, func(Signature) []byte { return signed }); err != nil {
		return nil, fmt.Errorf("version %d: %w", n.Version, err)
	}
	return n, nil
}
