// Package dptest draws releases for tests.
package dptest

import (
	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/vouch"
)

// AnyUint prefers the values at which encodings change length.
func AnyUint() *rapid.Generator[uint64] {
	return rapid.OneOf(
		rapid.Uint64Range(0, 3),
		rapid.SampledFrom([]uint64{127, 128, 1<<14 - 1, 1 << 14, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}),
		rapid.Uint64(),
	)
}

// AnyNoise draws noise of either law, or none.
func AnyNoise(t *rapid.T) dp.Noise {
	scale := min(AnyUint().Draw(t, "scale"), dp.MaxValue)
	if scale == 0 {
		return dp.Noise{}
	}
	law := rapid.SampledFrom([]dp.Law{dp.Laplace, dp.Gaussian}).Draw(t, "law")
	return dp.Noise{Law: law, Scale: scale, VarianceUnits: max(1, uint32(AnyUint().Draw(t, "terms")))}
}

// AnyRelease draws a release of any shape.
func AnyRelease() *rapid.Generator[dp.Release] {
	value := rapid.OneOf(
		rapid.Int64Range(-3, 3),
		rapid.SampledFrom([]int64{dp.MaxValue, -dp.MaxValue, dp.MaxValue - 1, 1 << 20, -1 << 32}),
		rapid.Int64Range(-dp.MaxValue, dp.MaxValue),
	)
	return rapid.Custom(func(t *rapid.T) dp.Release {
		f := dp.Fields{
			Stream:   dp.StreamID(AnyUint().Draw(t, "stream")),
			Span:     dp.Span{From: AnyUint().Draw(t, "from"), To: AnyUint().Draw(t, "to")},
			Count:    rapid.SliceOfN(AnyUint(), 0, 5).Draw(t, "count"),
			Value:    rapid.SliceOfN(value, 0, 5).Draw(t, "value"),
			Exponent: rapid.OneOf(rapid.SampledFrom([]int8{0, dp.GridExponent, averages.MeanExponent, 64, -64}), rapid.Int8Range(-64, 64)).Draw(t, "exponent"),
		}
		f.Noise = AnyNoise(t)
		if f.Span.From > f.Span.To {
			f.Span.From, f.Span.To = f.Span.To, f.Span.From
		}
		r, err := dp.Received(vouch.For(f))
		if err != nil {
			t.Fatal(err)
		}
		return r
	})
}

// GarbledRelease draws another release than r. It keeps the shape and so gets past the first check.
func GarbledRelease(t *rapid.T, r dp.Release) dp.Release {
	other := AnyRelease().Draw(t, "instead")
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
	g, err := dp.Received(vouch.For(f))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Received returns the release of fields, which fit together.
func Received(t rapid.TB, f dp.Fields) dp.Release {
	r, err := dp.Received(vouch.For(f))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
