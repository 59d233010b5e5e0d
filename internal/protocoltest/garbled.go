package protocoltest

import (
	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/protocol"
)

// Garbled draws what a hostile or broken peer could send in place of a message, or the message.
func Garbled(t *rapid.T, message protocol.Message) protocol.Message {
	m := DraftOf(message)
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		switch rapid.IntRange(0, 10).Draw(t, "change") {
		case 0:
			m.Kind = protocol.Kind(rapid.IntRange(1, 127).Draw(t, "kind"))
		case 1:
			m.Label = garbledLabel(t, m.Label)
		case 2:
			if len(m.Refs) > 0 {
				i := rapid.IntRange(0, len(m.Refs)-1).Draw(t, "ref")
				m.Refs[i] = garbledLabel(t, m.Refs[i])
			}
		case 3:
			m.Refs = append(m.Refs, anyLabel().Draw(t, "another ref"))
		case 4:
			m.Refs = nil
		case 5:
			m.Body = append(m.Body, dptest.AnyRelease().Draw(t, "another release"))
		case 6:
			m.Body = nil
		case 7:
			if len(m.Body) > 0 {
				i := rapid.IntRange(0, len(m.Body)-1).Draw(t, "release")
				m.Body[i] = dptest.GarbledRelease(t, m.Body[i])
			}
		case 8:
			m.Round = protocol.Round(dptest.AnyUint().Draw(t, "round"))
		case 9:
			if len(m.Sig) > 0 {
				m.Sig[rapid.IntRange(0, len(m.Sig)-1).Draw(t, "at")] ^= 1
			}
		case 10:
			m = anyDraft(t)
		}
	}
	return m.Message()
}

// anyDraft draws a message without sealed releases.
func anyDraft(t *rapid.T) Draft {
	d := Draft{
		Kind:  protocol.Kind(rapid.IntRange(1, 127).Draw(t, "kind")),
		Label: anyLabel().Draw(t, "label"),
		Refs:  rapid.SliceOfN(anyLabel(), 0, 5).Draw(t, "refs"),
		Body:  rapid.SliceOfN(dptest.AnyRelease(), 0, 4).Draw(t, "body"),
		Round: protocol.Round(dptest.AnyUint().Draw(t, "round")),
	}
	if rapid.Bool().Draw(t, "signed") {
		d.Sig = rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, "sig")
	}
	return d
}

func anyLabel() *rapid.Generator[protocol.Label] {
	return rapid.Custom(func(t *rapid.T) protocol.Label {
		return protocol.Label{
			Origin:      protocol.Peer(dptest.AnyUint().Draw(t, "origin")),
			Incarnation: uint32(dptest.AnyUint().Draw(t, "incarnation")),
			Stream:      dp.StreamID(dptest.AnyUint().Draw(t, "stream")),
			Seq:         dptest.AnyUint().Draw(t, "seq"),
		}
	})
}

func garbledLabel(t *rapid.T, l protocol.Label) protocol.Label {
	switch rapid.IntRange(0, 3).Draw(t, "field") {
	case 0:
		l.Origin = protocol.Peer(rapid.OneOf(rapid.Uint64Range(0, 6), dptest.AnyUint()).Draw(t, "origin"))
	case 1:
		l.Incarnation = uint32(dptest.AnyUint().Draw(t, "incarnation"))
	case 2:
		l.Stream = dp.StreamID(dptest.AnyUint().Draw(t, "stream"))
	case 3:
		l.Seq = rapid.OneOf(rapid.Uint64Range(l.Seq-2, l.Seq-2+min(4, 1<<64-1-(l.Seq-2))), dptest.AnyUint()).Draw(t, "seq")
	}
	return l
}
