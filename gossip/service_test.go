package gossip

import (
	"bytes"
	"io"
	"testing"

	corep2p "github.com/libp2p/go-libp2p/core/protocol"

	"peerd.dev/protocol"
)

// testService answers every question with one byte.
var testService = Service{ID: "/peerd/test/1", Answer: func(_ *Host, s io.ReadWriter, _ protocol.Peer) error {
	var question [1]byte
	if _, err := io.ReadFull(s, question[:]); err != nil {
		return err
	}
	_, err := s.Write([]byte{42})
	return err
}}

// TestWhoGetsNoAnswer: a former member, a replaced key, and one that asks too often.
func TestWhoGetsNoAnswer(t *testing.T) {
	cs, _ := checkpointed(configs(3, path(3)))
	former := SeedIdentity([32]byte{90})
	cs[1].Peers[0].Former = []string{former.ID()}
	cs[1].Peers[2].Absent, cs[1].Peers[2].Gone = true, true
	cs[1].Neighbours, cs[1].Services = []protocol.Peer{0}, []Service{testService}
	host := begin(t, cs[1])
	for name, c := range map[string]struct {
		key    Identity
		answer []byte
	}{
		"a replaced key": {former, nil}, "a former member": {cs[2].Identity, nil}, "a member": {cs[0].Identity, []byte{42}},
	} {
		r := raw(t, c.key, host)
		s, err := r.NewStream(t.Context(), host.libp2p.ID(), corep2p.ID(testService.ID))
		if err == nil {
			_, _ = s.Write([]byte{0})
			var b []byte
			if b, _ = io.ReadAll(s); !bytes.Equal(b, c.answer) {
				t.Errorf("%s got %x", name, b)
			}
		} else if c.answer != nil {
			t.Error(name, err)
		}
		_ = r.Close()
	}
	r := raw(t, cs[0].Identity, host)
	given := 0
	for range 3 * maxTrades {
		s, err := r.NewStream(t.Context(), host.libp2p.ID(), corep2p.ID(testService.ID))
		if err != nil {
			continue
		}
		_, _ = s.Write([]byte{0})
		if b, err := io.ReadAll(s); err == nil && len(b) > 0 {
			given++
		}
		_ = s.Reset()
	}
	if given == 0 || given > 2*maxTrades { // of at most two periods
		t.Errorf("%d answers at once", given)
	}
	if n := host.members[0].refused.Load(); n < maxTrades {
		t.Errorf("%d of them were refused", n)
	}
}

// TestOnlyWhatItsOwnerSignedIsProven.
func TestOnlyWhatItsOwnerSignedIsProven(t *testing.T) {
	cs, _ := checkpointed(configs(2, path(2)))
	h := begin(t, cs[1])
	for _, c := range []struct {
		of   protocol.SignedCheckpoint
		want uint64
	}{{}, {protocol.SignedCheckpoint{Checkpoint: checkpointOf(27)}, 0}, {signedBy(&cs[1], checkpointOf(27)), 0}, {signedBy(&cs[0], checkpointOf(27)), 27}} {
		h.members[0].keep(c.of)
		if got := h.Proven(0); got.Records != c.want {
			t.Errorf("of %v %v is proven", c.of, got)
		}
	}
}
