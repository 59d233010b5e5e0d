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
	n := partSize(contentSize(m.message)) + uintSize(uint64(m.round)) + uintSize(uint64(m.hops))
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
	f := r.Fields()
	n := uintSize(uint64(f.Stream)) + uintSize(f.Span.From) + uintSize(f.Span.To) +
		uintSize(protowire.EncodeZigZag(int64(f.Exponent))) + uintSize(f.Noise.Scale) + uintSize(uint64(f.Noise.VarianceUnits)) +
		uintSize(uint64(f.Noise.Law))
	if len(f.Count) > 0 {
		list := 0
		for _, v := range f.Count {
			list += protowire.SizeVarint(v)
		}
		n += partSize(list)
	}
	if len(f.Value) > 0 {
		list := 0
		for _, v := range f.Value {
			list += protowire.SizeVarint(protowire.EncodeZigZag(v))
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
