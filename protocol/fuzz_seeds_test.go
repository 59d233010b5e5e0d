package protocol

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
)

// ReceiveSeeds returns frames for FuzzReceive to begin with.
func ReceiveSeeds() (all [][]byte) {
	add := func(b []byte) { all = append(all, b) }
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
	add(frames(of(averageAsk, 0, 1).bytes(4, mean...).bytes(4, counts...), of(averageAsk, 2, 1).bytes(4, mean...).bytes(4, counts...), of(averageAsk, 0, 1)))
	add(frames(of(averageAsk, 0, 1).bytes(4, weighted...).bytes(4, counts...), of(averageAsk, 2, 1).bytes(4, weighted...).bytes(4, counts...)))
	add(frames(of(averageDelta, 0, 1).bytes(3, question...).bytes(4, weighted...).bytes(4, counts...)))
	add(frames(of(averageCounts, 0, 1).bytes(4, counts...), of(averageCounts, 2, 9).bytes(4, counts...)))
	add(frames(of(averageDelta, 0, 1).bytes(3, question...).bytes(4, mean...), of(averageBusy, 2, 1).bytes(3, question...)))
	add(frames(of(averageDelta, 0, 1).bytes(3, question...).bytes(4, far...)))
	add(frames(of(averageAsk, 0, 1).bytes(4, far...).bytes(4, mean...), of(averageCounts, 2, 1).bytes(4, mean...)))
	add(frames(of(rowsRow, 3, 8).bytes(4, mean...), of(rowsRow, 9, 8).bytes(4, release...), of(rowsDigest, 0, 1).bytes(3, wire{}.uint(1, 9)...)))
	add(frames(of(rowsRow, 0, 1).bytes(4, release...), of(rowsRow, 3, 7).bytes(4, release...), of(rowsRow, 3, 7).bytes(4, mean...)))
	add(frames(of(rowsDigest, 0, 1).bytes(3, wire{}.uint(1, 3).uint(4, 9)...), of(rowsWant, 2, 1)))
	flow := func(v ...int64) wire {
		var list wire
		for _, x := range v {
			list = protowire.AppendVarint(list, protowire.EncodeZigZag(x))
		}
		return wire{}.bytes(5, list...).uint(6, protowire.EncodeZigZag(dp.GridExponent))
	}
	to := wire{}.uint(1, 1)
	add(frames(of(consensusState, 0, 1).bytes(3, to...).bytes(4, flow(1<<19, 0, 1<<20, 1)...), of(consensusState, 2, 1).bytes(3, to...).bytes(4, flow(1, 2, 3, -4)...),
		of(consensusState, 0, 2).bytes(3, to...).bytes(4, flow(1<<20, -1<<60, 1<<21, 1<<59)...), of(consensusState, 2, 1).bytes(3, to...)))
	sums := wire{}.bytes(3, 2).bytes(5, protowire.AppendVarint(nil, protowire.EncodeZigZag(1<<20))...).uint(6, protowire.EncodeZigZag(dp.GridExponent))
	means := wire{}.bytes(3, 4, 2).bytes(5, protowire.AppendVarint(nil, protowire.EncodeZigZag(1<<31))...).uint(6, protowire.EncodeZigZag(dp.MeanExponent))
	held := wire{}.uint(4, 1)
	add(frames(of(coordinatorMeans, 0, 1).bytes(3, held...).bytes(4, means...), of(coordinatorSums, 2, 1).bytes(3).bytes(4, sums...), of(coordinatorMeans, 0, 3).bytes(3, held...).bytes(4, means...),
		of(coordinatorSums, 3, 1).bytes(3, held...).bytes(4, sums...), of(coordinatorMeans, 0, 2).bytes(3, held...).bytes(4, sums...), of(coordinatorSums, 2, 9)))
	return all
}

// OpenQuestion has an answer be taken by a peer of average; others do nothing.
func OpenQuestion(p Protocol) {
	if a, ok := p.(*average); ok {
		a.links[0].open, a.links[0].seq = true, 1
	}
}

// CheckNumber fails for a number outside of a range.
func CheckNumber(t *testing.T, what string, x, least, most float64) {
	t.Helper()
	if !(least <= x && x <= most) {
		t.Fatalf("%s: %v", what, x)
	}
}
