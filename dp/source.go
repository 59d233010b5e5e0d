package dp

import (
	"bytes"
	cryptorand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
)

// A Source is where noise comes from: uniform 64-bit words, either from the
// operating system's generator or, for worlds without people, from a seed. The
// type is closed, so that a [Door] can tell which. The zero Source is private.
//
// A Source is not safe for concurrent use and must not be copied: two copies
// would draw the same noise. So would a cloned virtual machine, for at most the
// 4 KiB that wait in the buffer.
type Source struct {
	_      noCopy
	seeded *rand.ChaCha8 // nil for the operating system's generator
	unread int           // bytes at the end of buf; secure only
	buf    [4096]byte
}

// NewSecureSource returns a Source over crypto/rand.
func NewSecureSource() *Source { return &Source{} }

// NewSeededSource returns the words of ChaCha8 in their order. Equal seeds give
// equal noise, so whoever knows the seed can take the noise off: it is for
// lockstep and the simulator.
func NewSeededSource(seed [32]byte) *Source {
	return &Source{seeded: rand.NewChaCha8(seed)}
}

// Private reports whether nobody can repeat the noise.
func (s *Source) Private() bool { return s.seeded == nil }

// Uint64 returns a uniform word and wipes it from the buffer, so that whoever
// reads the memory later learns nothing of noise that is already out.
func (s *Source) Uint64() uint64 {
	if s.seeded != nil {
		return s.seeded.Uint64()
	}
	if s.unread == 0 {
		_, _ = cryptorand.Read(s.buf[:]) // never fails since Go 1.24: it ends the process
		s.unread = len(s.buf)
	}
	word := s.buf[len(s.buf)-s.unread:]
	s.unread -= 8
	x := binary.LittleEndian.Uint64(word)
	binary.LittleEndian.PutUint64(word, 0)
	return x
}

// append encodes where in its noise a seeded Source stands. Of a private one there is
// nothing to keep.
func (s *Source) append(b []byte) []byte {
	if s.seeded == nil {
		return append(b, 0)
	}
	state, _ := s.seeded.MarshalBinary() // never fails
	return append(append(b, byte(len(state))), state...)
}

// read returns what append wrote of a Source of the same kind.
func (s *Source) read(r *reader) *rand.ChaCha8 {
	state := r.bytes()
	if s.seeded == nil {
		if len(state) > 0 {
			r.fail()
		}
		return nil
	}
	seeded := new(rand.ChaCha8)
	// Other prefixes are of states that Uint64 alone does not make.
	if !bytes.HasPrefix(state, []byte("chacha8:")) || seeded.UnmarshalBinary(state) != nil {
		r.fail()
	}
	return seeded
}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
