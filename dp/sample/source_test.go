package sample

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

func TestASeededSourceIsChaCha8(t *testing.T) {
	seed := [32]byte{1, 2, 3}
	got, want := NewSeededSource(seed), rand.NewChaCha8(seed)
	for i := range 2000 {
		if g, w := got.Uint64(), want.Uint64(); g != w {
			t.Fatalf("word %d is %#x, want %#x", i, g, w)
		}
	}
}

func TestSecureSourcesDiffer(t *testing.T) {
	a, b := NewSecureSource(), NewSecureSource()
	seen := map[uint64]bool{}
	for range 2000 {
		for _, s := range []*Source{a, b} {
			x := s.Uint64()
			if seen[x] {
				t.Fatalf("%#x drawn twice", x) // once in 2^41 runs
			}
			seen[x] = true
		}
	}
}

func TestOnlySeededSourcesAreNotPrivate(t *testing.T) {
	var zero Source
	if !zero.Private() || !NewSecureSource().Private() {
		t.Error("the operating system's generator is not private")
	}
	if NewSeededSource([32]byte{}).Private() {
		t.Error("a seed is private")
	}
	if x, y := zero.Uint64(), zero.Uint64(); x|y == 0 {
		t.Error("the zero Source draws zeros")
	}
}

func TestDrawnWordsAreWiped(t *testing.T) {
	s := NewSecureSource()
	for range 3*len(s.buf)/8 + 100 {
		s.Uint64()
	}
	if s.unread != len(s.buf)-800 {
		t.Fatalf("%d bytes unread, want %d", s.unread, len(s.buf)-800)
	}
	for i := 0; i < len(s.buf); i += 8 {
		drawn, word := i < len(s.buf)-s.unread, binary.LittleEndian.Uint64(s.buf[i:])
		if drawn != (word == 0) {
			t.Errorf("byte %d: drawn %v, word %#x", i, drawn, word)
		}
	}
}

// scripted returns a Source that draws the given words first.
func scripted(words ...uint64) *Source {
	s := NewSecureSource()
	s.buf = new([4096]byte)
	s.unread = 8 * len(words)
	for i, w := range words {
		binary.LittleEndian.PutUint64(s.buf[len(s.buf)-s.unread+8*i:], w)
	}
	return s
}
