package network

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A Record is what a place has signed of itself: it needs no consent. Of each place only the newest is kept.
type Record struct {
	Text json.RawMessage `json:"record"` // an [Own]
	Sig  []byte          `json:"sig"`    // by the newest key that it names
}

// An Own is what a record says.
type Own struct {
	Network string   `json:"network"` // hash of the first document
	Peer    string   `json:"peer"`
	Number  uint64   `json:"number"`         // a later one replaces an earlier one
	Keys    []Key    `json:"keys,omitempty"` // that followed the one in the versions, oldest first
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
	maxRecord = 4000 // bytes of what a record says
	maxAddrs  = 16
)

// signedKey returns what a key signs when another one follows it.
func signedKey(o *Own, k *Key) []byte {
	return fmt.Appendf(nil, "key\x00%s\x00%s\x00%s", o.Network, o.Peer, encode(&Key{ID: k.ID, Ledger: k.Ledger}))
}

// signed returns what the signature of a record covers.
func (r *Record) signed() []byte { return append([]byte("record\x00"), r.Text...) }

// own returns what a record says; nothing without one.
func (r *Record) own() (o Own) {
	_ = json.Unmarshal(r.Text, &o)
	return o
}

// A said is a record that was verified.
type said struct {
	Record
	number uint64
	ids    []string // all keys of the place, oldest first
	peer   Peer     // the place, as the record has it
}

func (s *said) left() bool { return s.peer.Standing == Gone }

// before reports whether another record of the place is newer. A peer that left does not come back.
func (s *said) before(o *said) bool {
	if len(s.ids) != len(o.ids) || s.left() != o.left() {
		return !s.left() && (len(s.ids) < len(o.ids) || len(s.ids) == len(o.ids) && o.left())
	}
	return s.number < o.number
}

// contradicts reports whether no honest peer signs both records.
func (s *said) contradicts(o *said) bool {
	n := min(len(s.ids), len(o.ids))
	return !slices.Equal(s.ids[:n], o.ids[:n]) || s.left() && len(o.ids) > n || o.left() && len(s.ids) > n ||
		len(s.ids) == len(o.ids) && s.number == o.number && string(s.Text) != string(o.Text)
}

// hear verifies a record, and returns its place. The error is a [*Lie] if the place has signed what is against the rules. With nil keys
// no signature is verified.
func (c *chain) hear(r Record, keys Keys) (place int, s *said, err error) {
	var o Own
	if len(r.Text) > maxRecord || len(r.Sig) > maxSig {
		return 0, nil, refuse("a record of %d bytes, at most %d", len(r.Text), maxRecord)
	}
	if err = read(r.Text, &o); err != nil {
		return 0, nil, err
	}
	place, ok := c.d.Place(o.Peer)
	if !ok || o.Network != c.network {
		return 0, nil, refuse("a record of no peer of this network, %.70q", o.Peer)
	}
	p := c.d.Peers[place]
	ids := []string{p.ID}
	signs := func(b, sig []byte) bool { return len(sig) <= maxSig && (keys == nil || keys.Verify(p.ID, b, sig)) }
	for i := range o.Keys {
		k := &o.Keys[i]
		switch {
		case !signs(signedKey(&o, k), k.Sig):
			return 0, nil, refuse("a record of %s with a key that the one before has not signed", p.Name)
		case slices.Contains(ids, k.ID) || len(k.ID) > maxName || c.d.hasID(k.ID):
			return place, nil, c.lie(place, "its record has the key %.70q, which a peer has or had", k.ID)
		}
		if err = p.follow(k); err != nil {
			return place, nil, c.lie(place, "%v", err)
		}
		ids = append(ids, k.ID)
	}
	if !signs(r.signed(), r.Sig) {
		return 0, nil, refuse("a record that %s has not signed with its newest key", p.Name)
	}
	if o.Number == 0 || o.Number > maxNumber || o.Left && len(o.Addrs) > 0 || len(o.Addrs) > maxAddrs {
		return place, nil, c.lie(place, "its record has number %d and %d addresses, want up to %d, and none if it left", o.Number, len(o.Addrs), maxAddrs)
	}
	if p.Addrs, p.Standing = o.Addrs, Present; o.Left {
		p.Standing = Gone
	}
	return place, &said{r, o.Number, ids, p}, nil
}

// view returns the document with what places have said of themselves. It does not change any more.
func (c *chain) view(records map[int]*said) *Document {
	d := c.d.clone()
	d.Network = c.network
	for place, s := range records {
		was := d.Peers[place].Standing
		if d.Peers[place] = s.peer; was == Gone { // permanently
			d.Peers[place].Standing, d.Peers[place].Addrs = Gone, nil
		}
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

// Say gives this peer's place a record that says something else: its addresses, that it left, or that another key follows, which signs with
// next. The number of the record is at least one; Unix time makes it newer than what a folder that was restored has forgotten.
func (b *Book) Say(number uint64, next Keys, change func(o *Own)) error {
	return b.say(number, next, change, nil)
}

// CanSay returns the error that [Book.Say] would return, and changes nothing.
func (b *Book) CanSay(number uint64, next Keys, change func(o *Own)) error {
	return b.say(number, next, change, errSame)
}

// say keeps the record unless then is an error.
func (b *Book) say(number uint64, next Keys, change func(o *Own), then error) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	place := b.self()
	if place < 0 {
		return refuse("this peer has no place in the network")
	}
	p, o := &b.newest.Peers[place], Own{Addrs: b.newest.Peers[place].Addrs}
	if old := b.records[place]; old != nil {
		o = old.own()
	}
	o.Network, o.Peer, o.Number = b.chain.network, p.Name, max(o.Number+1, number)
	keys, n := b.c.Keys, len(o.Keys)
	change(&o)
	if (len(o.Keys) > n || o.Left) && o.Number > maxNumber { // a thief has signed the last number: these replace it with any
		o.Number = number
	}
	if len(o.Keys) > n {
		k := &o.Keys[n]
		if k.Sig, err = keys.Sign(signedKey(&o, k)); err != nil {
			return err
		}
		keys = next
	}
	r := Record{Text: encode(&o)}
	if len(r.Text) > maxRecord {
		return refuse("%s: its record takes %d bytes, at most %d, with %d keys and %d addresses", p.Name, len(r.Text), maxRecord, len(o.Keys), len(o.Addrs))
	}
	if r.Sig, err = keys.Sign(r.signed()); err != nil {
		return err
	}
	return b.update(func(s *State) error { return cmp.Or(b.take(s, r), then) })
}

// take takes records over, as far as they are newer.
func (b *Book) take(s *State, all ...Record) (wrong error) {
	records := maps.Clone(b.records)
	var fresh []int
	for _, r := range all {
		place, x, err := b.chain.hear(r, b.c.Keys)
		if err != nil {
			wrong = cmp.Or(wrong, err)
			continue
		}
		switch old := records[place]; {
		case old != nil && string(old.Text) == string(x.Text):
		case old != nil && old.contradicts(x):
			wrong = cmp.Or(wrong, b.chain.lie(place, "it has signed two records of one number, or two keys that follow one: what others take for its addresses or its key can differ"))
		case old == nil || old.before(x):
			if i, ok := other(records, place, x.ids); ok {
				wrong = cmp.Or(wrong, b.chain.lie(place, "its record has a key of %s", b.newest.Peers[i].Name))
				continue
			}
			records[place] = x
			fresh = append(fresh, place)
		}
	}
	if len(fresh) == 0 {
		return cmp.Or(wrong, errSame)
	}
	view := b.chain.view(records)
	switch err := b.fits(view); {
	case err == nil:
		b.records, b.newest = records, view
		s.keepRecords(records)
	case len(fresh) == 1:
		return cmp.Or(wrong, b.chain.lie(fresh[0], "its record is what no peer could go on with: %v", err))
	default:
		for _, place := range fresh {
			if one := b.take(s, records[place].Record); !errors.Is(one, errSame) {
				wrong = cmp.Or(wrong, one)
			}
		}
	}
	return wrong
}

// other returns another place whose record has one of some keys.
func other(records map[int]*said, place int, ids []string) (int, bool) {
	for i, r := range records {
		if i != place && slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(r.ids, id) }) {
			return i, true
		}
	}
	return 0, false
}

// keepRecords replaces the records of a state.
func (s *State) keepRecords(records map[int]*said) {
	s.Records = make([]Record, 0, len(records))
	for _, place := range slices.Sorted(maps.Keys(records)) {
		s.Records = append(s.Records, records[place].Record)
	}
}
