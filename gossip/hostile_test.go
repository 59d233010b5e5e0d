package gossip

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/host"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// An attack does what a hostile member can do as often as it can, until ctx ends.
type attack func(ctx context.Context, t *testing.T, r host.Host, victim *Host)

// written returns the attack that opens streams of a protocol, writes bytes, and ends with the first byte of an answer.
func written(on corep2p.ID, b []byte) attack { return answered(on, b, 1) }

// answered is written for an attack that ends after as many bytes of an answer, or with the victim.
func answered(on corep2p.ID, b []byte, most int64) attack {
	return func(ctx context.Context, _ *testing.T, r host.Host, victim *Host) {
		for ctx.Err() == nil {
			s, err := r.NewStream(ctx, victim.libp2p.ID(), on)
			if err != nil {
				time.Sleep(time.Millisecond)
				continue
			}
			_ = s.SetDeadline(time.Now().Add(5 * time.Second))
			if _, err = s.Write(b); err == nil {
				_, _ = io.CopyN(io.Discard, s, most)
			}
			_ = s.Reset()
		}
	}
}

// shown returns the attack that shows frames of a network document, on two streams at once.
func shown(frames []byte) attack {
	one := answered(documentProtocol, slices.Concat(wire.Prefixed(make([]byte, 32)), wire.Prefixed(hashed("b")), frames), 10)
	return func(ctx context.Context, t *testing.T, r host.Host, victim *Host) {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { one(ctx, t, r, victim) })
		}
		both.Wait()
	}
}

// lengthy returns frames of 64 KiB each, as many as are merged at once, all against the rules.
func lengthy() []byte {
	return bytes.Repeat(wire.Prefixed(bytes.Repeat([]byte("wrong..."), maxShown/8)), maxBatch)
}

// linked returns the attack that opens links as a neighbour does, and writes bytes on them.
func linked(b []byte) attack {
	return func(ctx context.Context, t *testing.T, r host.Host, victim *Host) {
		mine := victim.self
		mine.Self = 0
		written(linkProtocol, append(wire.Prefixed(mine.Encode()), bytes.Repeat(b, 100)...))(ctx, t, r, victim)
	}
}

// stolen is a key that the victim has replaced.
func stolen() *Config { return &Config{Identity: SeedIdentity([32]byte{90}), Network: "test"} }

// remembering states, in hellos, records that a replaced key of the victim has signed.
func remembering(ctx context.Context, t *testing.T, r host.Host, victim *Host) {
	mine := victim.self
	mine.Self, mine.Remembered = 0, signedBy(stolen(), branch(1<<40, 1))
	hellos := append(wire.Prefixed(mine.Encode()), wire.Prefixed(wire.CheckpointFrame(protocol.SignedCheckpoint{}))...)
	written(linkProtocol, hellos)(ctx, t, r, victim)
}

// TestAHostileMemberIsNamed plays what a member can send against the rules, each as fast as it can: the
// victim's memory stays bounded, it counts and names the member, at most once a minute, and no other peer, and its link
// with an honest neighbour stays up. PEERD_LONG plays each for ten seconds. A flood of valid messages is dropped at the
// site, which names its sender, too.
func TestAHostileMemberIsNamed(t *testing.T) {
	long := 300 * time.Millisecond
	if os.Getenv("PEERD_LONG") != "" {
		long = 10 * time.Second
	}
	frames := bytes.Repeat(wire.Prefixed([]byte("GET / HTTP/1.1")), 100)
	for _, x := range []struct {
		name, reason string
		attack       attack
	}{
		{"frames that are no messages", "checkpoint of 14 bytes", linked(frames)},
		{"frames that are too long", "frame of 65537 bytes", linked([]byte{0x81, 0x80, 0x04})},
		{"documents against the rules", "a wrong word", shown(append(wire.Prefixed([]byte("wrong")), 0))},
		{"documents of long frames", "a wrong word", shown(lengthy())},
		{"documents without end", "more than 20000 frames", shown(bytes.Repeat(wire.Prefixed([]byte("x")), maxFrames+1))},
		{"documents asked for", "more than 60 exchanges", written(documentProtocol, wire.Prefixed(make([]byte, 32)))},
		{"clocks asked for", "more than 60 exchanges", written(clockProtocol, nil)},
		{"a service asked for", "more than 60 exchanges", written(corep2p.ID(testService.ID), []byte{0})},
		{"memories asked for", "more than 60 exchanges", written(memoryProtocol, append(question(), wire.Prefixed(nil)...))},
		{"checkpoints in no form", "not in canonical form", written(memoryProtocol, append(question(), wire.Prefixed(bytes.Repeat([]byte{1}, 1<<20))...))},
		{"digests in no form", "digests of checkpoints", written(memoryProtocol, append(append(question(), 0, 0), wire.Prefixed(bytes.Repeat([]byte{0xff}, 1<<17))...))},
		{"memories by a replaced key", "which this peer has not signed", remembering},
		{"messages of the topic", "on the topic", flood([]byte("rubbish"))},
		{"streams that stay open", "resource limit exceeded", func(ctx context.Context, _ *testing.T, r host.Host, victim *Host) {
			for ctx.Err() == nil {
				if s, err := r.Network().NewStream(ctx, victim.libp2p.ID()); err == nil {
					_, _ = s.Write([]byte{0x13})
					// The victim has taken in the stream or refused it: of more at once, yamux ends the connection without a word.
					_ = s.SetReadDeadline(time.Now().Add(patience))
					_, _ = s.Read(make([]byte, 1))
				} else {
					time.Sleep(time.Millisecond)
				}
			}
		}},
		{"streams without a protocol", "resource limit exceeded", func(ctx context.Context, _ *testing.T, r host.Host, victim *Host) {
			for ctx.Err() == nil {
				if s, err := r.Network().NewStream(ctx, victim.libp2p.ID()); err == nil {
					_ = s.Reset()
				}
			}
		}},
	} {
		t.Run(x.name, func(t *testing.T) { attacked(t, x.attack, x.reason, long) })
	}
}

// flood returns the attack that publishes a message on the topic.
func flood(b []byte) attack {
	return func(ctx context.Context, t *testing.T, r host.Host, victim *Host) {
		ps, err := pubsub.NewGossipSub(ctx, r, pubsub.WithPeerOutboundQueueSize(1<<16))
		if err != nil {
			t.Error(err)
			return
		}
		top, err := ps.Join("/peerd/test/1")
		if err != nil {
			t.Error(err)
			return
		}
		eventually(t, "both on the topic", func() bool { return len(top.ListPeers()) > 0 })
		for ctx.Err() == nil {
			_ = top.Publish(ctx, b) // its own queue may be full
		}
	}
}

func attacked(t *testing.T, do attack, reason string, long time.Duration) {
	cs, _ := checkpointed(topical(configs(3, path(3))))
	var log lines
	for i := range cs {
		cs[i].Document, cs[i].Services = &paper{words: []string{"a"}}, []Service{testService}
		cs[i].Peers[0].Name, cs[i].Peers[2].Name = "hostile", "honest"
		cs[i].Peers[1].Former, cs[i].Peers[1].Closed = []string{stolen().Identity.ID()}, []Closed{{stolen().Identity.ID(), protocol.Checkpoint{}}}
	}
	cs[1].Logger = slog.New(slog.NewTextHandler(&log, nil))
	victim := start(t, cs[1:])[0]
	eventually(t, "a link", func() bool { return status(victim, 2).State == Up })
	r := raw(t, cs[0].Identity, victim)
	ctx, cancel := context.WithTimeout(t.Context(), long+20*time.Second)
	defer cancel()
	begin, ended := time.Now(), make(chan struct{})
	go func() { defer close(ended); do(ctx, t, r, victim) }()
	var most, before uint64
	for running := true; running; {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if before == 0 {
			before = m.Sys
		}
		most = max(most, m.Sys)
		if state := status(victim, 2).State; state != Up {
			t.Errorf("the link with an honest neighbour is %s", state)
		}
		if time.Since(begin) >= long && status(victim, 0).Refused > 0 {
			cancel() // on a busy machine it takes longer until a limit is reached
		}
		select {
		case <-ended:
			running = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	eventually(t, "counted and named", func() bool { return status(victim, 0).Refused > 0 && log.count("against the rules") > 0 })
	if n := status(victim, 2).Refused; n > 0 || log.warnings("honest") > 1 {
		t.Errorf("an honest peer is blamed %d times:\n%s", n, log.text.String())
	}
	rule := strings.Index(log.text.String(), "against the rules")
	if n := log.warnings("hostile"); n > 22 || rule < 0 || !strings.Contains(strings.SplitN(log.text.String()[rule:], "\n", 2)[0], reason) { // one of what it does, and of its link
		t.Errorf("%d lines name the member:\n%s", n, log.text.String())
	}
	if grown := int64(most-before) >> 20; grown > 200 {
		t.Errorf("attacker and victim took %d MB more, want at most 200", grown)
	}
	t.Logf("%d refused, %d lines name the member, %d MB more", status(victim, 0).Refused, log.warnings("hostile"), int64(most-before)>>20)
}

// TestTwoHostileMembersAtOnce: both show frames of 64 KiB at the same time, and both are named.
func TestTwoHostileMembersAtOnce(t *testing.T) {
	cs := configs(4, path(4))
	for i := range cs {
		cs[i].Document = &paper{words: []string{"a"}}
	}
	victim := start(t, cs[2:])[0]
	eventually(t, "a link", func() bool { return status(victim, 3).State == Up })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var liars sync.WaitGroup
	for i := range 2 {
		r := raw(t, cs[i].Identity, victim)
		liars.Go(func() { shown(lengthy())(ctx, t, r, victim) })
	}
	time.Sleep(300 * time.Millisecond)
	eventually(t, "both counted", func() bool { return status(victim, 0).Refused > 0 && status(victim, 1).Refused > 0 })
	if s := status(victim, 3); s.State != Up || s.Refused > 0 {
		t.Errorf("an honest peer: %+v", s)
	}
	cancel()
	liars.Wait()
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys-before.Sys) >> 20; grown > 200 {
		t.Errorf("attackers and victim took %d MB more, want at most 200", grown)
	}
}

// TestStreamsHaveAQuota for each peer, however short they are.
func TestStreamsHaveAQuota(t *testing.T) {
	cs := configs(2, path(2))
	victim := start(t, cs[1:])[0]
	r := raw(t, cs[0].Identity, victim)
	with := &victim.members[0].streams
	with.mu.Lock()
	with.since, with.n = time.Now(), maxStreams
	with.mu.Unlock()
	was := status(victim, 0).Refused
	s, err := r.Network().NewStream(t.Context(), victim.libp2p.ID())
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Read(make([]byte, 1)); err == nil {
		t.Error("the stream is served")
	}
	eventually(t, "refused", func() bool { return status(victim, 0).Refused > was })
}
