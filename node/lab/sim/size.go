package sim

import (
	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// frameSize returns the length of m's frame in bytes, without making one.
func frameSize(m *protocol.Message) int {
	n := partSize(contentSize(m)) + uintSize(uint64(m.Round()))
	if s := m.Signature(); s != "" {
		n += partSize(len(s))
	}
	return n
}

func contentSize(m *protocol.Message) int {
	n := uintSize(uint64(m.Kind())) + partSize(labelSize(m.Label()))
	for i := range m.Refs() {
		n += partSize(labelSize(m.Ref(i)))
	}
	for i := range m.Body() {
		n += partSize(releaseSize(m.Release(i)))
	}
	for _, s := range m.Sealed() {
		n += partSize(len(s.Bytes()))
	}
	return n
}

func labelSize(l protocol.Label) int {
	return uintSize(uint64(l.Origin)) + uintSize(uint64(l.Incarnation)) + uintSize(uint64(l.Stream)) + uintSize(l.Seq)
}

func releaseSize(r *dp.Release) int {
	span, noise := r.Span(), r.Noise()
	n := uintSize(uint64(r.Stream())) + uintSize(span.From) + uintSize(span.To) +
		uintSize(protowire.EncodeZigZag(int64(r.Exponent()))) + uintSize(noise.Scale) + uintSize(uint64(noise.VarianceUnits)) +
		uintSize(uint64(noise.Law))
	if r.Counts() > 0 {
		list := 0
		for i := range r.Counts() {
			list += protowire.SizeVarint(r.Count(i))
		}
		n += partSize(list)
	}
	if r.Len() > 0 {
		list := 0
		for i := range r.Len() {
			list += protowire.SizeVarint(protowire.EncodeZigZag(r.Value(i)))
		}
		n += partSize(list)
	}
	return n
}

// partSize returns the size of a field of n bytes, with its tag and length.
func partSize(n int) int { return 1 + protowire.SizeBytes(n) }

func uintSize(v uint64) int {
	if v == 0 {
		return 0
	}
	return 1 + protowire.SizeVarint(v)
}
