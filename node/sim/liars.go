package sim

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Claim names how many pulls of every arm a liar claims.
type Claim string

// The claims. The empty Claim is ClaimHonest.
const (
	ClaimHonest Claim = "honest"
	ClaimHuge   Claim = "huge" // 2^63
	ClaimT      Claim = "t"    // the rounds so far, which is possible for one arm
	ClaimHalf   Claim = "half" // half of them
)

// Pay names what a liar claims that arms pay.
type Pay string

// The claims of rewards. The empty Pay is PayHonest.
const (
	PayHonest  Pay = "honest"
	PayInside  Pay = "inside"  // 1 for the worst arm over all sites and 0 for all others
	PayOutside Pay = "outside" // 1,000 for the worst arm and -1,000 for all others
	PayFork    Pay = "fork"    // PayInside to peers of even number, and the truth to others
)

// Liars are peers that claim what is not so, in their own messages, and sign it. They are
// spread evenly over the peer numbers. In all else they do what honest peers do.
type Liars struct {
	Count int
	Claim Claim
	Pay   Pay
	// Quiet liars claim that their sums hold next to no noise.
	Quiet bool
}

// Is reports whether peer i of n is one.
func (l Liars) Is(i, n int) bool {
	return l.Count > 0 && i*l.Count/n != (i+1)*l.Count/n
}

func (l Liars) check() error {
	switch l.Claim {
	case "", ClaimHonest, ClaimHuge, ClaimT, ClaimHalf:
	default:
		return fmt.Errorf("sim: claim %q, want honest, huge, t or half", l.Claim)
	}
	switch l.Pay {
	case "", PayHonest, PayInside, PayOutside, PayFork:
	default:
		return fmt.Errorf("sim: pay %q, want honest, inside, outside or fork", l.Pay)
	}
	return nil
}

// mostPulls bounds what a sum is of, so that it fits a release.
const mostPulls = 1 << 30

// A liar is one of them.
type liar struct {
	Liars
	self  protocol.Peer
	keys  protocol.Keys
	arms  int
	worst int // arm, over all sites
	// said are the lies in place of its newest signed message, by whether its addressee has an
	// even number. A liar that lied anew in copies of a message would give itself away.
	label protocol.Label
	kind  protocol.Kind
	said  [2]*protocol.Message
	// asked are the means in the newest question of every peer that asks for a difference.
	asked map[protocol.Peer][]int64
}

// hear remembers what peers ask, since a liar that never changes its mind answers with the
// difference between that and its lie.
func (l *liar) hear(ds []protocol.Delivery) {
	for i := range ds {
		m := &ds[i].Message
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

// lie returns what the liar sends in place of m, in round t. Nothing but bytes off the wire
// makes a Release, so it does what a real one would: it edits the frame, and signs it.
func (l *liar) lie(m *protocol.Message, t protocol.Round, to protocol.Peer) (protocol.Message, error) {
	if m.Label().Origin != l.self {
		return *m, nil // others signed what it passes on
	}
	if m.Label() != l.label || m.Kind() != l.kind {
		l.label, l.kind, l.said = m.Label(), m.Kind(), [2]*protocol.Message{}
	}
	parity := to % 2
	if l.said[parity] != nil {
		return *l.said[parity], nil
	}
	// Message.content is field 1 and the signature 4; Content.body is 4.
	i, signed := 0, false
	frame := edit(protocol.Encode(nil, *m), []protowire.Number{1, 4}, func([]byte) []byte {
		r := m.Release(i)
		i++
		var asked []int64
		if m.Refs() > 0 {
			asked = l.asked[to]
		}
		return l.release(&r, t, parity == 0, asked)
	})
	var content []byte
	edit(frame, []protowire.Number{1}, func(b []byte) []byte {
		content = b
		return b
	})
	frame = edit(frame, []protowire.Number{4}, func([]byte) []byte {
		signed = true
		return l.keys.Sign(content)
	})
	lie, err := protocol.Decode(frame)
	if signed && err == nil {
		l.said[parity] = &lie
	}
	return lie, err
}

// release returns the lie in place of r, as it stands on the wire. Values with counts are sums
// of as many rewards. Others are means or, in the answer to a question, half of the difference
// to what was asked.
func (l *liar) release(r *dp.Release, t protocol.Round, even bool, asked []int64) []byte {
	noise := r.Noise()
	if l.Quiet && noise.Scale > 1 {
		noise.Scale = 1
	}
	var counts, values []byte
	for k := range r.Counts() {
		counts = protowire.AppendVarint(counts, l.count(r.Count(k), t))
	}
	for k := range r.Len() {
		v := r.Value(k)
		if pay, lies := l.pay(k, even); lies && k < l.arms {
			v = int64(math.Ldexp(pay, -int(r.Exponent())))
			switch {
			case r.Counts() > 0:
				v *= int64(min(l.count(r.Count(k), t), mostPulls))
			case k < len(asked):
				v = (asked[k] - v) / 2
			}
		}
		values = protowire.AppendVarint(values, protowire.EncodeZigZag(v))
	}
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
	number(2, r.Span().From)
	number(3, r.Span().To)
	list(4, counts)
	list(5, values)
	number(6, protowire.EncodeZigZag(int64(r.Exponent())))
	number(7, noise.Scale)
	number(8, uint64(noise.VarianceUnits))
	number(9, uint64(noise.Law))
	return b
}

// count returns the lie in place of a number of pulls.
func (l *liar) count(n uint64, t protocol.Round) uint64 {
	switch l.Claim {
	case ClaimHonest:
	case ClaimHuge:
		return 1 << 63
	case ClaimT:
		return uint64(t) + 1
	case ClaimHalf:
		return (uint64(t) + 1) / 2
	}
	return n
}

// pay returns what arm k pays by the lie, false for the truth.
func (l *liar) pay(k int, even bool) (float64, bool) {
	switch {
	case l.Pay == PayInside, l.Pay == PayFork && even:
		if k == l.worst {
			return 1, true
		}
		return 0, true
	case l.Pay == PayOutside:
		if k == l.worst {
			return 1000, true
		}
		return -1000, true
	}
	return 0, false
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
