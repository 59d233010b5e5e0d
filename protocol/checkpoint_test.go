package protocol_test

import (
	"fmt"
	"testing"

	"peerd.dev/protocol"
)

func TestFollows(t *testing.T) {
	at := func(records uint64, branch byte) protocol.Checkpoint {
		return protocol.Checkpoint{Records: records, Head: [32]byte{byte(records), branch}}
	}
	none := protocol.Checkpoint{}
	for _, test := range []struct {
		c, o protocol.Checkpoint
		want bool
	}{
		{none, none, true},
		{protocol.Checkpoint{Head: [32]byte{1}}, none, true}, // no record, no head
		{at(1, 0), none, true},
		{at(2, 0), at(1, 0), true},
		{at(2, 1), at(1, 0), true},
		{at(2, 0), at(2, 0), true},
		{at(2, 1), at(2, 0), false},
		{at(1, 0), at(2, 0), false},
		{none, at(1, 0), false},
	} {
		if got := test.c.Follows(test.o); got != test.want {
			t.Errorf("%v after %v: %v", test.c, test.o, got)
		}
	}
}

func ExampleCheckpoint_Follows() {
	before, restored := protocol.Checkpoint{Records: 120}, protocol.Checkpoint{Records: 80}
	fmt.Println(restored.Follows(before), before.Follows(restored))
	// Output: false true
}
