package ledger

import (
	"crypto/rand"
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

// MaxStreams bounds the streams of a ledger.
const MaxStreams = 1 << 16

// Mode says whose data a peer protects.
type Mode string

// The modes.
const (
	Private  Mode = "private"  // data of people; noise comes from the operating system
	Lockstep Mode = "lockstep" // simulated data; noise comes from seeds
)

// A Genesis is the first record.
type Genesis struct {
	Version     int    // [Version]
	Peer        string // its libp2p id, from which its public key follows
	Network     string
	Policy      Hash // the hash that the peers of the network agreed on
	Mode        Mode
	Budget      account.Budget // for the peer's life
	Unit        string         // whom a charge protects, for people
	Incarnation uint32         // the peer's first incarnation
	Tags        string         // build tags of the program, separated by commas; the field is absent if there are none
}

// Kind returns [KindGenesis].
func (g *Genesis) Kind() Kind { return KindGenesis }

func (g *Genesis) String() string {
	return fmt.Sprintf("peer %s of network %s, %s, with a budget of %s", g.Peer, g.Network, g.Mode, BudgetText(g.Budget))
}

func (g *Genesis) fields() []field {
	return []field{
		{"version", &g.Version},
		{"peer", &g.Peer},
		{"network", &g.Network},
		{"policy", new(digits(g.Policy[:]))},
		{"mode", &g.Mode},
		{"budget", &g.Budget.Epsilon},
		{"delta", &g.Budget.Delta},
		{"unit", &g.Unit},
		{"incarnation", &g.Incarnation},
		{"tags", &g.Tags},
	}
}

// An Open is a charge: it opens a group of streams and pays for all that they will ever release.
type Open struct{ dp.Charge }

// Opened returns the body of a charge.
func Opened(c dp.Charge) *Open { return &Open{c} }

// Kind returns [KindOpen].
func (o *Open) Kind() Kind { return KindOpen }

func (o *Open) String() string {
	return fmt.Sprintf("%s, %s, leaves: %d each, %s", o.What, StreamsText(o.Stream, o.Streams), o.Leaves, LossText(o.Loss))
}

func (o *Open) fields() []field {
	return []field{
		{"what", &o.What},
		{"stream", &o.Stream},
		{"streams", &o.Streams},
		{"record", &name[dp.Shape]{&o.Shape, []dp.Shape{dp.Box, dp.Linear, dp.Corner, dp.Counted}}},
		{"dim", &o.Dim},
		{"lo", &o.Lo},
		{"hi", &o.Hi},
		{"leaves", &o.Leaves},
		{"records_per_user", &o.RecordsPerUser},
		{"adjacency", &name[dp.Adjacency]{&o.Adjacency, []dp.Adjacency{dp.ReplaceOne, dp.ZeroOut, dp.AddOrRemove}}},
		{"mechanism", &name[dp.Mechanism]{&o.Mechanism, dp.Mechanisms()}},
		{"mode", &name[dp.ChargeMode]{&o.Mode, []dp.ChargeMode{dp.Once, dp.Parallel}}},
		{"cost", &o.Loss.Pure},
		{"square", &o.Loss.Square},
		{"scale", &o.Scale},
	}
}

// StreamsText names n streams from the first.
func StreamsText(first dp.StreamID, n int) string {
	if n == 1 {
		return fmt.Sprintf("stream %d", first)
	}
	return fmt.Sprintf("streams %d to %d", first, int64(first)+int64(n)-1)
}

// A Release is the node that one leaf released, in full, with its noise. Everything else that the
// peer shows is computed from such nodes.
type Release struct {
	Round    uint64
	Stream   dp.StreamID
	From, To uint64 // From < leaf ≤ To
	Counts   []uint64
	Values   []int64
	Exponent int8     // a value is in units of 2^Exponent
	Noise    dp.Noise // in every value

	// Commitment is the hash of the line that [Release.Conceal] returned; counts and values are 0 then. It is empty if they are public.
	Commitment string
}

// Released returns the body of a node that was drawn in a round.
func Released(round uint64, r dp.Release) *Release {
	b := &Release{
		Round: round, Stream: r.Stream(), From: r.Span().From, To: r.Span().To, Exponent: r.Exponent(), Noise: r.Noise(),
		Counts: make([]uint64, r.Counts()), Values: make([]int64, r.Len()),
	}
	for i := range b.Counts {
		b.Counts[i] = r.Count(i)
	}
	for i := range b.Values {
		b.Values[i] = r.Value(i)
	}
	return b
}

// Conceal takes counts and values out of a release: what is left commits to them, and the line that it returns opens it. Without
// the line neither a record nor its hash says whether a guess is right.
func (r *Release) Conceal() ([]byte, error) {
	salt := make(digits, len(Hash{}))
	_, _ = rand.Read(salt) // never fails
	line, err := write(nil, r.opening(salt))
	r.Commitment = HashOf(line).String()
	clear(r.Counts)
	clear(r.Values)
	return line, err
}

// opening lists the fields of the line that opens a release.
func (r *Release) opening(salt digits) []field {
	return []field{{"kind", new(kindOpening)}, {"salt", &salt}, {"counts", &array[uint64]{&r.Counts, dp.MaxLen}}, {"values", &array[int64]{&r.Values, dp.MaxLen}}}
}

// ReadOpening reads the line that opens the release.
func (r *Release) ReadOpening(line []byte) error {
	return read(line, func(Kind) []field { return r.opening(make(digits, len(Hash{}))) })
}

// Fields returns the release in the form of package dp.
func (r *Release) Fields() dp.Fields {
	return dp.Fields{
		Stream: r.Stream, Span: dp.Span{From: r.From, To: r.To}, Count: r.Counts, Value: r.Values, Exponent: r.Exponent, Noise: r.Noise,
	}
}

// Kind returns [KindRelease].
func (r *Release) Kind() Kind { return KindRelease }

func (r *Release) String() string {
	leaves := fmt.Sprintf("leaf %d", r.To)
	if r.To-r.From > 1 {
		leaves = fmt.Sprintf("leaves %d to %d", r.From+1, r.To)
	}
	if r.Commitment != "" {
		return fmt.Sprintf("round %d, stream %d, %s: %d sums, which are not public", r.Round, r.Stream, leaves, len(r.Values))
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

func (r *Release) fields() []field {
	return []field{
		{"round", &r.Round},
		{"stream", &r.Stream},
		{"from", &r.From},
		{"to", &r.To},
		{"counts", &array[uint64]{&r.Counts, dp.MaxLen}},
		{"values", &array[int64]{&r.Values, dp.MaxLen}},
		{"exponent", &r.Exponent},
		{"law", &name[dp.Law]{&r.Noise.Law, []dp.Law{dp.Laplace, dp.Gaussian}}},
		{"scale", &r.Noise.Scale},
		{"terms", &r.Noise.VarianceUnits},
		{"commitment", &r.Commitment},
	}
}

// A Gap states that records before it are lost: a backup was restored, and the operator accepted
// what the other peers remember. The leaves of the lost releases are abandoned, with a margin for
// what no peer remembers, and every stream begins again after them, so that no record is in the
// nodes of two lives.
type Gap struct {
	Claimed     uint64   // records that peers remember
	Had         uint64   // records that are here, or that an earlier gap counted as lost
	Incarnation uint32   // with which the peer continues
	Since       uint64   // first round that the lost life may have played and this life does not know
	Round       uint64   // round that had begun when the gap was written
	Waiting     uint64   // decisions that waited for their reward and no longer count; 0 with noised counts
	Margin      uint64   // leaves that each stream abandons in addition to those that peers remember
	Next        []uint64 // by stream: the first leaf that is not abandoned
	Without     []string // ids of the neighbours for which the operator did not wait

	// Number is a lower bound of the record's number in [Chain.Append]; the line has it as seq.
	Number uint64
}

// maxWithout bounds the neighbours that a gap names.
const maxWithout = 1 << 10

// Kind returns [KindGap].
func (g *Gap) Kind() Kind { return KindGap }

// Lost returns how many records peers remember that are neither here nor counted as lost by an
// earlier gap.
func (g *Gap) Lost() uint64 { return g.Claimed - min(g.Claimed, g.Had) }

func (g *Gap) String() string {
	return fmt.Sprintf("%d records are lost, of rounds %d to %d; continues as incarnation %d, %s", g.Lost(), g.Since, g.Round, g.Incarnation, list("next leaves", g.Next))
}

func (g *Gap) fields() []field {
	return []field{
		{"claimed", &g.Claimed},
		{"had", &g.Had},
		{"incarnation", &g.Incarnation},
		{"since", &g.Since},
		{"round", &g.Round},
		{"waiting", &g.Waiting},
		{"margin", &g.Margin},
		{"next", &array[uint64]{&g.Next, MaxStreams}},
		{"without", &array[string]{&g.Without, maxWithout}},
	}
}
