package table

import (
	"math"
	"math/big"
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// The fakes. Each fake_<name>_test.go is one more protocol of the five papers, just long
// enough to show that Params, Config, Message, Release and Protocol fit it. Table does not
// list them, they are crude, and none keeps state over a restart. Each is deleted when the
// real protocol is there; until then its conversation is what shows that a message can say
// what the paper wants said.

// fakeParams are the parameters of a fake.
type fakeParams struct {
	Every   uint64        // shuffle: rounds in a batch
	Hub     protocol.Peer // shuffle: the shuffler
	Analyst protocol.Peer // shuffle: the analyzer
}

// fakes lists them.
func fakes() []protocol.Params { return []protocol.Params{fakeParams{Every: 2, Analyst: 1}} }

func (fakeParams) Words() protocol.Words {
	return protocol.Words{Name: "shuffle", Summary: "a fake", Public: "nothing"}
}

func (fakeParams) Traits() protocol.Traits {
	return protocol.Traits{Wide: true, Kinds: map[protocol.Kind]string{fakeSealed: "envelope", fakeShuffled: "batch", fakeSum: "sum"}}
}

func (p fakeParams) Cadence() protocol.Cadence {
	return protocol.Cadence{Rounds: p.Every, Noun: "batch"}
}

func (p fakeParams) Idle(self protocol.Peer) bool { return self == p.Hub || self == p.Analyst }

// stateless is what a fake has instead of a state that outlives it.
type stateless struct{ belief belief.Belief }

func (s *stateless) Chosen(part int)             { s.belief.Pulls[part]++ }
func (s *stateless) Belief() *belief.Belief      { return &s.belief }
func (*stateless) Save() (protocol.State, error) { return protocol.State{}, nil }
func (*stateless) Load(protocol.State) error     { return nil }

// about returns the beginning of a fake that believes something of some parts.
func about(parts, dim int) stateless { return stateless{belief.New(parts, dim)} }

func indexOf(ps []protocol.Peer, p protocol.Peer) int { return slices.Index(ps, p) }

// What package dp does not offer yet. Every function makes a Release of Releases
// with integer weights, as dp's own operations do; dp.Received stands in for
// access to the fields.

// weighted returns ⌊Σ num·r/den⌋, with the sum of the counts.
func weighted(rs []dp.Release, num []uint64, den uint64) (dp.Release, error) {
	if len(rs) == 0 || len(rs) != len(num) || den == 0 {
		return dp.Release{}, dp.ErrShape
	}
	f := dp.Fields{
		Stream: rs[0].Stream(), Span: rs[0].Span(), Exponent: rs[0].Exponent(),
		Value: make([]int64, rs[0].Len()), Count: make([]uint64, rs[0].Counts()),
	}
	x := make([]*big.Int, len(f.Value))
	for i := range x {
		x[i] = new(big.Int)
	}
	for k, r := range rs {
		if r.Len() != len(x) || r.Counts() != len(f.Count) || r.Exponent() != f.Exponent {
			return dp.Release{}, dp.ErrShape
		}
		noise := r.Noise()
		f.Noise.Scale, f.Noise.VarianceUnits = max(f.Noise.Scale, noise.Scale), f.Noise.VarianceUnits+noise.VarianceUnits
		f.Span.From, f.Span.To = min(f.Span.From, r.Span().From), max(f.Span.To, r.Span().To)
		for i := range f.Count {
			f.Count[i] += r.Count(i)
		}
		for i := range x {
			x[i].Add(x[i], new(big.Int).Mul(big.NewInt(r.Value(i)), new(big.Int).SetUint64(num[k])))
		}
	}
	for i := range x {
		f.Value[i] = floor(x[i], den)
	}
	return dp.Received(vouch.For(f))
}

// sum returns Σ r.
func sum(rs ...dp.Release) (dp.Release, error) {
	return weighted(rs, slices.Repeat([]uint64{1}, len(rs)), 1)
}

// tooGreat keeps a liar's numbers from running into this peer's own arithmetic.
func tooGreat(r dp.Release) bool {
	for i := range r.Len() {
		if math.Abs(r.At(i)) > 1<<28 {
			return true
		}
	}
	return false
}

// seal stands in for encryption to the analyzer: anyone could open this one. It keeps the promise
// that matters here: carriers handle bytes and no Release.
func seal(r dp.Release) (dp.Sealed, error) {
	return dp.ReceivedSealed(vouch.For(protocol.AppendRelease(nil, r)))
}

func unseal(s dp.Sealed) (dp.Release, error) { return protocol.ParseRelease(vouch.For(s.Bytes())) }

func floor(x *big.Int, den uint64) int64 {
	d := new(big.Int).SetUint64(den)
	q, m := new(big.Int).DivMod(x, d, new(big.Int)) // Euclidean: m ≥ 0, so q is the floor
	_ = m
	if !q.IsInt64() {
		return 1<<63 - 1 // refused by dp.Received
	}
	return q.Int64()
}

// The kinds of the fakes, from the end of the range that real protocols will not
// reach.
const (
	fakeSealed   protocol.Kind = 105 + iota // shuffle: a silo's newest p-sum, for the analyzer's eyes
	fakeShuffled                            // shuffle: all silos' p-sums of a batch, without their origins
	fakeSum                                 // shuffle: the sum over all silos
)
