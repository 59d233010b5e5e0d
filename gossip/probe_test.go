package gossip

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// probe probes a peer as another one whose host does not run.
func probe(t testing.TB, c Config, to protocol.Peer) (ProbeResult, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return Probe(ctx, c, to)
}

// A probe returns everything that a hello contains, from either end of a link, and changes
// nothing at the other end.
func TestProbe(t *testing.T) {
	for _, self := range []protocol.Peer{0, 2} {
		before := runtime.NumGoroutine()
		cs, ws := checkpointed(configs(3, path(3)))
		cs[1].Checkpoint, cs[1].Known = checkpointOf(20), []protocol.SignedCheckpoint{signedBy(&cs[0], checkpointOf(7)), {}, signedBy(&cs[2], checkpointOf(7))}
		cs[1].Peers[2].Addrs = []string{"/ip4/127.0.0.1/tcp/1"} // does not run
		h := start(t, cs[1:2])[0]
		c := cs[self]
		c.Checkpoint = checkpointOf(5) // gone back
		c.Known = []protocol.SignedCheckpoint{{}, signedBy(&cs[1], checkpointOf(30)), {}}
		c.Listen = nil
		for range 3 {
			r, err := probe(t, c, 1)
			if err != nil || r.RTT <= 0 || r.Checkpoint != checkpointOf(20) || r.Remembered != checkpointOf(7) || !r.Signed || r.Incarnation != 1 {
				t.Errorf("peer %d: %+v, %v", self, r, err)
			}
		}
		if s := status(h, self); s.Alarms != 0 || s.Refused != 0 || s.State != Down || s.Checkpoint != checkpointOf(7) || !s.LastSeen.IsZero() {
			t.Errorf("%+v", s)
		}
		if ws[1].remembered(self, protocol.Checkpoint{}) {
			t.Error("a probe was taken for a hello")
		}
		shut(t, h)
		eventually(t, "no more goroutines than before", func() bool { return runtime.NumGoroutine() <= before })
	}
}

// A link that is up stays up, also if the probe comes from a second process with the neighbour's
// key.
func TestProbeLeavesALinkAlone(t *testing.T) {
	cs, _ := checkpointed(configs(2, path(2)))
	hosts := start(t, cs)
	ready(t, hosts...)
	if _, err := probe(t, cs[0], 1); err != nil {
		t.Error(err)
	}
	send(t, hosts[0], roundEnds(0, 1, 1))
	receive(t, hosts[1])
	for i, h := range hosts {
		if s := status(h, protocol.Peer(1-i)); s.State != Up || s.LastError != "" {
			t.Errorf("%+v", s)
		}
	}
}

// TestConfirm: a neighbour receives a checkpoint without a message, and confirms it.
func TestConfirm(t *testing.T) {
	cs, _ := checkpointed(configs(2, path(2)))
	answers := make(chan protocol.Checkpoint, 16)
	cs[0].OnRemembered = func(_ protocol.Peer, c protocol.Checkpoint, _ bool) { answers <- c }
	hosts := start(t, cs)
	ready(t, hosts...)
	for len(answers) > 0 {
		<-answers
	}
	sent := protocol.Checkpoint{Records: cs[0].Checkpoint.Records + 7, Head: [32]byte{7}}
	eventually(t, "the neighbour remembers the checkpoint", func() bool {
		hosts[0].Confirm(t.Context(), sent)
		return <-answers == sent
	})
	if s := status(hosts[0], 1); s.State != Up || s.LastError != "" {
		t.Errorf("%+v", s)
	}
}

func TestProbeSaysWhatIsWrong(t *testing.T) {
	cs, _ := checkpointed(configs(3, path(3)))
	cs[0].Peers[2].Addrs = []string{"/ip4/127.0.0.1/tcp/1"} // does not run
	start(t, cs[1:2])
	for want, change := range map[string]func(*Config){
		"its policy hash is":            func(c *Config) { c.Policy[0]++ },
		"its x is not set, ours is y":   func(c *Config) { c.Policy[0]++; c.Terms = []wire.Term{{Key: "x", Value: "y"}} },
		"its network is":                func(c *Config) { c.Network = "other" },
		"only one of the two exchanges": func(c *Config) { c.Checkpoints = false },
	} {
		c := cs[0]
		change(&c)
		if r, err := probe(t, c, 1); !errors.Is(err, wire.ErrMismatch) || !strings.Contains(err.Error(), want) || r.RTT <= 0 {
			t.Errorf("%+v, %v, want %q", r, err, want)
		}
	}
	bad := cs[0]
	bad.Self = 9
	for _, test := range []struct {
		c    Config
		to   protocol.Peer
		want string
	}{
		{bad, 1, "this is peer 9 of 3"},
		{cs[0], 2, "peer 2 is no neighbour"},
		{cs[1], 0, "peer 0 has no address to dial"},
		{cs[1], 2, "connection refused"},
	} {
		if _, err := probe(t, test.c, test.to); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// A peer that does not list us, or does not list us as a neighbour, refuses a probe.
func TestProbeIsTurnedAway(t *testing.T) {
	cs := configs(3, path(3))
	cs[1].Peers = append([]PeerInfo(nil), cs[1].Peers...)
	cs[1].Peers[0].ID = SeedIdentity([32]byte{42}).ID()
	cs[1].Neighbours = nil
	h := begin(t, cs[1])
	for _, self := range []protocol.Peer{0, 2} { // a stranger and no neighbour
		c := cs[self]
		c.Peers[1].Addrs = h.Addrs()
		if _, err := probe(t, c, 1); err == nil || !strings.Contains(err.Error(), "turned away") {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := Probe(ctx, cs[0], 1); err == nil {
		t.Error("a probe outlived its context")
	}
}
