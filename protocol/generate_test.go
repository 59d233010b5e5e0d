package protocol

import (
	"slices"

	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/vouch"
)

// anyMessage draws a message that Encode and Decode must carry: every field and
// every limit, and mostly the small shapes that protocols use.
func anyMessage() *rapid.Generator[Message] {
	return rapid.Custom(func(t *rapid.T) Message {
		m := Message{&message{
			kind:  Kind(rapid.IntRange(1, int(maxKind)).Draw(t, "kind")),
			label: anyLabel().Draw(t, "label"),
			refs:  rapid.SliceOfN(anyLabel(), 0, 5).Draw(t, "refs"),
			body:  rapid.SliceOfN(dptest.AnyRelease(), 0, 4).Draw(t, "body"),
			round: Round(dptest.AnyUint().Draw(t, "round")),
		}}
		for _, b := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 40), 0, 3).Draw(t, "sealed") {
			s, err := dp.ReceivedSealed(vouch.For(b))
			if err != nil {
				t.Fatal(err)
			}
			m.sealed = append(m.sealed, s)
		}
		if rapid.Bool().Draw(t, "signed") {
			m.sig = string(rapid.SliceOfN(rapid.Byte(), sigLen, sigLen).Draw(t, "sig"))
		}
		return m
	})
}

func anyLabel() *rapid.Generator[Label] {
	return rapid.Custom(func(t *rapid.T) Label {
		return Label{
			Origin:      Peer(dptest.AnyUint().Draw(t, "origin")),
			Incarnation: uint32(dptest.AnyUint().Draw(t, "incarnation")),
			Stream:      dp.StreamID(dptest.AnyUint().Draw(t, "stream")),
			Seq:         dptest.AnyUint().Draw(t, "seq"),
		}
	})
}

// changed returns a message with m's content as f changes it. Nothing else keeps what it
// shares with m.
func changed(m Message, f func(m *message)) Message {
	c := *m.message
	c.refs, c.body, c.sealed, c.frame = slices.Clone(c.refs), slices.Clone(c.body), slices.Clone(c.sealed), ""
	f(&c)
	return Message{&c}
}
