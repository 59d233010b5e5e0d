package table_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

type wire []byte

func (w wire) uint(num protowire.Number, v uint64) wire {
	return protowire.AppendVarint(protowire.AppendTag(w, num, protowire.VarintType), v)
}

func (w wire) bytes(num protowire.Number, b ...byte) wire {
	return protowire.AppendBytes(protowire.AppendTag(w, num, protowire.BytesType), b)
}

// kind returns a kind of a protocol by their names.
func kind(name, message string) protocol.Kind {
	p, err := protocoltest.Lookup(papers.All(), name)
	if err != nil {
		panic(err)
	}
	return protocoltest.KindOf(p, message)
}

// receiveSeeds returns frames for FuzzReceive to begin with.
func receiveSeeds() (all [][]byte) {
	add := func(b []byte) { all = append(all, b) }
	release := wire{}.bytes(4, 3, 4).bytes(5, 1, 2).uint(6, protowire.EncodeZigZag(averages.MeanExponent)).uint(7, 1<<20).uint(8, 1)
	counts := wire{}.bytes(4, 3, 0)
	mean := wire{}.bytes(5, protowire.AppendVarint(wire{2}, protowire.EncodeZigZag(dp.MaxValue/4))...).uint(6, protowire.EncodeZigZag(averages.MeanExponent))
	far := wire{}.bytes(5, protowire.AppendVarint(wire{2}, protowire.EncodeZigZag(dp.MaxValue))...).uint(6, protowire.EncodeZigZag(averages.MeanExponent))
	weighted := wire{}.bytes(5, 2, 4, 1, 3).uint(6, protowire.EncodeZigZag(averages.MeanExponent)) // a negative weight, and next to none
	of := func(kind protocol.Kind, origin, seq uint64) wire {
		label := wire{}
		if origin > 0 {
			label = label.uint(1, origin)
		}
		return wire{}.uint(1, uint64(kind)).bytes(2, label.uint(4, seq)...)
	}
	question := wire{}.uint(1, 1).uint(4, 1)
	frames := func(cs ...wire) (b []byte) {
		for _, c := range cs {
			b = protowire.AppendBytes(b, wire{}.bytes(1, c...))
		}
		return b
	}
	add(frames(of(kind("average", "ask"), 0, 1).bytes(4, mean...).bytes(4, counts...), of(kind("average", "ask"), 2, 1).bytes(4, mean...).bytes(4, counts...), of(kind("average", "ask"), 0, 1)))
	add(frames(of(kind("average", "ask"), 0, 1).bytes(4, weighted...).bytes(4, counts...), of(kind("average", "ask"), 2, 1).bytes(4, weighted...).bytes(4, counts...)))
	add(frames(of(kind("average", "counts"), 0, 1).bytes(4, counts...), of(kind("average", "delta"), 2, 1).bytes(3, question...).bytes(4, weighted...).bytes(4, counts...)))
	add(frames(of(kind("average", "counts"), 0, 1).bytes(4, counts...), of(kind("average", "counts"), 2, 9).bytes(4, counts...)))
	add(frames(of(kind("average", "counts"), 0, 1).bytes(4, counts...), of(kind("average", "delta"), 2, 1).bytes(3, question...).bytes(4, mean...), of(kind("average", "counts"), 0, 2).bytes(4, counts...), of(kind("average", "busy"), 2, 1).bytes(3, question...)))
	add(frames(of(kind("average", "counts"), 0, 1).bytes(4, counts...), of(kind("average", "delta"), 2, 1).bytes(3, question...).bytes(4, far...)))
	add(frames(of(kind("average", "ask"), 0, 1).bytes(4, far...).bytes(4, mean...), of(kind("average", "counts"), 2, 1).bytes(4, mean...)))
	add(frames(of(kind("rows", "row"), 3, 8).bytes(4, mean...), of(kind("rows", "row"), 9, 8).bytes(4, release...), of(kind("rows", "digest"), 0, 1).bytes(3, wire{}.uint(1, 9)...)))
	add(frames(of(kind("rows", "row"), 0, 1).bytes(4, release...), of(kind("rows", "row"), 3, 7).bytes(4, release...), of(kind("rows", "row"), 3, 7).bytes(4, mean...)))
	add(frames(of(kind("rows", "digest"), 0, 1).bytes(3, wire{}.uint(1, 3).uint(4, 9)...), of(kind("rows", "want"), 2, 1)))
	flow := func(v ...int64) wire {
		var list wire
		for _, x := range v {
			list = protowire.AppendVarint(list, protowire.EncodeZigZag(x))
		}
		return wire{}.bytes(5, list...).uint(6, protowire.EncodeZigZag(dp.GridExponent))
	}
	to := wire{}.uint(1, 1)
	add(frames(of(kind("consensus", "state"), 0, 1).bytes(3, to...).bytes(4, flow(1<<19, 0, 1<<20, 1)...), of(kind("consensus", "state"), 2, 1).bytes(3, to...).bytes(4, flow(1, 2, 3, -4)...),
		of(kind("consensus", "state"), 0, 2).bytes(3, to...).bytes(4, flow(1<<20, -1<<60, 1<<21, 1<<59)...), of(kind("consensus", "state"), 2, 1).bytes(3, to...)))
	sums := wire{}.bytes(3, 2).bytes(5, protowire.AppendVarint(nil, protowire.EncodeZigZag(1<<20))...).uint(6, protowire.EncodeZigZag(dp.GridExponent))
	means := wire{}.bytes(3, 4, 2).bytes(5, protowire.AppendVarint(nil, protowire.EncodeZigZag(1<<31))...).uint(6, protowire.EncodeZigZag(averages.MeanExponent))
	held := wire{}.uint(4, 1)
	add(frames(of(kind("coordinator", "means"), 0, 1).bytes(3, held...).bytes(4, means...), of(kind("coordinator", "report"), 2, 1).bytes(3).bytes(4, sums...), of(kind("coordinator", "means"), 0, 3).bytes(3, held...).bytes(4, means...),
		of(kind("coordinator", "report"), 3, 1).bytes(3, held...).bytes(4, sums...), of(kind("coordinator", "means"), 0, 2).bytes(3, held...).bytes(4, sums...), of(kind("coordinator", "report"), 2, 9)))
	return all
}

// openQuestion has a peer of average ask peer 2; others do nothing.
func openQuestion(t testing.TB, params protocol.Params, p protocol.Protocol) {
	t.Helper()
	if _, ok := params.(averaging.AverageParams); !ok {
		return
	}
	var out protocol.Outbox
	for round := range protocol.Round(100) {
		out.Reset()
		if err := p.Tick(round, &out); err != nil {
			t.Fatal(err)
		}
		for _, e := range out.Envelopes() {
			if e.To == 2 && e.Message.Kind() == kind("average", "ask") {
				return
			}
		}
	}
	t.Fatal("no question in 100 rounds")
}

// checkNumber fails for a number outside of a range.
func checkNumber(t *testing.T, what string, x, least, most float64) {
	t.Helper()
	if !(least <= x && x <= most) {
		t.Fatalf("%s: %v", what, x)
	}
}
