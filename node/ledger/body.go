package ledger

import (
	"fmt"

	"peerd.dev/dp"
)

// MaxStreams bounds the streams of a ledger.
const MaxStreams = 1 << 16

// Mode says whose data a peer guards.
type Mode string

// The modes.
const (
	Private  Mode = "private"  // people's; noise comes from the operating system
	Lockstep Mode = "lockstep" // nobody's; noise comes from seeds
)

// A Genesis is the first record.
type Genesis struct {
	Version     int    // [Version]
	Peer        string // its libp2p id, from which its public key follows
	Network     string
	Policy      Hash // of what the peers of the network agreed on
	Mode        Mode
	Budget      dp.Cost // for the peer's life
	Unit        string  // whom a charge protects, in words
	Incarnation uint32  // as which the peer began
}

// Kind returns [KindGenesis].
func (g *Genesis) Kind() Kind { return KindGenesis }

func (g *Genesis) String() string {
	return fmt.Sprintf("peer %s of network %s, %s, with a budget of ε %s", g.Peer, g.Network, g.Mode, exact(g.Budget))
}

func (g *Genesis) fields(c *codec) {
	number(c, "version", &g.Version)
	c.text("peer", &g.Peer)
	c.text("network", &g.Network)
	c.hex("policy", g.Policy[:])
	word(c, "mode", &g.Mode)
	number(c, "budget", &g.Budget)
	c.text("unit", &g.Unit)
	number(c, "incarnation", &g.Incarnation)
}

// An Open is a charge: it opens a group of streams and pays for all that they will
// ever release.
type Open struct{ dp.Charge }

// Opened returns the body of a charge.
func Opened(c dp.Charge) *Open { return &Open{c} }

// Kind returns [KindOpen].
func (o *Open) Kind() Kind { return KindOpen }

func (o *Open) String() string {
	return fmt.Sprintf("%s, %s, leaves: %d each, ε %s", o.What, streamsText(o.Stream, o.Streams), o.Leaves, exact(o.Cost))
}

func (o *Open) fields(c *codec) {
	c.text("what", &o.What)
	number(c, "stream", &o.Stream)
	number(c, "streams", &o.Streams)
	number(c, "dim", &o.Dim)
	number(c, "lo", &o.Lo)
	number(c, "hi", &o.Hi)
	number(c, "leaves", &o.Leaves)
	number(c, "records_per_user", &o.RecordsPerUser)
	named(c, "mechanism", &o.Mechanism, map[dp.Mechanism]string{dp.Tree: "tree", dp.None: "none"})
	named(c, "mode", &o.Mode, map[dp.ChargeMode]string{dp.Once: "once"})
	number(c, "cost", &o.Cost)
	number(c, "scale", &o.Scale)
}

// covers reports, as a nil error, that r is a node as the streams of a charge that
// passes its Check release it. It is [dp.Charge.Covers], which a test compares it
// with, on the numbers themselves: a ledger is read without making Releases.
func (o *Open) covers(r *Release) error {
	terms := uint32(1)
	if o.Scale == 0 {
		terms = 0
	}
	switch {
	case r.Stream < o.Stream || int64(r.Stream-o.Stream) >= int64(o.Streams):
		return fmt.Errorf("%w: stream %d, and %s are", ErrUnpaid, r.Stream, streamsText(o.Stream, o.Streams))
	case r.To < 1 || r.To > o.Leaves:
		return fmt.Errorf("%w: leaf %d of stream %d, and the charge was for %d", ErrUnpaid, r.To, r.Stream, o.Leaves)
	case r.From != r.To&(r.To-1):
		return fmt.Errorf("%w: leaves %d to %d are no node of the tree", ErrUnpaid, r.From+1, r.To)
	case len(r.Values) != o.Dim || len(r.Counts) != 1 || r.Exponent != dp.GridExponent:
		return fmt.Errorf("%w: %d values of 2^%d and %d counts, want %d of 2^%d and 1",
			ErrUnpaid, len(r.Values), r.Exponent, len(r.Counts), o.Dim, dp.GridExponent)
	case r.Scale != o.Scale || r.Terms != terms:
		return fmt.Errorf("%w: %d noise terms of scale %d, want %d of %d", ErrNoise, r.Terms, r.Scale, terms, o.Scale)
	}
	for _, v := range r.Values {
		if v > dp.MaxValue || v < -dp.MaxValue {
			return fmt.Errorf("%w: a value of %d, at most %d either way", ErrUnpaid, v, int64(dp.MaxValue))
		}
	}
	return nil
}

// streamsText names n streams from the first.
func streamsText(first dp.StreamID, n int) string {
	if n == 1 {
		return fmt.Sprintf("stream %d", first)
	}
	return fmt.Sprintf("streams %d to %d", first, int64(first)+int64(n)-1)
}

// A Release is what one leaf released: the node that got its noise, in full. All
// else that the peer shows is made of such nodes.
type Release struct {
	Round    uint64
	Stream   dp.StreamID
	From, To uint64 // From < leaf ≤ To
	Counts   []uint64
	Values   []int64
	Exponent int8   // a value is in units of 2^Exponent
	Scale    uint64 // of the Laplace noise in every value, in the same units
	Terms    uint32 // of such noise in every value
}

// Released returns the body of a node that got its noise in a round.
func Released(round uint64, r dp.Release) *Release {
	b := &Release{
		Round: round, Stream: r.Stream(), From: r.Span().From, To: r.Span().To, Exponent: r.Exponent(),
		Counts: make([]uint64, r.Counts()), Values: make([]int64, r.Len()),
	}
	b.Scale, b.Terms = r.Scale()
	for i := range b.Counts {
		b.Counts[i] = r.Count(i)
	}
	for i := range b.Values {
		b.Values[i] = r.Value(i)
	}
	return b
}

// Kind returns [KindRelease].
func (r *Release) Kind() Kind { return KindRelease }

func (r *Release) String() string {
	leaves := fmt.Sprintf("leaf %d", r.To)
	if r.To-r.From > 1 {
		leaves = fmt.Sprintf("leaves %d to %d", r.From+1, r.To)
	}
	return fmt.Sprintf("round %d, stream %d, %s: %s, %s", r.Round, r.Stream, leaves, list("records", r.Counts), list("sums", r.Values))
}

// list writes a few numbers and how many more there are.
func list[T any](noun string, v []T) string {
	if len(v) > 4 {
		return fmt.Sprintf("%s %v and %d more", noun, v[:4], len(v)-4)
	}
	return fmt.Sprintf("%s %v", noun, v)
}

func (r *Release) fields(c *codec) {
	number(c, "round", &r.Round)
	number(c, "stream", &r.Stream)
	number(c, "from", &r.From)
	number(c, "to", &r.To)
	numbers(c, "counts", &r.Counts, dp.MaxLen)
	numbers(c, "values", &r.Values, dp.MaxLen)
	number(c, "exponent", &r.Exponent)
	number(c, "scale", &r.Scale)
	number(c, "terms", &r.Terms)
}

// A Gap says that records before it are lost: a backup was restored, and the operator
// took over what the other peers remember. The leaves of the lost releases are given
// up, since noise drawn again for the same rewards would give them away. The numbers
// of the lost records are skipped.
type Gap struct {
	Claimed     uint64   // records that peers remember
	Incarnation uint32   // as which the peer goes on
	Next        []uint64 // by stream: the first leaf that is not given up
}

// Kind returns [KindGap].
func (g *Gap) Kind() Kind { return KindGap }

func (g *Gap) String() string {
	return fmt.Sprintf("peers remember %d records; goes on as incarnation %d, %s", g.Claimed, g.Incarnation, list("next leaves", g.Next))
}

func (g *Gap) fields(c *codec) {
	number(c, "claimed", &g.Claimed)
	number(c, "incarnation", &g.Incarnation)
	numbers(c, "next", &g.Next, MaxStreams)
}
