package protocol

import (
	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
)

// Size returns the length of m's encoding in bytes.
func Size(m *Message) int {
	if m.frame != "" {
		return len(m.frame)
	}
	n := partSize(contentSize(m.message)) + uintSize(uint64(m.round))
	if len(m.sig) > 0 {
		n += partSize(len(m.sig))
	}
	return n
}

func contentSize(m *message) int {
	n := uintSize(uint64(m.kind)) + partSize(labelSize(&m.label))
	for i := range m.refs {
		n += partSize(labelSize(&m.refs[i]))
	}
	for i := range m.body {
		n += partSize(releaseSize(&m.body[i]))
	}
	for _, s := range m.sealed {
		n += partSize(len(s.Bytes()))
	}
	return n
}

func labelSize(l *Label) int {
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
