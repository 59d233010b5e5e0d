package network

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
)

// What two books exchange: a summary in each direction, and then what the other end lacks, in frames. A frame is the kind and the text of a
// first document, a [Version], a [Record] or a proposal.
const (
	frameRoot     = 'd'
	frameVersion  = 'v'
	frameRecord   = 'r'
	frameProposal = 'p'
)

// MaxSummary bounds a summary: the short hash of a record for each place, and a few hashes more.
const MaxSummary = 128 << 10

// short is how many bytes of the hash of a record or a proposal a summary has.
const short = 8

// shortOf returns a short hash.
func shortOf(x any) (h [short]byte) {
	_, _ = hex.Decode(h[:], []byte(hashOf(encode(x)))[:2*short])
	return h
}

// Summary returns what the book holds, in short: hashes of versions back to the first, in steps that double; of proposals; and of records.
// Books with equal summaries hold the same.
func (b *Book) Summary() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	var locator []byte
	n := 0
	for back, c := uint64(0), b.chain; ; back = max(1, 2*back) {
		number := c.d.Version - min(back, c.d.Version-c.first)
		hash, _ := hex.DecodeString(c.at(number))
		locator = append(binary.AppendUvarint(locator, number), hash...)
		if n++; number == c.first {
			break
		}
	}
	s := append(binary.AppendUvarint(nil, uint64(n)), locator...)
	s = binary.AppendUvarint(s, uint64(len(b.s.Proposals)))
	for i := range b.s.Proposals {
		h := shortOf(&b.s.Proposals[i])
		s = append(s, h[:]...)
	}
	for i := range b.chain.d.Peers {
		var h [short]byte
		if r := b.records[i]; r != nil {
			h = shortOf(r.Text)
		}
		s = append(s, h[:]...)
	}
	return s
}

// Lacks returns in frames what a book with a summary lacks. The empty summary is that of a peer that has no book yet.
func (b *Book) Lacks(summary []byte) (frames [][]byte, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	common := uint64(0)
	count := func() uint64 {
		n, k := binary.Uvarint(summary)
		if k <= 0 {
			err = refuse("a summary that ends early")
			return 0
		}
		summary = summary[k:]
		return n
	}
	hash := func(size int) []byte {
		if len(summary) < size {
			err = refuse("a summary that ends early")
			return nil
		}
		h := summary[:size]
		summary = summary[size:]
		return h
	}
	if len(summary) > 0 {
		for n := count(); n > 0 && err == nil; n-- {
			if number, h := count(), hash(32); b.chain.at(number) == hex.EncodeToString(h) {
				common = max(common, number)
			}
		}
		if err == nil && common == 0 {
			err = refuse("another network")
		}
	}
	proposals, records := make(map[string]bool), make(map[int]string)
	if len(summary) > 0 {
		for n := count(); n > 0 && err == nil; n-- {
			proposals[string(hash(short))] = true
		}
	}
	for place := 0; len(summary) > 0 && err == nil; place++ {
		records[place] = string(hash(short))
	}
	if err != nil {
		return nil, err
	}
	if common == 0 {
		frames = append(frames, append([]byte{frameRoot}, b.s.Root...))
	}
	for i := range b.s.Versions {
		if b.chain.first+uint64(i) >= common {
			frames = append(frames, append([]byte{frameVersion}, encode(&b.s.Versions[i])...))
		}
	}
	for place := range b.chain.d.Peers {
		if r := b.records[place]; r != nil {
			if h := shortOf(r.Text); records[place] != string(h[:]) {
				frames = append(frames, append([]byte{frameRecord}, encode(&r.Record)...))
			}
		}
	}
	for i := range b.s.Proposals {
		if h := shortOf(&b.s.Proposals[i]); !proposals[string(h[:])] {
			frames = append(frames, append([]byte{frameProposal}, encode(&b.s.Proposals[i])...))
		}
	}
	return frames, nil
}

// RootOf returns the first document in a frame, if it is one with a hash.
func RootOf(frame []byte, hash string) (json.RawMessage, error) {
	if len(frame) == 0 || frame[0] != frameRoot || hashOf(frame[1:]) != hash {
		return nil, refuse("another network")
	}
	return frame[1:], nil
}

// Merge merges what another peer's book holds: frames, versions in their order. It ignores what is against the rules, and returns an error
// about it. That is a [*Fork] if two versions of one number and parent have enough signatures, and a [*Lie] if it is the fault of a
// peer that need not be the one that shows it.
func (b *Book) Merge(frames [][]byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var wrong error
	err := b.update(func(s *State) error {
		changed, was := false, b.newest
		note := func(err error) {
			if changed = changed || err == nil; !errors.Is(err, errSame) {
				wrong = cmp.Or(wrong, err)
			}
		}
		var records []Record
		var versions []Version
		for _, f := range frames {
			if len(f) == 0 || len(f) > MaxFrame {
				return refuse("a frame of %d bytes", len(f))
			}
			var err error
			switch kind, text := f[0], f[1:]; kind {
			case frameVersion:
				var v Version
				if err = read(text, &v); err == nil {
					versions = append(versions, v)
				}
			case frameRecord:
				var r Record
				if err = read(text, &r); err == nil {
					records = append(records, r)
				}
			case frameProposal:
				var v Version
				if err = read(text, &v); err == nil {
					note(b.follow(s, versions))
					versions = nil
					note(b.propose(s, v))
				}
			default:
				err = refuse("a frame of kind %q", kind)
			}
			if err != nil {
				wrong = err
				break
			}
		}
		note(b.follow(s, versions))
		note(b.take(s, records))
		if !changed && b.newest == was && len(s.Twins) == len(b.s.Twins) && s.Fork == b.s.Fork {
			return errSame
		}
		return nil
	})
	return cmp.Or(err, wrong)
}

// follow appends versions that another peer has, or finds that it has others.
func (b *Book) follow(s *State, all []Version) error {
	for i := range all {
		var x Step
		if err := read(all[i].Text, &x); err != nil {
			return err
		}
		switch ours := b.chain.at(x.Number); {
		case x.Number > b.chain.d.Version:
			return b.advance(s, all[i:]...)
		case ours != all[i].Hash():
			return b.fork(s, &x, &all[i])
		}
	}
	return errSame
}

// fork returns an error about a version of which this peer has another one, and keeps it if it is valid.
func (b *Book) fork(s *State, x *Step, theirs *Version) error {
	c, err := begin(s.Root)
	if err != nil || x.Number <= c.first {
		return refuse("version %d does not follow", x.Number)
	}
	for i := range x.Number - c.first - 1 {
		if _, err = c.extend(&s.Versions[i], nil); err != nil {
			return err
		}
	}
	ours, d := &s.Versions[x.Number-c.first-1], c.d.clone()
	if _, err = c.extend(theirs, b.keys); err != nil {
		return err
	}
	f := &Fork{Version: x.Number, Ours: ours.Hash(), Theirs: theirs.Hash()}
	for _, v := range ours.Sigs {
		if theirs.has(v.Place) {
			f.Both = append(f.Both, d.Peers[v.Place].Name)
		}
	}
	if s.Fork == nil {
		s.Fork = f
	}
	return f
}

// clone returns a copy.
func (c *chain) clone() *chain {
	n := *c
	n.d, n.hashes = c.d.clone(), slices.Clip(c.hashes)
	return &n
}
