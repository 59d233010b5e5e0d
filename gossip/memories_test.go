package gossip

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// question returns the first frame of an exchange of memories, by a peer that knows something else.
func question() []byte { return wire.Prefixed(make([]byte, nonceSize+32)) }

// three starts three peers in a row. Peer 2 knows a checkpoint of peer 0, which is no neighbour of it.
func three(t *testing.T, own uint64, knows func(c *Config) protocol.SignedCheckpoint) ([]*Host, []*witness) {
	t.Helper()
	cs, ws := checkpointed(configs(3, path(3)))
	cs[0].Checkpoint = checkpointOf(own)
	cs[2].Known = make([]protocol.SignedCheckpoint, 3)
	cs[2].Known[0] = knows(&cs[0])
	hosts := start(t, cs)
	ready(t, hosts...)
	return hosts, ws
}

// TestMemoriesReachAllPeers: a peer that is no neighbour reports to a restored folder what it lacks, and a neighbour whose
// folder is new hears it from others.
func TestMemoriesReachAllPeers(t *testing.T) {
	hosts, ws := three(t, 5, func(c *Config) protocol.SignedCheckpoint { return signedBy(c, checkpointOf(9)) })
	if err := hosts[1].TradeMemories(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if got := hosts[1].members[0].remembered(); got.Checkpoint != checkpointOf(9) || ws[1].highest(0) != checkpointOf(9) {
		t.Errorf("the neighbour remembers %v, want what the third peer does", got)
	}
	if err := hosts[0].TradeMemories(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if !ws[0].shown(2, checkpointOf(9)) {
		t.Error("a restored folder does not hear from a peer that is no neighbour")
	}
}

// TestWhoRemembersReports: the owner hears of a memory that agrees with its ledger, too, from a peer to which it has no link.
func TestWhoRemembersReports(t *testing.T) {
	hosts, ws := three(t, 5, func(c *Config) protocol.SignedCheckpoint { return signedBy(c, checkpointOf(3)) })
	if err := hosts[0].TradeMemories(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if !ws[0].shown(2, checkpointOf(5)) {
		t.Error("an unlinked peer has not reported")
	}
}

// TestAMemoryHarmsNobody: what the owner has not signed, or has gone on from, changes nothing.
func TestAMemoryHarmsNobody(t *testing.T) {
	for name, knows := range map[string]func(c *Config) protocol.SignedCheckpoint{
		"invented": func(*Config) protocol.SignedCheckpoint {
			return protocol.SignedCheckpoint{Checkpoint: checkpointOf(1 << 40), Signature: [64]byte{1}}
		},
		"another network's": func(c *Config) protocol.SignedCheckpoint {
			other := *c
			other.Network = "other"
			return signedBy(&other, checkpointOf(9))
		},
		"on the ledger": func(c *Config) protocol.SignedCheckpoint { return signedBy(c, checkpointOf(3)) },
	} {
		t.Run(name, func(t *testing.T) {
			hosts, ws := three(t, 5, knows)
			for _, h := range hosts[:2] {
				if err := h.TradeMemories(t.Context(), 2); err != nil {
					t.Fatal(err)
				}
			}
			if got := hosts[1].members[0].remembered(); got.Checkpoint != checkpointOf(5) {
				t.Errorf("a neighbour remembers %v", got)
			}
			if shown := ws[0].shown(2, knows(&hosts[0].cfg).Checkpoint); shown != (name == "on the ledger") {
				t.Errorf("it was shown to the owner: %v", shown)
			}
			if state, _, _ := hosts[0].neighbours[1].state(); state != Up {
				t.Error("a link went down")
			}
		})
	}
}

// TestMemoriesAreInOneForm: a frame that is no list of checkpoints is counted against the peer that sent it.
func TestMemoriesAreInOneForm(t *testing.T) {
	hosts, _ := three(t, 5, func(c *Config) protocol.SignedCheckpoint { return signedBy(c, checkpointOf(9)) })
	if err := hosts[0].TradeMemories(t.Context(), 2); err != nil { // connects them
		t.Fatal(err)
	}
	one := wire.AppendCheckpoint(binary.AppendUvarint(nil, 2), signedBy(&hosts[2].cfg, checkpointOf(3)))
	after := func(frames ...[]byte) (b []byte) {
		b = question()
		for _, f := range frames {
			b = append(b, wire.Prefixed(f)...)
		}
		return b
	}
	for name, b := range map[string][]byte{
		"cut": after(one[:50]), "twice": after(append(one, one...)), "index": after(append(binary.AppendUvarint(nil, 1<<40), one[1:]...)),
		"headless":    after(wire.AppendCheckpoint([]byte{2}, protocol.SignedCheckpoint{Signature: [64]byte{1}})),
		"no question": {0}, "half a question": wire.Prefixed(make([]byte, nonceSize)), "cut later": after(nil, one[:50]),
		"digests that are cut": after(nil, nil, []byte{1, 0, 0}), "a number without end": after(nil, nil, bytes.Repeat([]byte{0xff}, 20)),
	} {
		before := hosts[0].members[2].refused.Load()
		s, err := hosts[2].libp2p.NewStream(t.Context(), hosts[0].members[0].id, memoryProtocol)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err = s.Write(b); err != nil {
			t.Fatal(name, err)
		}
		_ = s.SetReadDeadline(time.Now().Add(patience))
		if _, err = io.ReadAll(s); err == nil || strings.Contains(err.Error(), "deadline") {
			t.Error(name, "was answered to the end:", err)
		}
		_ = s.Reset()
		if got := hosts[0].members[2].refused.Load(); got != before+1 {
			t.Errorf("%s: %d refusals, want %d", name, got, before+1)
		}
	}
}

// metered counts the bytes of a stream.
type metered struct {
	network.Stream
	in, out int
}

func (m *metered) Read(b []byte) (n int, err error) {
	n, err = m.Stream.Read(b)
	m.in += n
	return n, err
}

func (m *metered) Write(b []byte) (n int, err error) {
	n, err = m.Stream.Write(b)
	m.out += n
	return n, err
}

// TestOnlyNewsIsExchanged: two peers that remember the same of 100 peers exchange what they remember of each other; what one of
// them lacks goes to it and to no other; and two histories of one length reach both.
func TestOnlyNewsIsExchanged(t *testing.T) {
	const n = 100
	all := configs(n, func(i int) []protocol.Peer {
		if i > 1 {
			return nil
		}
		return []protocol.Peer{protocol.Peer(1 - i)}
	})
	cs, _ := checkpointed(all[:2])
	var found [2]forks
	for i := range cs {
		cs[i].Checkpoint = checkpointOf(20)
		found[i].watch(&cs[i])
		for p := range all {
			cs[i].Known = append(cs[i].Known, signedBy(&all[p], checkpointOf(20)))
		}
	}
	cs[1].Known[50] = signedBy(&all[50], checkpointOf(21))
	cs[0].Known[60] = protocol.SignedCheckpoint{}
	cs[0].Known[70] = signedBy(&all[70], checkpointOf(300))
	cs[1].Known[80] = signedBy(&all[80], branch(20, 1))
	hosts := start(t, cs)
	ready(t, hosts...)
	const (
		one     = 1 + wire.CheckpointSize
		around  = 2 * (2 + one + 2) // frames and lengths
		compare = 1 + nonceSize + 32
		digests = 3 + n*(2+digestSize)
	)
	for round, want := range []struct{ least, most int }{
		{compare + 2*digests - 2*n + 5*one, compare + 2*digests + 5*one + around + 8}, // three and the fork, which each end has
		{compare + 2*digests - 2*n + 2*one, compare + 2*digests + 2*one + around + 8}, // the fork
	} {
		s, err := hosts[0].libp2p.NewStream(t.Context(), hosts[1].libp2p.ID(), memoryProtocol)
		if err != nil {
			t.Fatal(err)
		}
		m := &metered{Stream: s}
		if err = hosts[0].askMemories(m, 1); err != nil {
			t.Fatal(err)
		}
		_ = s.Reset()
		if got := m.in + m.out; got < want.least || got > want.most {
			t.Errorf("exchange %d: %d bytes, want %d to %d", round, got, want.least, want.most)
		}
	}
	for p, want := range map[int]uint64{50: 21, 60: 20, 70: 300, 80: 20, 90: 20} {
		for i, h := range hosts {
			if got := h.members[p].remembered().Records; got != want {
				t.Errorf("peer %d remembers %d records of peer %d, want %d", i, got, p, want)
			}
		}
	}
	for i := range found {
		if got := found[i].of(80); len(got) != 2 || !slices.Contains(got, cs[1].Known[80]) {
			t.Errorf("peer %d has %v of two histories", i, got)
		}
	}
	hosts[1].members[80].keep(hosts[0].members[80].remembered())
	s, err := hosts[0].libp2p.NewStream(t.Context(), hosts[1].libp2p.ID(), memoryProtocol)
	if err != nil {
		t.Fatal(err)
	}
	m := &metered{Stream: s}
	if err = hosts[0].askMemories(m, 1); err != nil {
		t.Fatal(err)
	}
	if got := m.in + m.out; got > compare+around {
		t.Errorf("%d bytes between two that agree, want at most %d", got, compare+around)
	}
}
