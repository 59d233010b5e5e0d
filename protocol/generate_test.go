package protocol

import (
	"slices"

	"pgregory.net/rapid"

	"peerd.dev/dp"
)

// anyMessage draws a message that Encode and Decode must carry: every field and
// every limit, and mostly the small shapes that protocols use.
func anyMessage() *rapid.Generator[Message] {
	return rapid.Custom(func(t *rapid.T) Message {
		m := Message{&message{
			kind:  Kind(rapid.IntRange(1, int(maxKind)).Draw(t, "kind")),
			label: anyLabel().Draw(t, "label"),
			refs:  rapid.SliceOfN(anyLabel(), 0, 5).Draw(t, "refs"),
			body:  rapid.SliceOfN(anyRelease(), 0, 4).Draw(t, "body"),
			round: Round(anyUint().Draw(t, "round")),
		}}
		for _, b := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 40), 0, 3).Draw(t, "sealed") {
			s, err := dp.ReceivedSealed(b)
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

// anyUint prefers the values at which encodings change length.
func anyUint() *rapid.Generator[uint64] {
	return rapid.OneOf(
		rapid.Uint64Range(0, 3),
		rapid.SampledFrom([]uint64{127, 128, 1<<14 - 1, 1 << 14, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}),
		rapid.Uint64(),
	)
}

func anyLabel() *rapid.Generator[Label] {
	return rapid.Custom(func(t *rapid.T) Label {
		return Label{
			Origin:      Peer(anyUint().Draw(t, "origin")),
			Incarnation: uint32(anyUint().Draw(t, "incarnation")),
			Stream:      dp.StreamID(anyUint().Draw(t, "stream")),
			Seq:         anyUint().Draw(t, "seq"),
		}
	})
}

// anyNoise draws noise of either law, or none.
func anyNoise(t *rapid.T) dp.Noise {
	scale := min(anyUint().Draw(t, "scale"), dp.MaxValue)
	if scale == 0 {
		return dp.Noise{}
	}
	law := rapid.SampledFrom([]dp.Law{dp.Laplace, dp.Gaussian}).Draw(t, "law")
	return dp.Noise{Law: law, Scale: scale, VarianceUnits: max(1, uint32(anyUint().Draw(t, "terms")))}
}

func anyRelease() *rapid.Generator[dp.Release] {
	value := rapid.OneOf(
		rapid.Int64Range(-3, 3),
		rapid.SampledFrom([]int64{dp.MaxValue, -dp.MaxValue, dp.MaxValue - 1, 1 << 20, -1 << 32}),
		rapid.Int64Range(-dp.MaxValue, dp.MaxValue),
	)
	return rapid.Custom(func(t *rapid.T) dp.Release {
		f := dp.Fields{
			Stream:   dp.StreamID(anyUint().Draw(t, "stream")),
			Span:     dp.Span{From: anyUint().Draw(t, "from"), To: anyUint().Draw(t, "to")},
			Count:    rapid.SliceOfN(anyUint(), 0, 5).Draw(t, "count"),
			Value:    rapid.SliceOfN(value, 0, 5).Draw(t, "value"),
			Exponent: rapid.OneOf(rapid.SampledFrom([]int8{0, dp.GridExponent, dp.MeanExponent, 64, -64}), rapid.Int8Range(-64, 64)).Draw(t, "exponent"),
		}
		f.Noise = anyNoise(t)
		if f.Span.From > f.Span.To {
			f.Span.From, f.Span.To = f.Span.To, f.Span.From
		}
		r, err := dp.Received(f)
		if err != nil {
			t.Fatal(err)
		}
		return r
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

// garbled draws what a hostile or broken peer could send in place of m, or m.
func garbled(t *rapid.T, m Message) Message {
	m = changed(m, func(*message) {})
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		switch rapid.IntRange(0, 10).Draw(t, "change") {
		case 0:
			m.kind = Kind(rapid.IntRange(1, int(maxKind)).Draw(t, "kind"))
		case 1:
			m.label = garbledLabel(t, m.label)
		case 2:
			if len(m.refs) > 0 {
				i := rapid.IntRange(0, len(m.refs)-1).Draw(t, "ref")
				m.refs[i] = garbledLabel(t, m.refs[i])
			}
		case 3:
			m.refs = append(m.refs, anyLabel().Draw(t, "another ref"))
		case 4:
			m.refs = nil
		case 5:
			m.body = append(m.body, anyRelease().Draw(t, "another release"))
		case 6:
			m.body = nil
		case 7:
			if len(m.body) > 0 {
				i := rapid.IntRange(0, len(m.body)-1).Draw(t, "release")
				m.body[i] = garbledRelease(t, m.body[i])
			}
		case 8:
			m.round = Round(anyUint().Draw(t, "round"))
		case 9:
			if len(m.sig) > 0 {
				sig := []byte(m.sig)
				sig[rapid.IntRange(0, sigLen-1).Draw(t, "at")] ^= 1
				m.sig = string(sig)
			}
		case 10:
			m = anyMessage().Draw(t, "message")
		}
	}
	return m
}

func garbledLabel(t *rapid.T, l Label) Label {
	switch rapid.IntRange(0, 3).Draw(t, "field") {
	case 0:
		l.Origin = Peer(rapid.OneOf(rapid.Uint64Range(0, 6), anyUint()).Draw(t, "origin"))
	case 1:
		l.Incarnation = uint32(anyUint().Draw(t, "incarnation"))
	case 2:
		l.Stream = dp.StreamID(anyUint().Draw(t, "stream"))
	case 3:
		l.Seq = rapid.OneOf(rapid.Uint64Range(l.Seq-2, l.Seq-2+min(4, 1<<64-1-(l.Seq-2))), anyUint()).Draw(t, "seq")
	}
	return l
}

// garbledRelease keeps the shape and so gets past the first check.
func garbledRelease(t *rapid.T, r dp.Release) dp.Release {
	other := anyRelease().Draw(t, "instead")
	f := dp.Fields{Stream: r.Stream(), Span: r.Span(), Exponent: r.Exponent()}
	f.Noise = r.Noise()
	for i := range r.Len() {
		f.Value = append(f.Value, r.Value(i))
		if other.Len() > 0 {
			f.Value[i] = other.Value(i % other.Len())
		}
	}
	for i := range r.Counts() {
		f.Count = append(f.Count, r.Count(i))
		if other.Counts() > 0 {
			f.Count[i] = other.Count(i % other.Counts())
		}
	}
	switch rapid.IntRange(0, 4).Draw(t, "and") {
	case 0:
		f.Exponent = other.Exponent()
	case 1:
		f.Span = other.Span()
	case 2:
		f.Noise = other.Noise()
	case 3:
		f.Stream = other.Stream()
	}
	g, err := dp.Received(f)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func received(t rapid.TB, f dp.Fields) dp.Release {
	r, err := dp.Received(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
