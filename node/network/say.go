package network

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// Say gives this peer's place a record that says something else: its addresses, that it left, or that another key follows, which signs with
// next. The number of the record is at least one; Unix time makes it newer than what a folder that was restored has forgotten.
func (b *Book) Say(number uint64, next Keys, change func(o *Own)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	place := b.self()
	if place < 0 {
		return refuse("this peer has no place in the network")
	}
	p, o := &b.chain.d.Peers[place], b.own(place)
	o.Network, o.Peer, o.After, o.Number = b.chain.network(), p.Name, p.ID, max(o.Number+1, number)
	if o.Addrs == nil {
		o.Addrs = p.Addrs
	}
	keys, n := b.keys, len(o.Keys)
	var err error
	if change(&o); len(o.Keys) > n {
		k := &o.Keys[n]
		if k.Sig, err = keys.Sign(signedKey(&o, k)); err != nil {
			return err
		}
		keys = next
	}
	r := Record{Text: encode(&o)}
	if len(r.Text) > maxRecord {
		return refuse("the record of %s has no room, with %d keys that followed the one in the versions: let an admin run `peerd network rotate %s`", p.Name, n, p.Name)
	}
	if r.Sig, err = keys.Sign(r.signed()); err != nil {
		return err
	}
	return b.update(func(s *State) error { return b.take(s, []Record{r}) })
}

// own returns what the record of a place says, with the keys that follow the one in the versions; nothing without a record.
func (b *Book) own(place int) (o Own) {
	if r := b.records[place]; r != nil {
		_ = json.Unmarshal(r.Text, &o) // it was verified
		i := slices.IndexFunc(o.Keys, func(k Key) bool { return k.ID == b.chain.d.Peers[place].ID })
		o.Keys = o.Keys[i+1:]
	}
	return o
}

// KeysOf returns the keys of a peer that follow the one in the versions, without signatures.
func (b *Book) KeysOf(name string) (keys []Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if place, ok := b.newest.Place(name); ok {
		for _, k := range b.own(place).Keys {
			keys = append(keys, Key{ID: k.ID, Ledger: k.Ledger})
		}
	}
	return keys
}

// take takes records over.
func (b *Book) take(s *State, all []Record) (wrong error) {
	records := maps.Clone(b.records)
	var fresh []int
	for _, r := range all {
		place, x, err := b.chain.hear(r, b.keys)
		if err != nil {
			if !errors.Is(err, errSame) {
				wrong = cmp.Or(wrong, err)
			}
			continue
		}
		switch old := records[place]; {
		case old != nil && string(old.Text) == string(x.Text):
		case old != nil && old.contradicts(x):
			wrong = cmp.Or(wrong, b.twin(s, place, x))
		case old == nil || old.before(x):
			if i := slices.IndexFunc(b.newest.Peers, func(p Peer) bool { return slices.Contains(x.ids, p.ID) }); i >= 0 && i != place {
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
	if err := b.fits(b.newest, view); err != nil {
		if len(fresh) == 1 {
			return cmp.Or(wrong, b.chain.lie(fresh[0], "its record is what no peer could go on with: %v", err))
		}
		for _, place := range fresh {
			if one := b.take(s, []Record{records[place].Record}); !errors.Is(one, errSame) {
				wrong = cmp.Or(wrong, one)
			}
		}
		return wrong
	}
	b.records, b.newest = records, view
	s.Twins = slices.DeleteFunc(slices.Clone(s.Twins), func(t Twin) bool {
		return slices.ContainsFunc(fresh, func(place int) bool { return view.Peers[place].Name == t.Peer })
	})
	s.Records = make([]Record, 0, len(records))
	for _, place := range slices.Sorted(maps.Keys(records)) {
		s.Records = append(s.Records, records[place].Record)
	}
	return wrong
}

// twin keeps the proof that a place has signed two records of which no honest peer signs both.
func (b *Book) twin(s *State, place int, x *said) error {
	if p := b.newest.Peers[place].Name; !slices.ContainsFunc(s.Twins, func(t Twin) bool { return t.Peer == p }) {
		s.Twins = append(slices.Clip(s.Twins), Twin{p, x.Record})
	}
	return b.chain.lie(place, "it has signed two records of one number, or two keys that follow one")
}
