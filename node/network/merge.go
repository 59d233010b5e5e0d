package network

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Two books exchange summaries, and then what the other end lacks, in frames. A frame is a letter and the text of a first document, of a
// [Version], of a proposal or of a [Record]. A summary has a short hash of each.
const (
	frameRoot     = 'd'
	frameVersion  = 'v'
	frameProposal = 'p'
	frameRecord   = 'r'
	short         = 8 // bytes
)

// frames returns all that the book holds, in an order in which it can be merged, with short hashes. Of a version it is of
// what was signed, since peers may know signatures of different signers.
func (b *Book) frames() (frames [][]byte, summary []byte) {
	add := func(kind byte, hash string, x any) {
		frames = append(frames, append([]byte{kind}, encode(x)...))
		h, _ := hex.DecodeString(hash[:2*short])
		summary = append(summary, h...)
	}
	add(frameRoot, b.chain.hashes[0], b.s.Root)
	for i := range b.s.Versions {
		add(frameVersion, b.chain.hashes[i+1], &b.s.Versions[i])
	}
	for i := range b.s.Proposals {
		add(frameProposal, hashOf(encode(&b.s.Proposals[i])), &b.s.Proposals[i])
	}
	for i := range b.s.Records {
		add(frameRecord, hashOf(b.s.Records[i].Text), &b.s.Records[i])
	}
	return frames, summary
}

// Summary returns what the book holds, in short. Books with equal summaries hold the same.
func (b *Book) Summary() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.summary == nil {
		_, b.summary = b.frames()
	}
	return b.summary
}

// Lacks returns in frames what a book with a summary lacks. A peer that has no book yet has an empty summary.
func (b *Book) Lacks(summary []byte) (lacks [][]byte, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(summary)%short != 0 {
		return nil, refuse("a summary of %d bytes", len(summary))
	}
	has := make(map[[short]byte]bool)
	for i := 0; i < len(summary); i += short {
		has[[short]byte(summary[i:])] = true
	}
	frames, ours := b.frames()
	if len(summary) > 0 && !bytes.HasPrefix(summary, ours[:short]) {
		return nil, refuse("another network")
	}
	for i, f := range frames {
		if !has[[short]byte(ours[short*i:])] {
			lacks = append(lacks, f)
		}
	}
	return lacks, nil
}

// RootOf returns the first document in a frame, if it is one with a hash.
func RootOf(frame []byte, hash string) ([]byte, error) {
	if len(frame) == 0 || frame[0] != frameRoot || hashOf(frame[1:]) != hash {
		return nil, refuse("another network")
	}
	return frame[1:], nil
}

// A Fork is an error about two versions of one number and parent that both have enough signatures. Each peer keeps to the one that it knew
// first.
type Fork struct {
	Version      uint64
	Ours, Theirs string   // hashes of the version that this peer keeps to, and of the other one
	Both         []string // names of the signers that signed both
}

func (f *Fork) Error() string {
	return fmt.Sprintf("two versions %d of the network have enough signatures, %.12s here and %.12s; both are signed by %s: see docs/network.md#two-versions",
		f.Version, f.Ours, f.Theirs, strings.Join(f.Both, ", "))
}

// Merge merges what another peer's book holds: frames, in the order in which that book has them. It ignores what is against the rules, and
// returns the first error about it: a [*Fork] if two versions of one number and parent have enough signatures, and a [*Lie] if it is the
// fault of a peer that need not be the one that shows it.
func (b *Book) Merge(frames [][]byte) (wrong error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var versions, proposals []Version
	var records []Record
	for _, f := range frames {
		err := refuse("a frame of %d bytes, and of no kind that this build knows", len(f))
		if len(f) > 0 && len(f) <= maxFrame {
			switch text := f[1:]; f[0] {
			case frameRoot:
				_, err = RootOf(f, b.chain.network)
			case frameVersion:
				err = readTo(&versions, text)
			case frameProposal:
				err = readTo(&proposals, text)
			case frameRecord:
				err = readTo(&records, text)
			}
		}
		if wrong = err; err != nil {
			break
		}
	}
	err := b.update(func(s *State) error {
		was, same := b.newest, true
		note := func(err error) {
			if same = same && err != nil; !errors.Is(err, errSame) {
				wrong = cmp.Or(wrong, err)
			}
		}
		note(b.follow(s, versions))
		for _, v := range proposals {
			note(b.propose(s, v))
		}
		note(b.take(s, records...))
		if same && b.newest == was && s.Signed == b.s.Signed {
			return errSame
		}
		return nil
	})
	return cmp.Or(err, wrong)
}

// readTo appends what a text says.
func readTo[T any](all *[]T, text []byte) error {
	var x T
	err := read(text, &x)
	if err == nil {
		*all = append(*all, x)
	}
	return err
}

// follow appends versions that another peer has, or finds that it has others.
func (b *Book) follow(s *State, all []Version) error {
	for i := range all {
		switch x := all[i].step(); {
		case x.Number > b.chain.d.Version:
			return b.advance(s, all[i:]...)
		case x.Number <= 1 || b.chain.hashes[x.Number-1] != all[i].Hash():
			return b.fork(s, x.Number, &all[i])
		}
	}
	return errSame
}

// fork returns an error about a version of which this peer has another one.
func (b *Book) fork(s *State, number uint64, theirs *Version) error {
	c, err := begin(s.Root)
	for i := 0; err == nil && uint64(i)+2 < number; i++ { //nolint:gosec // an index
		_, err = c.extend(&s.Versions[i], nil)
	}
	if err != nil || number <= 1 {
		return refuse("version %d does not follow", number)
	}
	f, ours := &Fork{Version: number, Ours: b.chain.hashes[number-1], Theirs: theirs.Hash()}, &s.Versions[number-2]
	for _, name := range c.d.signers() {
		if place, _ := c.d.Place(name); ours.has(place) && theirs.has(place) {
			f.Both = append(f.Both, name)
		}
	}
	if _, err = c.extend(theirs, b.c.Keys); err != nil {
		return err
	}
	return f
}
