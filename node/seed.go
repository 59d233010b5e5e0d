package node

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Seed is the root of one peer's randomness. Every use gets a stream of its own, so that an
// additional draw in one place changes nothing in another.
type Seed [32]byte

// NewSeed returns the seed for a number.
func NewSeed(number uint64) Seed {
	return sha256.Sum256(binary.BigEndian.AppendUint64([]byte("peerd seed/"), number))
}

// PeerNumber returns the seed number of one peer in the run with a given number. A peer that
// knows its own number learns no other's. It has 53 bits, so that any configuration format can
// hold it, and is never 0.
func PeerNumber(run uint64, p protocol.Peer) uint64 {
	b := binary.BigEndian.AppendUint64([]byte("peerd peer/"), run)
	h := sha256.Sum256(binary.BigEndian.AppendUint32(b, uint32(p)))
	return binary.BigEndian.Uint64(h[:])>>11 | 1
}

// PeerSeed returns the seed of one peer in the run with a given number.
func PeerSeed(run uint64, p protocol.Peer) Seed { return NewSeed(PeerNumber(run, p)) }

// FreshSeed returns a seed from the operating system. It is never used for noise: a private
// peer's noise has a source of its own.
func FreshSeed() Seed {
	var s Seed
	_, _ = cryptorand.Read(s[:]) // never fails since Go 1.24: it ends the process
	return s
}

// Of returns the seed of one use.
func (s Seed) Of(use string) [32]byte {
	return sha256.Sum256(append(s[:], use...))
}

// Rand returns the random numbers of one use.
func (s Seed) Rand(use string) *rand.Rand { return s.Coins(use).Rand }

// Coins are random numbers whose position can be saved.
type Coins struct {
	*rand.Rand
	source *rand.ChaCha8
}

// Coins returns the random numbers of one use.
func (s Seed) Coins(use string) Coins {
	source := rand.NewChaCha8(s.Of(use))
	return Coins{rand.New(source), source}
}

// Reseed gives later draws a seed of their own.
func (c Coins) Reseed(seed Seed) { c.source.Seed(seed) }

// save returns the position of the random numbers.
func (c Coins) save() []byte {
	b, _ := c.source.MarshalBinary() // never fails
	return b
}

// Noise returns repeatable noise, only for [dp.Lockstep].
func (s Seed) Noise() *dp.Source { return dp.NewSeededSource(s.Of("noise")) }
