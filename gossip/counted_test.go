package gossip

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// TestNoFrameTakesMuchMemory: what a neighbour or a member can send, filled with the smallest parts that its form allows, takes no
// more than 16 MB. Documents are in the table of hostile members, messages in package protocol.
func TestNoFrameTakesMuchMemory(t *testing.T) {
	cs, _ := checkpointed(configs(2, path(2)))
	victim := start(t, cs[1:])[0]
	r := raw(t, cs[0].Identity, victim)
	for name, f := range map[string]func(){
		"terms": func() {
			all, err := wire.ReadTerms(bufio.NewReader(bytes.NewReader(append(bytes.Repeat(wire.Prefixed([]byte("a")), wire.MaxTerms), 0))))
			if err == nil {
				_ = wire.CompareTerms(nil, all)
			}
		},
		"hellos": func() {
			for range 1000 {
				_, _ = wire.ParseHello(append((&wire.Hello{}).Encode()[:1], make([]byte, wire.MaxHello-1)...))
			}
		},
		"checkpoints": func() {
			var b []byte
			for i := range uint64(10_000) {
				c := protocol.SignedCheckpoint{Checkpoint: protocol.Checkpoint{Records: 1}, Signature: [64]byte{1}}
				b = wire.AppendCheckpoint(binary.AppendUvarint(b, i), c)
			}
			s, err := r.NewStream(t.Context(), victim.libp2p.ID(), memoryProtocol)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err = s.Write(append(question(), wire.Prefixed(b)...)); err == nil {
				err = s.CloseWrite()
			}
			if err == nil {
				err = s.SetReadDeadline(time.Now().Add(patience))
			}
			if _, read := io.ReadAll(s); err == nil && read == nil { // the exchange does not go on
				err = errors.New("a question without digests was answered")
			}
			if err != nil {
				t.Error(err)
			}
		},
	} {
		var was, is runtime.MemStats
		runtime.ReadMemStats(&was)
		f()
		runtime.ReadMemStats(&is)
		t.Logf("%s: %d kB", name, (is.TotalAlloc-was.TotalAlloc)>>10)
		if took := is.TotalAlloc - was.TotalAlloc; took > 16<<20 {
			t.Errorf("%s take %d bytes", name, took)
		}
	}
}
