package protocol

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
)

// FuzzDecode stands beside the codec's other tests.

// FuzzParseRelease: what is taken is written as it was, and every number of it took at
// least a byte.
func FuzzParseRelease(f *testing.F) {
	for _, w := range []wire{
		nil,
		wire{}.uint(1, 1).uint(3, 4).bytes(4, 1, 2).bytes(5, 2, 3).uint(6, 39).uint(7, 1<<20).uint(8, 1),
		wire{}.uint(2, 2).uint(3, 1),
		wire{}.bytes(5, protowire.AppendVarint(nil, protowire.EncodeZigZag(-dp.MaxValue))...).uint(6, 128),
		wire{}.bytes(4, 0x80, 0),
		wire{}.uint(7, dp.MaxValue+1).uint(8, 1),
	} {
		f.Add([]byte(w))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseRelease(b)
		if err != nil {
			if !errors.Is(err, ErrFrame) {
				t.Fatal(err)
			}
			return
		}
		if got := AppendRelease(nil, r); !bytes.Equal(got, b) {
			t.Fatalf("%x is written as %x", b, got)
		}
		if r.Len()+r.Counts() > len(b) {
			t.Fatalf("%d numbers from %d bytes", r.Len()+r.Counts(), len(b))
		}
		n := r.Spread()
		checkNumber(t, "noise", n.Variance(), 0, math.MaxFloat64)
		checkNumber(t, "scale", n.B, 0, math.MaxFloat64)
		for i := range r.Len() {
			checkNumber(t, "entry", r.At(i), -math.MaxFloat64, math.MaxFloat64)
		}
	})
}

func checkNumber(t *testing.T, what string, x, least, most float64) {
	t.Helper()
	if !(least <= x && x <= most) {
		t.Fatalf("%s: %v", what, x)
	}
}

// listener is a protocol of peer 1 of 4, whose neighbours are 0 and 2. It believes every
// signature, as if liars had the keys, and has no rewards.
type listener struct {
	name string
	Protocol
}

type gullible struct{ testKeys }

func (gullible) Verify(Peer, []byte, []byte) bool { return true }

func listeners(t testing.TB) []listener {
	var all []listener
	add := func(name string, p Protocol, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, listener{name, p})
	}
	config := func() Config {
		return Config{Self: 1, Neighbours: []Peer{0, 2}, Peers: 4, Arms: 2, Keys: gullible{1}, Rand: rand.New(rand.NewPCG(1, 1))}
	}
	for _, c := range []Consistency{Max, Robust, Budget} {
		p, err := newAverage(config(), AverageParams{Consistency: c, F: 1, Rate: .5, Patience: 2})
		add("average "+string(c), p, err)
	}
	for _, m := range []Merge{MergeMean, MergeTrimmed} {
		p, err := newRows(config(), RowsParams{Every: 1, Pull: 1, Merge: m, F: 1})
		add("rows "+string(m), p, err)
	}
	return all
}

// check fails for a belief that no learner could use.
func (l listener) check(t *testing.T) {
	t.Helper()
	b := l.Belief()
	for k := range b.Mean {
		checkNumber(t, l.name+": mean", b.Mean[k], -math.MaxFloat64, math.MaxFloat64)
		checkNumber(t, l.name+": spread", b.Spread[k], 0, math.Inf(1))
		checkNumber(t, l.name+": noise", b.NoiseV[k], 0, math.MaxFloat64)
		checkNumber(t, l.name+": scale", b.NoiseB[k], 0, math.MaxFloat64)
	}
}

func (l listener) state(t *testing.T) []byte {
	t.Helper()
	b, err := l.Save()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// FuzzReceive gives every protocol any messages from both neighbours in turn: one that is
// refused has changed and sent nothing, and what the others make leaves a belief of
// numbers, and answers that fit a frame.
func FuzzReceive(f *testing.F) {
	release := wire{}.bytes(4, 3, 4).bytes(5, 1, 2).uint(6, protowire.EncodeZigZag(dp.MeanExponent)).uint(7, 1<<20).uint(8, 1)
	counts := wire{}.bytes(4, 3, 0)
	mean := wire{}.bytes(5, protowire.AppendVarint(wire{2}, protowire.EncodeZigZag(dp.MaxValue/4))...).uint(6, protowire.EncodeZigZag(dp.MeanExponent))
	far := wire{}.bytes(5, protowire.AppendVarint(wire{2}, protowire.EncodeZigZag(dp.MaxValue))...).uint(6, protowire.EncodeZigZag(dp.MeanExponent))
	weighted := wire{}.bytes(5, 2, 4, 1, 3).uint(6, protowire.EncodeZigZag(dp.MeanExponent)) // a negative weight, and next to none
	of := func(kind Kind, origin, seq uint64) wire {
		label := wire{}
		if origin > 0 {
			label = label.uint(1, origin)
		}
		return wire{}.uint(1, uint64(kind)).bytes(2, label.uint(4, seq)...)
	}
	question := wire{}.uint(1, 1).uint(4, 1)
	frames := func(cs ...wire) (b []byte) {
		for _, c := range cs {
			b = protowire.AppendBytes(b, content(c))
		}
		return b
	}
	f.Add(frames(of(averageAsk, 0, 1).bytes(4, mean...).bytes(4, counts...), of(averageAsk, 2, 1).bytes(4, mean...).bytes(4, counts...), of(averageAsk, 0, 1)))
	f.Add(frames(of(averageAsk, 0, 1).bytes(4, weighted...).bytes(4, counts...), of(averageAsk, 2, 1).bytes(4, weighted...).bytes(4, counts...)))
	f.Add(frames(of(averageDelta, 0, 1).bytes(3, question...).bytes(4, weighted...).bytes(4, counts...)))
	f.Add(frames(of(averageCounts, 0, 1).bytes(4, counts...), of(averageCounts, 2, 9).bytes(4, counts...)))
	f.Add(frames(of(averageDelta, 0, 1).bytes(3, question...).bytes(4, mean...), of(averageBusy, 2, 1).bytes(3, question...)))
	f.Add(frames(of(averageDelta, 0, 1).bytes(3, question...).bytes(4, far...)))
	f.Add(frames(of(averageAsk, 0, 1).bytes(4, far...).bytes(4, mean...), of(averageCounts, 2, 1).bytes(4, mean...)))
	f.Add(frames(of(rowsRow, 3, 8).bytes(4, mean...), of(rowsRow, 9, 8).bytes(4, release...), of(rowsDigest, 0, 1).bytes(3, wire{}.uint(1, 9)...)))
	f.Add(frames(of(rowsRow, 0, 1).bytes(4, release...), of(rowsRow, 3, 7).bytes(4, release...), of(rowsRow, 3, 7).bytes(4, mean...)))
	f.Add(frames(of(rowsDigest, 0, 1).bytes(3, wire{}.uint(1, 3).uint(4, 9)...), of(rowsWant, 2, 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		var ms []Message
		for len(b) > 0 {
			frame, n := protowire.ConsumeBytes(b)
			if n < 0 {
				break
			}
			if m, err := Decode(frame); err == nil {
				ms = append(ms, m)
			}
			b = b[n:]
		}
		if len(ms) == 0 {
			return
		}
		for _, l := range listeners(t) {
			var out Outbox
			if a, ok := l.Protocol.(*average); ok {
				a.links[0].open, a.links[0].seq = true, 1 // so that an answer may be taken
			}
			for i, m := range ms {
				out.Reset()
				before := l.state(t)
				if err := l.Receive(Peer(i%2*2), m, &out); err != nil &&
					(!errors.Is(err, ErrPeer) || len(out.Envelopes()) > 0 || !bytes.Equal(l.state(t), before)) {
					t.Fatalf("%s: %v, %d messages sent", l.name, err, len(out.Envelopes()))
				}
				for _, e := range out.Envelopes() {
					overTheWire(t, e.Message)
				}
				l.check(t)
			}
		}
	})
}

// FuzzLoad: a state that is taken is saved again, and one that is not is damaged.
func FuzzLoad(f *testing.F) {
	for i, l := range listeners(f) {
		b, err := l.Save()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), b)
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		all := listeners(t)
		l := all[int(which)%len(all)]
		if err := l.Load(b); err != nil {
			if !errors.Is(err, ErrState) && !errors.Is(err, dp.ErrState) {
				t.Fatal(err)
			}
			return
		}
		l.Belief()
		l.state(t)
	})
}
