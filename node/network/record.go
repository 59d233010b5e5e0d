package network

import (
	"encoding/json"
	"fmt"
	"slices"
)

// A Record is what a place has signed of itself: it needs nobody's consent. Of each place only the newest is kept.
type Record struct {
	Text json.RawMessage `json:"record"` // an [Own]
	Sig  []byte          `json:"sig"`    // by the newest key that it names
}

// An Own is what a record says.
type Own struct {
	Network string   `json:"network"` // hash of the document with which the network began
	Peer    string   `json:"peer"`
	Number  uint64   `json:"number"`         // a later one replaces an earlier one
	After   string   `json:"after"`          // a key that the versions name as the place's
	Keys    []Key    `json:"keys,omitempty"` // that followed it, oldest first
	Addrs   []string `json:"addrs,omitempty"`
	Left    bool     `json:"left,omitempty"` // the peer left the network, permanently
}

// A Key follows another one of the same peer.
type Key struct {
	ID     string  `json:"id"`
	Ledger *Ledger `json:"ledger,omitempty"` // of the peer when it replaced the key before; nil if it had no record
	Sig    []byte  `json:"sig,omitempty"`    // by the key before
}

// Bounds of records.
const (
	maxRecord = 4000    // bytes of text
	maxAddrs  = 16      // addresses
	maxNumber = 1 << 53 // of records and tries
)

// signedKey returns what a key signs when another one follows it.
func signedKey(o *Own, k *Key) []byte {
	return fmt.Appendf(nil, "key\x00%s\x00%s\x00%s", o.Network, o.Peer, encode(&Key{ID: k.ID, Ledger: k.Ledger}))
}

// signed returns what the signature of a record covers.
func (r *Record) signed() []byte { return append([]byte("record\x00"), r.Text...) }

// A said is a record that was verified.
type said struct {
	Record
	number uint64
	left   bool
	ids    []string // all keys of the place, oldest first
	peer   Peer     // the place, as the record has it
}

// before reports whether another record of the place is newer. A peer that left does not come back.
func (s *said) before(o *said) bool {
	return !s.left && (len(s.ids) < len(o.ids) || len(s.ids) == len(o.ids) && (o.left || s.number < o.number))
}

// contradicts reports whether no honest peer signs both records.
func (s *said) contradicts(o *said) bool {
	n := min(len(s.ids), len(o.ids))
	return !slices.Equal(s.ids[:n], o.ids[:n]) || s.left && len(o.ids) > n || o.left && len(s.ids) > n || len(s.ids) == len(o.ids) && s.number == o.number && string(s.Text) != string(o.Text)
}

// hear verifies a record, and returns its place. The error is a [*Lie] if the place has signed what is against the rules. With nil keys
// no signature is verified.
func (c *chain) hear(r Record, keys Keys) (place int, s *said, err error) {
	if len(r.Text) > maxRecord || len(r.Sig) > maxSig {
		return 0, nil, refuse("a record of %d bytes, at most %d", len(r.Text), maxRecord)
	}
	var o Own
	if err = read(r.Text, &o); err != nil {
		return 0, nil, err
	}
	place, ok := c.d.Place(o.Peer)
	if !ok || o.Network != c.network() {
		return 0, nil, refuse("a record of no peer of this network, %.70q", o.Peer)
	}
	p := c.d.Peers[place]
	known := append(slices.Clone(p.Former), p.ID)
	at := slices.Index(known, o.After)
	if at < 0 {
		return 0, nil, refuse("a record of %s after the key %.70q, which no version names", p.Name, o.After)
	}
	ids := known[: at+1 : at+1]
	signs := func(b, sig []byte) bool {
		return len(sig) <= maxSig && (keys == nil || keys.Verify(ids[len(ids)-1], b, sig))
	}
	for i := range o.Keys {
		k := &o.Keys[i]
		if !signs(signedKey(&o, k), k.Sig) {
			return 0, nil, refuse("a record of %s with a key that the one before has not signed", p.Name)
		}
		switch {
		case len(ids) < len(known):
			if known[len(ids)] != k.ID {
				return place, nil, c.lie(place, "its record has the key %.70q, in whose place a version names another one", k.ID)
			}
		case slices.Contains(ids, k.ID) || len(k.ID) > maxName || c.d.hasID(k.ID):
			return place, nil, c.lie(place, "its record has the key %.70q, which a peer has or had", k.ID)
		default:
			if err = p.follow(k); err != nil {
				return place, nil, c.lie(place, "%v", err)
			}
		}
		ids = append(ids, k.ID)
	}
	if !signs(r.signed(), r.Sig) {
		return 0, nil, refuse("a record that %s has not signed with its newest key", p.Name)
	}
	if len(ids) < len(known) {
		return 0, nil, errSame // a version has made it old: an honest peer that has not heard of the version shows it
	}
	if o.Number == 0 || o.Number > maxNumber || o.Left != (len(o.Addrs) == 0) || len(o.Addrs) > maxAddrs {
		return place, nil, c.lie(place, "its record has number %d and %d addresses, want 1 to %d, and none if it left", o.Number, len(o.Addrs), maxAddrs)
	}
	if p.Standing != Gone {
		if p.Addrs, p.Standing = o.Addrs, Present; o.Left {
			p.Standing = Gone
		}
	}
	return place, &said{r, o.Number, o.Left, ids, p}, nil
}

// view returns the document with what places have said of themselves. It does not change any more.
func (c *chain) view(records map[int]*said) *Document {
	d := c.d.clone()
	d.Network = c.network()
	for place, s := range records {
		d.Peers[place] = s.peer
	}
	return d
}

// A Lie is an error that is the fault of the peer in a place: it has signed what is against the rules.
type Lie struct {
	Place int
	Err   error
}

func (l *Lie) Error() string { return l.Err.Error() }

func (l *Lie) Unwrap() error { return l.Err }

func (c *chain) lie(place int, format string, args ...any) error {
	return &Lie{place, refuse("%s: %s", c.d.Peers[place].Name, fmt.Sprintf(format, args...))}
}
