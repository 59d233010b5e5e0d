package audit

import (
	"hash/fnv"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/protocol"
)

// An outline is all of a message that was sent except the released numbers.
type outline struct {
	round protocol.Round
	to    protocol.Peer
	shape uint64 // hash
}

func newOutline(s *sent) outline {
	h := fnv.New64a()
	_, _ = h.Write(shape(s.frame))
	return outline{s.round, s.to, h.Sum64()}
}

// shape returns a frame without the numbers that were released: every list of values
// (Message.content.body.values of docs/wire.proto) and of counts is replaced by its length, and
// so are sealed texts and the signature, which covers all. Addresses, counters and sizes remain.
func shape(frame []byte) []byte { return strip(nil, frame, 0) }

// depths of a frame
const (
	inMessage = iota
	inContent
	inRelease
)

func strip(out, b []byte, depth int) []byte {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(num, typ, b[max(n, 0):])
		if n < 0 || size < 0 {
			return append(out, b...)
		}
		field, value := b[:n+size], b[n:n+size]
		b = b[n+size:]
		if typ != protowire.BytesType {
			out = append(out, field...)
			continue
		}
		part, _ := protowire.ConsumeBytes(value)
		out = protowire.AppendTag(out, num, typ)
		switch {
		case depth == inMessage && num == 1, depth == inContent && num == 4:
			out = strip(append(out, '('), part, depth+1)
			out = append(out, ')')
		case depth == inMessage && num == 4, depth == inContent && num == 5:
			out = protowire.AppendVarint(out, uint64(len(part)))
		case depth == inRelease && (num == 4 || num == 5):
			out = protowire.AppendVarint(out, uint64(numbers(part)))
		default:
			out = protowire.AppendBytes(out, part)
		}
	}
	return out
}

// numbers returns the number of varints.
func numbers(b []byte) (n int) {
	for _, x := range b {
		if x < 0x80 { // the last byte of a varint
			n++
		}
	}
	return n
}
