// Package dp decides what may leave a peer, adds the noise, and keeps the
// account.
//
// The rule of the house is a type: the only payload that a message can carry is
// a [Release], and a Release comes out of a [Door], is made of other Releases by
// a named operation with integer weights, or is read off the wire. Plain numbers
// do not convert.
//
// # The account
//
// A [Door] has a budget for the node's whole life. Opening a stream charges the
// stream's whole horizon once, before its first record is taken in; a Door that
// cannot pay refuses and names both numbers. What a Door charged must be durable
// before the first Release it paid for is sent, so that a crash can lose a
// message but never forget a cost.
//
// # Exactness
//
// Records are clipped and rounded toward zero to the lattice of [GridExponent]
// when they enter, summed as int64, and noised by exact integer samplers. See
// docs/proofs/ for why each mechanism is private.
package dp
