package bundle

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/node/ledger"
	"peerd.dev/node/network"
)

// A statement is a line of the part [Receipts].
type statement struct {
	Kind      string      `json:"kind"`
	Witness   string      `json:"witness,omitempty"`
	Peer      string      `json:"peer,omitempty"`
	Records   uint64      `json:"records"`
	Head      ledger.Hash `json:"head"`
	Time      *time.Time  `json:"time,omitempty"`
	Signature string      `json:"signature"`
}

// The kinds of statements.
const (
	receiptKind    = "receipt"
	checkpointKind = "checkpoint"
)

// A Witness is a neighbour of the site, and what it vouches for.
type Witness struct {
	Name    string     `json:"name"`
	Records uint64     `json:"records"` // of the ledger, up to its newest receipt; 0 for none
	Time    *time.Time `json:"time,omitempty"`
}

// ground is what statements are compared with.
type ground struct {
	network string
	site    int // place
	made    time.Time
	newest  *network.Document
	heads   map[uint64]ledger.Hash // of the ledger, by number of records
	next    uint64                 // number of the record after the last one
}

// statements checks the part [Receipts], and returns the newest receipt of every peer by its place.
func (g *ground) statements(b []byte) (newest map[int]*statement, checkpoints int, err error) {
	newest = make(map[int]*statement)
	var last *statement
	for line := range bytes.Lines(b) {
		s := new(statement)
		if err = json.Unmarshal(line, s); err != nil {
			return nil, 0, fault(Form, "%s: %w", Receipts, err)
		}
		if again, wrong := lines(s); wrong != nil || !bytes.Equal(again, line) || (s.Kind == receiptKind) != (s.Time != nil && s.Witness != "" && s.Peer == "") || !known(s.Kind) {
			return nil, 0, fault(Form, "%s: a line is not as a peer writes it", Receipts)
		}
		if last != nil && !last.before(s) {
			return nil, 0, fault(Form, "%s: lines are not in order, or twice", Receipts)
		}
		before := last
		last = s
		place, _, ok := g.newest.PlaceOf(s.Witness + s.Peer) // what it signed with a former key counts as of then
		if !ok || place == g.site {
			return nil, 0, fault(Receipt, "%s: %.70q is no other peer of the network", Receipts, s.Witness+s.Peer)
		}
		if s.Kind == checkpointKind {
			if checkpoints++; !slices.ContainsFunc(ids(&g.newest.Peers[place]), func(id string) bool { return s.signed(id, "peerd/checkpoint/1", g.network, "") }) {
				return nil, 0, fault(Receipt, "%s: %s did not sign the checkpoint of %d records", Receipts, s.Peer, s.Records)
			}
			continue
		}
		lost, err := g.receipt(s, before)
		if err != nil {
			return nil, 0, err
		}
		if n := newest[place]; !lost && (n == nil || n.Time.Before(*s.Time)) {
			newest[place] = s
		}
	}
	return newest, checkpoints, nil
}

func known(kind string) bool { return kind == receiptKind || kind == checkpointKind }

// before reports whether a line comes before another.
func (s *statement) before(o *statement) bool {
	switch {
	case s.Kind != o.Kind:
		return s.Kind == receiptKind
	case s.Witness+s.Peer != o.Witness+o.Peer:
		return s.Witness+s.Peer < o.Witness+o.Peer
	}
	return s.Kind == receiptKind && s.Time.Before(*o.Time)
}

// receipt checks what a witness signed, and returns whether the record was lost, as a gap says. before is the line before; nil for none.
func (g *ground) receipt(s, before *statement) (lost bool, err error) {
	if !slices.ContainsFunc(ids(&g.newest.Peers[g.site]), func(owner string) bool { return s.signed(s.Witness, "peerd/receipt/1", g.network, owner) }) {
		return false, fault(Receipt, "%s: %s did not sign the receipt of %d records of this site at %v", Receipts, s.Witness, s.Records, s.Time)
	}
	head, ok := g.heads[s.Records]
	lost = !ok && 0 < s.Records && s.Records < g.next
	if !lost && head != s.Head || s.Records == 0 {
		return false, fault(Receipt, "%s: %s saw a ledger of %d records with head %v at %v, which this ledger does not contain", Receipts, s.Witness, s.Records, s.Head, s.Time)
	}
	if before != nil && before.Witness == s.Witness && s.Records < before.Records {
		return false, fault(Receipt, "%s: %s saw %d records at %v, and %d before", Receipts, s.Witness, s.Records, s.Time, before.Records)
	}
	if s.Time.After(g.made.Add(slack)) {
		return false, fault(Clock, "%s: the receipt of %s is of %v, and the bundle was made at %v", Receipts, s.Witness, s.Time, g.made)
	}
	return lost, nil
}

// signed reports whether a peer signed the statement, under a domain and of an owner's ledger; the owner is "" for the peer itself.
func (s *statement) signed(by, domain, name, owner string) bool {
	b := append([]byte(name), 0)
	if owner != "" {
		b = append(append(b, owner...), 0)
	}
	b = binary.BigEndian.AppendUint64(b, s.Records)
	b = append(b, s.Head[:]...)
	if s.Time != nil {
		b = binary.BigEndian.AppendUint64(b, uint64(s.Time.Unix())) //nolint:gosec // a time before 1970 is signed by nobody
	}
	sig, err := hex.DecodeString(s.Signature)
	return err == nil && gossip.Verify(by, domain, b, sig)
}
