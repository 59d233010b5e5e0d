package sim

import (
	"cmp"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/internal/wanted"
	"peerd.dev/protocol"
)

// Claim names how many pulls of every arm a liar claims.
type Claim string

// The claims. The empty Claim is ClaimHonest.
const (
	ClaimHonest Claim = "honest"
	ClaimHuge   Claim = "huge" // 2^63
	ClaimT      Claim = "t"    // the rounds so far, which is possible for one arm
	ClaimHalf   Claim = "half" // half of ClaimT
	ClaimFew    Claim = "few"  // 1
	// ClaimMillion is 1,000,000, which is believed if the budget lasts for as many rounds.
	ClaimMillion Claim = "million"
)

// Noise names how much noise a liar claims to be in its sums.
type Noise string

// The claims of noise. The empty Noise is NoiseHonest.
const (
	NoiseHonest Noise = "honest"
	NoiseQuiet  Noise = "quiet" // almost none
	NoiseLoud   Noise = "loud"  // of 2^10 times the scale
	NoiseMany   Noise = "many"  // of as many draws as there are rewards
)

// Messages names which messages a liar sends.
type Messages string

// The messages. The empty Messages is MessagesSound.
const (
	MessagesSound     Messages = "sound"
	MessagesSilent    Messages = "silent"    // nothing at all
	MessagesWithheld  Messages = "withheld"  // nothing about the best arm over all sites
	MessagesMalformed Messages = "malformed" // with labels of peers, and releases of arms, that do not exist
)

// nowhere is a number that no peer and no arm has.
const nowhere = 1 << 30

// loud is the factor by which a loud liar exaggerates the scale of its noise.
const loud = 1 << 10

// Liars are peers that make and sign false claims in their own messages. They are spread evenly
// over the peer numbers. In all other respects they act like honest peers. A liar makes its lies
// consistent where it can: a sum covers as many rewards as it claims, and as many batches as
// these need.
type Liars struct {
	Count    int      `want:"0.." default:"0" unit:"peers" doc:"Peers that claim what is not so, and sign it."`
	Claim    Claim    `want:"honest|huge|t|half|few|million" default:"huge" doc:"Pulls of every arm that liars claim: their own, 2^63, the rounds so far, half of them, 1, or 1,000,000."`
	Pay      Pay      `want:"honest|inside|outside|fork|reversed|late|drift|swapped|near|copycat|patient" default:"honest" doc:"What liars claim that arms pay: inside is 1 for the worst arm and 0 for others; outside 1,000 and -1,000; fork inside to half of the peers only; reversed 1 minus the truth; late the same from half of the rounds on; drift from the truth to reversed; swapped exchanges the best and the worst arm; near puts the best arm 0.03 below the second; copycat does so and copies the first honest site's other means; patient copies it for a twentieth of the rounds, then near."`
	Noise    Noise    `want:"honest|quiet|loud|many" default:"honest" doc:"Noise that liars claim: theirs, next to none, 1,024 times the scale, or as many draws as rewards."`
	Messages Messages `want:"sound|silent|withheld|malformed" default:"sound" doc:"Liars send sound messages, none, none about the best arm, or labels and arms that do not exist."`
}

// Is reports whether peer i of n is one.
func (l Liars) Is(i, n int) bool {
	return l.Count > 0 && i*l.Count/n != (i+1)*l.Count/n
}

func (l Liars) check() error {
	l.Claim, l.Pay = cmp.Or(l.Claim, ClaimHonest), cmp.Or(l.Pay, PayHonest)
	l.Noise, l.Messages = cmp.Or(l.Noise, NoiseHonest), cmp.Or(l.Messages, MessagesSound)
	return wanted.Error(l, "liars")
}

// mostPulls bounds the pulls that a sum claims, so that it fits in a release.
const mostPulls = 1 << 30

// lieKey names a signed message of a liar.
type lieKey struct {
	label  protocol.Label
	kind   protocol.Kind
	parity protocol.Peer // of the addressee
}

// A liar is one of them.
type liar struct {
	Liars
	self   protocol.Peer
	keys   protocol.Keys
	arms   int
	peers  int       // of the network
	truth  []float64 // means over all sites
	best   int       // the best arm over all sites
	second int       // the second best one, or best if there is one arm
	worst  int       // the worst one
	rounds uint64    // of the run
	// batches says when leaves close, with First set if a row states their number.
	batches protocol.Cadence
	// said are the lies that replace its signed messages, by whether the addressee has an even
	// number. A liar that lied differently in copies of one message would be detected.
	said map[lieKey]*protocol.Message
	// asked are the means in the newest question of every peer that asks for a difference.
	asked map[protocol.Peer][]int64
	// victim is the peer that it copies, and copy its newest means by arm, NaN for none; nil if it has
	// heard nothing.
	victim protocol.Peer
	copy   []float64
}

// hear records what peers say, which some liars copy, and what they ask, since a liar that never changes its claim answers with the
// difference between the question and its lie.
func (l *liar) hear(ds []protocol.Delivery) {
	for i := range ds {
		m := &ds[i].Message
		l.follow(m)
		if m.Refs() > 0 || m.Body() == 0 {
			continue
		}
		r := m.Release(0)
		if r.Len() == 0 {
			continue
		}
		means := make([]int64, r.Len())
		for k := range means {
			means[k] = r.Value(k)
		}
		l.asked[ds[i].From] = means
	}
}

// lie returns what the liar sends instead of m in round t. A Release can only be made from bytes
// off the wire, so the liar does what a real one would: it edits the frame, and signs it.
func (l *liar) lie(m *protocol.Message, t protocol.Round, to protocol.Peer) (protocol.Message, error) {
	if l.Messages == MessagesMalformed {
		return l.malformed(m)
	}
	if m.Label().Origin != l.self {
		return *m, nil // others signed what it forwards
	}
	parity := to % 2
	of := lieKey{m.Label(), m.Kind(), parity}
	if lie := l.said[of]; lie != nil {
		return *lie, nil
	}
	// Message.content is field 1 and the signature 4; Content.body is 4.
	i := 0
	frame := edit(protocol.Encode(nil, *m), []protowire.Number{1, 4}, func([]byte) []byte {
		r := m.Release(i)
		i++
		var asked []int64
		if m.Refs() > 0 {
			asked = l.asked[to]
		}
		return l.release(r, t, parity == 0, asked)
	})
	frame, signed := l.sign(frame)
	lie, err := protocol.Decode(vouch.For(frame))
	if signed && err == nil {
		l.said[of] = &lie
	}
	return lie, err
}

// sign signs a frame again if it is signed, and reports whether it is.
func (l *liar) sign(frame []byte) (again []byte, signed bool) {
	var content []byte
	edit(frame, []protowire.Number{1}, func(b []byte) []byte {
		content = b
		return b
	})
	return edit(frame, []protowire.Number{4}, func([]byte) []byte {
		signed = true
		return l.keys.Sign(content)
	}), signed
}

// malformed returns m with labels of a peer, and releases of an arm, that do not exist.
func (l *liar) malformed(m *protocol.Message) (protocol.Message, error) {
	// Label.origin and Release.stream both are field 1, which is omitted if zero.
	renumber := func(b []byte) []byte {
		if num, typ, n := protowire.ConsumeTag(b); num == 1 {
			b = b[n+protowire.ConsumeFieldValue(num, typ, b[n:]):]
		}
		return append(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), nowhere), b...)
	}
	// Message.content is field 1; Content.refs are 3 and Content.body is 4.
	frame := edit(protocol.Encode(nil, *m), []protowire.Number{1, 3}, renumber)
	frame, _ = l.sign(edit(frame, []protowire.Number{1, 4}, renumber))
	return protocol.Decode(vouch.For(frame))
}

// release returns the lie that replaces r, in wire format. Values with counts are sums of that
// number of rewards. Others are means or, in the answer to a question, half of the difference
// from what was asked.
func (l *liar) release(r *dp.Release, t protocol.Round, even bool, asked []int64) []byte {
	span, noise := r.Span(), r.Noise()
	var counts, values []byte
	for k := range r.Counts() {
		counts = protowire.AppendVarint(counts, l.count(r.Count(k), t))
	}
	if l.batches.First > 0 && noise.Scale > 0 && r.Counts() == 1 && l.claims() {
		span.From, span.To = 0, l.batches.Fewest(l.count(r.Count(0), t))
		noise.VarianceUnits = uint32(span.To) * dp.VarianceScale
	}
	of := func(k int) uint64 { return r.Count(min(k, r.Counts()-1)) } // of the rewards in value k; linear sums have one count
	for k := range r.Len() {
		v := r.Value(k)
		if r.Counts() > 0 && of(k) > 0 && l.claims() { // the mean stays as it is
			mean := float64(v) / float64(of(k))
			if l.Claim == ClaimMillion && r.Counts() == r.Len() { // with the noise of few rewards, no million of them have it
				mean = min(max(mean, 0), math.Ldexp(1, -int(r.Exponent())))
			}
			v = int64(mean * float64(min(l.count(of(k), t), mostPulls)))
		}
		n := 1.
		if r.Counts() > 0 {
			n = float64(min(l.count(of(k), t), mostPulls))
		}
		honest := math.Ldexp(float64(v), int(r.Exponent())) / max(n, 1)
		if pay, lies := l.pay(int(r.Stream())+k, even, t, honest); lies && k < l.arms { // a release is about all arms, or about one
			v = int64(math.Ldexp(pay*n, -int(r.Exponent())))
			if r.Counts() == 0 && k < len(asked) {
				v = (asked[k] - v) / 2
			}
		}
		values = protowire.AppendVarint(values, protowire.EncodeZigZag(v))
	}
	span, noise = l.noise(r, span, noise, t)
	var b []byte
	number := func(num protowire.Number, v uint64) {
		if v != 0 {
			b = protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
		}
	}
	list := func(num protowire.Number, packed []byte) {
		if len(packed) > 0 {
			b = protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), packed)
		}
	}
	number(1, uint64(r.Stream()))
	number(2, span.From)
	number(3, span.To)
	list(4, counts)
	list(5, values)
	number(6, protowire.EncodeZigZag(int64(r.Exponent())))
	number(7, noise.Scale)
	number(8, uint64(noise.VarianceUnits))
	number(9, uint64(noise.Law))
	return b
}

// noise returns the lie that replaces the noise in a release of t rounds, and the leaves that the
// release claims to cover.
func (l *liar) noise(r *dp.Release, span dp.Span, n dp.Noise, t protocol.Round) (dp.Span, dp.Noise) {
	if n.Scale == 0 {
		return span, n
	}
	switch l.Noise {
	case NoiseHonest:
	case NoiseQuiet:
		n.Scale = 1
	case NoiseLoud:
		n.Scale *= loud
	case NoiseMany:
		if r.Counts() > 0 {
			span.To = max(span.To, min(l.count(r.Count(0), t), mostPulls/dp.VarianceScale))
			n.VarianceUnits = uint32(span.To) * dp.VarianceScale
		}
	}
	return span, n
}

// claims reports whether the liar lies about numbers of pulls.
func (l *liar) claims() bool { return l.Claim != "" && l.Claim != ClaimHonest }

// count returns the lie that replaces a number of pulls.
func (l *liar) count(n uint64, t protocol.Round) uint64 {
	switch l.Claim {
	case ClaimHonest:
	case ClaimHuge:
		return 1 << 63
	case ClaimT:
		return uint64(t) + 1
	case ClaimHalf:
		return (uint64(t) + 1) / 2
	case ClaimFew:
		return min(n, 1)
	case ClaimMillion:
		return 1_000_000
	}
	return n
}

// edit applies f to the bytes at a path of field numbers in a well-formed
// message.
func edit(b []byte, path []protowire.Number, f func([]byte) []byte) []byte {
	if len(path) == 0 {
		return f(b)
	}
	var out []byte
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		size := n + protowire.ConsumeFieldValue(num, typ, b[n:])
		if num == path[0] && typ == protowire.BytesType {
			part, _ := protowire.ConsumeBytes(b[n:])
			out = protowire.AppendTag(out, num, typ)
			out = protowire.AppendBytes(out, edit(part, path[1:], f))
		} else {
			out = append(out, b[:size]...)
		}
		b = b[size:]
	}
	return out
}
