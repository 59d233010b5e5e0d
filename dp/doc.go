// Package dp decides what may leave a peer, adds the noise, and keeps the account.
//
// # Which mechanism
//
// With δ = 0 use [Kary]: it has the least noise of the mechanisms that promise a plain ε. If a δ
// such as 1e-6 is acceptable use [BLT], which has less over long horizons. Sums that are not
// added up have [EachLaplace] and [EachGaussian], worlds without people [None]. The others are
// here because papers use them ([Tree], [TreeGaussian] and [Hybrid]), and [Sqrt] as a second
// opinion on BLT. [Mechanism.Describe] says when to use each; docs/mechanisms.md compares their
// noise.
//
// # Types that keep the promise
//
// The only payload that a message can carry is a [Release]. A Release comes from a [Curator], is
// made of other Releases by a named operation with integer weights, or is read from the wire.
// Plain numbers do not convert.
//
// # The account
//
// A [Curator] has a budget for the node's whole life. Opening a stream charges the stream's whole
// horizon once, before it gets its first record; a Curator that cannot pay refuses and names both
// numbers. A charge must be durable before the first Release that it pays for is sent, so that a
// crash can lose a message but never forget a cost.
//
// # Exactness
//
// Records are clipped and rounded toward zero to the lattice of [GridExponent]
// when they enter, summed as int64, and noised by the exact integer samplers of package
// sample. See docs/proofs/ for why each mechanism is private.
package dp
