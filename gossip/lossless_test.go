package gossip

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"peerd.dev/protocol"
)

func lossless(cs []Config) []Config {
	for i := range cs {
		cs[i].Lossless = true
	}
	return cs
}

func TestLosslessLosesNothing(t *testing.T) {
	const n = 100_000
	hosts := start(t, lossless(configs(2, path(2))))
	ready(t, hosts...)
	es := roundEnds(0, 1, span(0, n)...)
	sent := make(chan error, 1)
	go func() { sent <- hosts[0].Send(t.Context(), es) }()
	// The neighbour does not read: the sender stops.
	for last, still := uint64(0), 0; still < 20; time.Sleep(5 * time.Millisecond) {
		if out := status(hosts[0], 1).FramesOut; out != last {
			last, still = out, 0
		} else if out > 0 {
			still++
		}
	}
	select {
	case err := <-sent:
		t.Fatalf("send did not wait (%v)", err)
	default:
	}
	if out := status(hosts[0], 1).FramesOut; out == 0 || out > n-queueSize {
		t.Errorf("%d of %d written with nobody reading", out, n)
	}
	for i := range protocol.Round(n) {
		if d := receive(t, hosts[1]); d.Message.Round() != i {
			t.Fatalf("round %d, want %d", d.Message.Round(), i)
		}
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if s := status(hosts[0], 1); s.Dropped != 0 || s.FramesOut != n {
		t.Errorf("%+v", s)
	}
}

func TestLosslessSendEndsWithItsContext(t *testing.T) {
	cs := lossless(configs(2, path(2)))
	h := start(t, cs[1:])[0] // alone
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sent := make(chan error, 1)
	go func() { sent <- h.Send(ctx, roundEnds(1, 0, span(0, queueSize+1)...)) }()
	eventually(t, "a full queue", func() bool { return status(h, 0).Queued == queueSize })
	cancel()
	if err := <-sent; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if h.Err() != nil || status(h, 0).Queued != queueSize {
		t.Errorf("%v, %+v", h.Err(), status(h, 0))
	}
}

// A host that closes in good order has sent everything; its neighbours go on.
func TestLosslessGoodbye(t *testing.T) {
	const n = 5000
	hosts := start(t, lossless(configs(3, path(3))))
	ready(t, hosts...)
	got := make(chan protocol.Round)
	go func() {
		var next protocol.Round
		for ; next < n; next++ {
			if d := receive(t, hosts[1]); d.From != 0 || d.Message.Round() != next {
				break
			}
		}
		got <- next
	}()
	send(t, hosts[0], roundEnds(0, 1, span(0, n)...))
	if err := hosts[0].Close(); err != nil {
		t.Fatal(err)
	}
	if next := <-got; next != n {
		t.Fatalf("%d of %d arrived", next, n)
	}
	eventually(t, "link down", func() bool { return status(hosts[1], 0).State == Down })
	send(t, hosts[1], roundEnds(1, 2, 1))
	receive(t, hosts[2])
	if err := hosts[1].Err(); err != nil {
		t.Error(err)
	}
	if err := hosts[1].Send(t.Context(), roundEnds(1, 0, 1)); err == nil || !strings.Contains(err.Error(), "peer 0 has left") {
		t.Error(err)
	}
}

// A link that breaks ends the whole network: no host waits for messages that cannot come.
func TestLosslessBreakEndsAll(t *testing.T) {
	hosts := start(t, lossless(configs(4, path(4))))
	ready(t, hosts...)
	if err := hosts[0].libp2p.Close(); err != nil { // as a kill would
		t.Fatal(err)
	}
	for i, h := range hosts[1:] {
		select {
		case <-h.Done():
		case <-time.After(patience):
			t.Fatalf("peer %d goes on", i+1)
		}
		if err := h.Err(); err == nil || !strings.Contains(err.Error(), "gossip: link") {
			t.Error(err)
		}
		if err := h.Send(t.Context(), roundEnds(protocol.Peer(i+1), protocol.Peer(i), 0)); !errors.Is(err, h.Err()) {
			t.Error(err)
		}
	}
}

func TestLosslessRefusesWhatItCannotDeliver(t *testing.T) {
	hosts := start(t, lossless(configs(2, path(2))))
	for _, to := range []protocol.Peer{0, 7, protocol.Everyone} {
		if err := hosts[0].Send(t.Context(), roundEnds(0, to, 0)); err == nil || !strings.Contains(err.Error(), "no neighbour") {
			t.Error(err)
		}
	}
}

// Hosts that play rounds and leave when they have finished do so at different times, and no host
// takes a neighbour's leaving for a broken link.
func TestLosslessRounds(t *testing.T) {
	const n, rounds = 8, 300
	hosts := start(t, lossless(configs(n, ring(n))))
	ready(t, hosts...)
	began := time.Now()
	errs := make(chan error, n)
	for i, h := range hosts {
		go func() { errs <- play(t.Context(), h, protocol.Peer(i), rounds) }()
	}
	for range hosts {
		if err := <-errs; err != nil && !errors.Is(err, errBusy) {
			t.Error(err)
		}
	}
	t.Logf("%d peers on a ring, %d rounds in %v", n, rounds, time.Since(began).Round(time.Millisecond))
}

// play sends a checkpoint to every neighbour, waits for theirs, and so on; then it
// closes h.
func play(ctx context.Context, h *Host, self protocol.Peer, rounds protocol.Round) error {
	got := map[protocol.Round]int{}
	for t := range rounds {
		var out protocol.Outbox
		out.EndRound(self, t, h.cfg.Neighbours)
		if err := h.Send(ctx, out.Envelopes()); err != nil {
			return err
		}
		for got[t] < len(h.cfg.Neighbours) {
			select {
			case d := <-h.Inbox():
				got[d.Message.Round()]++
			case <-h.Done():
				return h.Err()
			}
		}
	}
	return h.Close()
}
