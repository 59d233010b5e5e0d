package sample

import (
	"bytes"
	cryptorand "crypto/rand"
	"encoding/binary"
	"errors"
	"math/rand/v2"
)

// A Source is where noise comes from: uniform 64-bit words, either from the operating system's
// generator or, for worlds without people, from a seed. The type is closed, so that a curator can
// distinguish the two. The zero Source is private.
//
// A Source is not safe for concurrent use and must not be copied: two copies would draw the same
// noise. So would a cloned virtual machine, but only for the at most 4 KiB in the buffer.
type Source struct {
	_      noCopy
	seeded *rand.ChaCha8 // nil for the operating system's generator
	unread int           // bytes at the end of buf; secure only
	buf    *[4096]byte   // secure only; made when it is needed
}

// NewSecureSource returns a Source over crypto/rand.
func NewSecureSource() *Source { return &Source{} }

// NewSeededSource returns the words of ChaCha8 in order. Equal seeds give equal noise, so anyone
// who knows the seed can subtract the noise: it is for lockstep and the simulator.
func NewSeededSource(seed [32]byte) *Source {
	return &Source{seeded: rand.NewChaCha8(seed)}
}

// Private reports whether the noise cannot be repeated.
func (s *Source) Private() bool { return s.seeded == nil }

// Uint64 returns a uniform word and wipes it from the buffer, so that a later reader of the
// memory learns nothing about noise that was used.
func (s *Source) Uint64() uint64 {
	if s.seeded != nil {
		return s.seeded.Uint64()
	}
	if s.unread == 0 {
		if s.buf == nil {
			s.buf = new([4096]byte)
		}
		_, _ = cryptorand.Read(s.buf[:]) // never fails since Go 1.24: it ends the process
		s.unread = len(s.buf)
	}
	word := s.buf[len(s.buf)-s.unread:]
	s.unread -= 8
	x := binary.LittleEndian.Uint64(word)
	binary.LittleEndian.PutUint64(word, 0)
	return x
}

// State returns the position of a seeded Source, for [Source.Restore]. A private Source has no
// state: State returns nil.
func (s *Source) State() []byte {
	if s.seeded == nil {
		return nil
	}
	state, _ := s.seeded.MarshalBinary() // never fails
	return state
}

// ErrState is returned by Restore for a state that no Source of the same kind can have.
var ErrState = errors.New("sample: not the state of such a source")

// Restore makes s draw what the Source with that state would draw next. Both must be seeded, or
// both private. After an error nothing has changed.
func (s *Source) Restore(state []byte) error {
	if s.seeded == nil {
		if len(state) > 0 {
			return ErrState
		}
		return nil
	}
	seeded := new(rand.ChaCha8)
	// Other prefixes belong to states that Uint64 alone does not produce.
	if !bytes.HasPrefix(state, []byte("chacha8:")) || seeded.UnmarshalBinary(state) != nil {
		return ErrState
	}
	s.seeded = seeded
	return nil
}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
