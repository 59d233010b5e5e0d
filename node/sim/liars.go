package sim

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/protocol"
)

// Claim names what a liar says that it pulled.
type Claim string

// The claims, of every arm.
const (
	ClaimHuge Claim = "huge" // 2^63
	ClaimT    Claim = "t"    // the rounds so far, which is possible for one arm
	ClaimHalf Claim = "half" // half of them
)

// Liars are peers who claim pull counts that are not theirs. They are spread
// evenly over the peer numbers.
type Liars struct {
	Count int
	Claim Claim
}

// Is reports whether peer i of n is one.
func (l Liars) Is(i, n int) bool {
	return l.Count > 0 && i*l.Count/n != (i+1)*l.Count/n
}

// lie returns m with every pull count replaced. Nothing but bytes off the wire
// makes a Release, so the liar does what a real one would: it edits the frame.
func (l Liars) lie(m *protocol.Message, t protocol.Round) (protocol.Message, error) {
	claim := uint64(1) << 63
	switch l.Claim {
	case ClaimHuge:
	case ClaimT:
		claim = uint64(t) + 1
	case ClaimHalf:
		claim = (uint64(t) + 1) / 2
	default:
		return *m, fmt.Errorf("sim: claim %q, want huge, t or half", l.Claim)
	}
	// Message.content is field 1, Content.body is 4, Release.counts is 4.
	return protocol.Decode(edit(protocol.Encode(nil, *m), []protowire.Number{1, 4, 4}, func(counts []byte) []byte {
		var out []byte
		for len(counts) > 0 {
			_, n := protowire.ConsumeVarint(counts)
			counts = counts[n:]
			out = protowire.AppendVarint(out, claim)
		}
		return out
	}))
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
