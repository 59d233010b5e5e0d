package signed

import (
	"testing"

	"peerd.dev/internal/require"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// TestACheckpointHasItsSignature, also where steps store newer ones meanwhile.
func TestACheckpointHasItsSignature(t *testing.T) {
	st := require.Value(store.Open(t.TempDir(), store.Options{}))(t)
	defer func() { _ = st.Close() }()
	s := require.Value(Read(st))(t)
	save := func(n uint64) {
		b := st.Batch()
		s.Checkpoint(0, "key", protocol.SignedCheckpoint{Checkpoint: protocol.Checkpoint{Records: n}, Signature: [64]byte{byte(n), byte(n >> 8)}})
		s.Save(b, func(protocol.Peer) string { return "a" })
		b.Apply()
	}
	save(1)
	const most = 20_000
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range uint64(most) {
			save(n + 2)
		}
	}()
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		all, err := Checkpoints(st)
		c := all["a"]
		if err != nil || c.Signature != [64]byte{byte(c.Records), byte(c.Records >> 8)} || last && c.Records != most+1 {
			<-done
			t.Fatalf("%d records with the signature of others: % x, %v", c.Records, c.Signature[:2], err)
		}
	}
}
