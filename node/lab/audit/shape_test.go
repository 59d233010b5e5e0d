package audit

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// frame is a message with one release of values.
func frame(seq uint64, values ...int64) []byte {
	part := func(b []byte, num protowire.Number, p []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), p)
	}
	var list []byte
	for _, v := range values {
		list = protowire.AppendVarint(list, protowire.EncodeZigZag(v))
	}
	release := part(nil, 5, list)
	label := protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), seq)
	content := part(part(nil, 2, label), 4, release)
	return part(part(nil, 1, content), 4, make([]byte, 64))
}

// TestShapeForgetsReleasedNumbersAndNothingElse: other values, also longer ones, have the same
// shape; another number of values, or another label, has another one.
func TestShapeForgetsReleasedNumbersAndNothingElse(t *testing.T) {
	want := shape(frame(7, 1, 2, 3))
	if got := shape(frame(7, 1<<40, -5, 0)); !bytes.Equal(got, want) {
		t.Errorf("other values: %x, want %x", got, want)
	}
	for _, b := range [][]byte{frame(7, 1, 2), frame(8, 1, 2, 3), append(frame(7, 1, 2, 3), 0x10, 1)} {
		if bytes.Equal(shape(b), want) {
			t.Errorf("%x has the shape of another message", b)
		}
	}
}
