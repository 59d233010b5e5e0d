package gossip

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/gossip/wire"
	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

// checkpointOf returns the checkpoint of a ledger with n records, the same in every test.
func checkpointOf(n uint64) protocol.Checkpoint { return branch(n, 0) }

// branch returns the checkpoint of another ledger with n records.
func branch(n uint64, which byte) protocol.Checkpoint {
	return protocol.Checkpoint{Records: n, Head: sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, n), which))}.Normal()
}

// signedBy returns a checkpoint with the signature of the peer whose configuration is c.
func signedBy(c *Config, x protocol.Checkpoint) protocol.SignedCheckpoint {
	s, err := c.signed(x)
	if err != nil {
		panic(err)
	}
	return s
}

// witness records the calls of a host's callbacks.
type witness struct {
	mu         sync.Mutex
	remembers  map[protocol.Peer][]protocol.Checkpoint // on links
	memories   map[protocol.Peer][]protocol.Checkpoint // with or without a link
	advertised map[protocol.Peer][]protocol.Checkpoint
}

func (w *witness) watch(c *Config) {
	w.remembers, w.memories, w.advertised = map[protocol.Peer][]protocol.Checkpoint{}, map[protocol.Peer][]protocol.Checkpoint{}, map[protocol.Peer][]protocol.Checkpoint{}
	c.OnRemembered = func(p protocol.Peer, m protocol.Checkpoint, _ bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.remembers[p] = append(w.remembers[p], m)
	}
	c.OnMemory = func(p protocol.Peer, m protocol.Checkpoint) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.memories[p] = append(w.memories[p], m)
	}
	c.OnCheckpoint = func(p protocol.Peer, m protocol.SignedCheckpoint) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.advertised[p] = append(w.advertised[p], m.Checkpoint)
	}
}

// highest returns the newest checkpoint seen of a peer.
func (w *witness) highest(p protocol.Peer) protocol.Checkpoint {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.advertised[p]); n > 0 {
		return w.advertised[p][n-1]
	}
	return protocol.Checkpoint{}
}

// shown reports whether a peer has shown a checkpoint, with or without a link.
func (w *witness) shown(p protocol.Peer, m protocol.Checkpoint) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.memories[p], m)
}

func (w *witness) remembered(p protocol.Peer, m protocol.Checkpoint) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.remembers[p] {
		if o == m {
			return true
		}
	}
	return false
}

// checkpointed returns configurations with checkpoints, and the witnesses of each host's
// callbacks.
func checkpointed(cs []Config) ([]Config, []*witness) {
	ws := make([]*witness, len(cs))
	for i := range cs {
		ws[i] = &witness{}
		cs[i].Checkpoints = true
		ws[i].watch(&cs[i])
	}
	return cs, ws
}

func begin(t testing.TB, c Config) *Host {
	t.Helper()
	h := require.Value(NewHost(c))(t)
	t.Cleanup(func() { h.Close() })
	return h
}

// Two peers that link up know each other's checkpoints, and what the other peer remembers.
func TestHellosCarryCheckpoints(t *testing.T) {
	cs, ws := checkpointed(configs(2, path(2)))
	cs[0].Checkpoint, cs[1].Checkpoint = checkpointOf(10), checkpointOf(20)
	cs[0].Known, cs[1].Known = []protocol.SignedCheckpoint{{}, signedBy(&cs[1], checkpointOf(15))}, []protocol.SignedCheckpoint{signedBy(&cs[0], checkpointOf(10)), {}}
	hosts := start(t, cs)
	ready(t, hosts...)
	for i, h := range hosts {
		other := protocol.Peer(1 - i)
		if s := status(h, other); s.Checkpoint != cs[other].Checkpoint || s.Alarm != "" || s.Alarms != 0 {
			t.Errorf("%+v", s)
		}
		if !ws[i].remembered(other, cs[other].Known[i].Checkpoint) {
			t.Errorf("peer %d was not got %v", i, cs[other].Known[i].Checkpoint)
		}
	}
	if got := ws[0].highest(1); got != checkpointOf(20) {
		t.Errorf("saw %v", got)
	}
	ws[1].mu.Lock()
	defer ws[1].mu.Unlock()
	if got := ws[1].advertised[0]; got != nil { // nothing new
		t.Errorf("saw %v", got)
	}
}

// A message never arrives before the checkpoint that the sender had when it sent it, no matter
// what is dropped and how often the link breaks.
func TestCheckpointsGoBeforeMessages(t *testing.T) {
	const least = 4000 // rounds
	cs, ws := checkpointed(configs(2, path(2)))
	hosts := start(t, cs)
	ready(t, hosts...)
	ctx, cancel := context.WithCancel(t.Context())
	var all, senders sync.WaitGroup
	var last [2]protocol.Round
	sending, enough := context.WithCancel(ctx)
	defer all.Wait()
	defer senders.Wait()
	defer cancel()
	for i, h := range hosts {
		senders.Go(func() {
			for r := protocol.Round(0); r < least || sending.Err() == nil; r++ {
				last[i] = r
				h.Advance(checkpointOf(uint64(r)))
				send(t, h, roundEnds(protocol.Peer(i), protocol.Peer(1-i), r))
				if r%50 == 0 {
					time.Sleep(time.Millisecond)
				}
			}
		})
		all.Go(func() {
			for {
				select {
				case d := <-h.Inbox():
					if seen := ws[i].highest(d.From); seen.Records < uint64(d.Message.Round()) {
						t.Errorf("peer %d: message of round %d after %v", i, d.Message.Round(), seen)
						return
					}
				case <-ctx.Done():
					return
				}
			}
		})
	}
	for i := range 15 { // break whatever exists, from both ends
		h := hosts[i%2]
		broken := make(map[string]bool)
		for _, c := range h.libp2p.Network().Conns() {
			for _, s := range c.GetStreams() {
				broken[s.ID()] = true
				if i%3 != 0 && s.Protocol() == linkProtocol {
					_ = s.Reset()
				}
			}
			if i%3 == 0 {
				_ = c.Close()
			}
		}
		eventually(t, "other streams, and links up", func() bool {
			kick(hosts[0], 1) // pauses grow with every break
			kick(hosts[1], 0)
			l := h.neighbours[1-h.cfg.Self]
			l.mu.Lock()
			old := l.in == nil || l.out == nil || broken[l.in.ID()] || broken[l.out.ID()]
			l.mu.Unlock()
			return !old && status(hosts[0], 1).State == Up && status(hosts[1], 0).State == Up
		})
	}
	enough()
	senders.Wait()
	for i, h := range hosts {
		want := checkpointOf(uint64(last[1-i]))
		eventually(t, "the last checkpoint", func() bool { return ws[i].highest(protocol.Peer(1-i)) == want })
		if s := status(h, protocol.Peer(1-i)); s.Alarms != 0 || s.Refused != 0 || s.Checkpoint != want {
			t.Errorf("%+v", s)
		}
	}
	for i, w := range ws {
		for _, seen := range w.advertised {
			for k := 1; k < len(seen); k++ {
				if seen[k].Records <= seen[k-1].Records {
					t.Errorf("peer %d saw %v after %v", i, seen[k], seen[k-1])
				}
			}
		}
	}
}

// A message to all peers makes the links carry the checkpoint as well.
func TestTopicMessagesMoveCheckpoints(t *testing.T) {
	cs, ws := checkpointed(configs(2, path(2)))
	for i := range cs {
		cs[i].Topic = true
	}
	hosts := start(t, cs)
	ready(t, hosts...)
	hosts[0].Advance(checkpointOf(5))
	send(t, hosts[0], roundEnds(0, protocol.Everyone, 1))
	eventually(t, "the checkpoint", func() bool { return ws[1].highest(0) == checkpointOf(5) })
	hosts[0].Advance(checkpointOf(4)) // no step back
	hosts[0].Advance(branch(5, 1))
	send(t, hosts[0], roundEnds(0, 1, 1))
	receive(t, hosts[1])
	if got := ws[1].highest(0); got != checkpointOf(5) || status(hosts[1], 0).Alarms != 0 {
		t.Errorf("%v, %+v", got, status(hosts[1], 0))
	}
}

// A peer whose folder was rolled back learns of it and is refused, whichever end dials; no
// message passes. Once its ledger is longer than the remembered one, it is accepted again.
func TestAPeerThatWentBack(t *testing.T) {
	for _, test := range []struct {
		name string
		bad  int // of peers 0 and 1
		has  protocol.Checkpoint
	}{
		{"dials, with fewer records", 0, checkpointOf(60)},
		{"dials, without records", 0, protocol.Checkpoint{}},
		{"dials, with another head", 0, branch(100, 1)},
		{"is dialled, with fewer records", 1, checkpointOf(60)},
		{"is dialled, with another head", 1, branch(100, 1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			cs, ws := checkpointed(configs(2, path(2)))
			good := 1 - test.bad
			log := &lines{}
			cs[good].Logger = log.logger()
			cs[good].Known = make([]protocol.SignedCheckpoint, 2)
			cs[good].Known[test.bad] = signedBy(&cs[test.bad], checkpointOf(100))
			cs[test.bad].Checkpoint = test.has
			// As a daemon does, the rolled-back one ends when it learns of it.
			remembered := make(chan struct{})
			hear := sync.OnceFunc(func() { close(remembered) }) // both streams may bring it
			cs[test.bad].OnRemembered = func(p protocol.Peer, m protocol.Checkpoint, _ bool) {
				if !test.has.Follows(m) {
					hear()
				}
			}
			ended := make(chan struct{})
			hosts := make([]*Host, 2)
			listenAgain(t, &cs[test.bad])
			hosts[1] = begin(t, cs[1])
			cs[1].Peers[1].Addrs = hosts[1].Addrs()
			hosts[0] = begin(t, cs[0])
			send(t, hosts[test.bad], roundEnds(protocol.Peer(test.bad), protocol.Peer(good), 1))
			go func() {
				<-remembered
				hosts[test.bad].Close()
				close(ended)
			}()
			of := protocol.Peer(test.bad)
			eventually(t, "an alarm", func() bool { return status(hosts[good], of).Alarm != "" })
			<-ended
			s := status(hosts[good], of)
			if !strings.Contains(s.Alarm, "restored from a backup or runs twice") || s.Checkpoint != checkpointOf(100) || s.Alarms == 0 || s.FramesIn != 0 || s.State == Up {
				t.Errorf("%+v", s)
			}
			eventually(t, "the callback", func() bool { return ws[good].remembered(of, protocol.Checkpoint{}) })
			if got := log.count("restored from a backup"); got == 0 {
				t.Error("nothing was logged")
			}

			// The operator has recovered what the neighbours remember.
			c := cs[test.bad]
			c.Checkpoint, c.OnRemembered = branch(101, 1), nil
			hosts[test.bad] = begin(t, c)
			kick(hosts[good], of)
			ready(t, hosts...)
			send(t, hosts[test.bad], roundEnds(of, protocol.Peer(good), 2))
			if d := receive(t, hosts[good]); d.Message.Round() != 2 {
				t.Errorf("round %d", d.Message.Round())
			}
			if s := status(hosts[good], of); s.Alarms == 0 || s.Checkpoint != c.Checkpoint || (s.Alarm == "") == (test.has == branch(100, 1)) { // two histories stay known
				t.Errorf("%+v", s)
			}
		})
	}
}

// kick has a host try at once to link up.
func kick(h *Host, p protocol.Peer) {
	select {
	case h.neighbours[p].kick <- struct{}{}:
	default:
	}
}

// A peer that continues after a rollback is kept out.
func TestAStubbornPeerStaysOut(t *testing.T) {
	cs, _ := checkpointed(configs(2, path(2)))
	cs[1].Known = []protocol.SignedCheckpoint{signedBy(&cs[0], checkpointOf(100)), {}}
	cs[0].Checkpoint = checkpointOf(60)
	cs[0].Topic, cs[1].Topic = true, true
	hosts := start(t, cs)
	eventually(t, "refused, and why", func() bool {
		s := status(hosts[0], 1)
		return s.State == Refused && strings.Contains(s.LastError, "it remembers 100 records") && status(hosts[1], 0).State == Refused
	})
	if s := status(hosts[0], 1); s.Alarm != "" {
		t.Errorf("%+v", s)
	}
	before := status(hosts[1], 0).Alarms
	for range 5 {
		send(t, hosts[0], roundEnds(0, protocol.Everyone, 1))
		send(t, hosts[0], roundEnds(0, 1, 1))
		time.Sleep(50 * time.Millisecond)
	}
	if s := status(hosts[1], 0); s.FramesIn != 0 || s.Alarms > before+1 || len(hosts[1].inbox) != 0 || hosts[1].Totals().TopicIn != 0 {
		t.Errorf("%+v, %+v", s, hosts[1].Totals())
	}
	hosts[0].Advance(branch(101, 1))
	kick(hosts[0], 1)
	ready(t, hosts...)
	if s := status(hosts[1], 0); s.Alarm != "" {
		t.Errorf("%+v", s)
	}
}

// Two processes with one key: the one with the older checkpoint cannot replace the other, and
// leaves it alone.
func TestAClonedFolder(t *testing.T) {
	cs, ws := checkpointed(configs(3, path(3)))
	hosts := start(t, cs)
	ready(t, hosts...)
	hosts[0].Advance(checkpointOf(50))
	send(t, hosts[0], roundEnds(0, 1, 1))
	receive(t, hosts[1])
	c := cs[0]
	c.Checkpoint = checkpointOf(30)
	remembered := make(chan protocol.Checkpoint, 16)
	c.OnRemembered = func(_ protocol.Peer, m protocol.Checkpoint, _ bool) { remembered <- m }
	clone := begin(t, c)
	if m := <-remembered; m != checkpointOf(50) {
		t.Errorf("got %v", m)
	}
	eventually(t, "an alarm", func() bool { return status(hosts[1], 0).Alarm != "" })
	if s := status(hosts[1], 0); s.State != Up {
		t.Errorf("%+v", s)
	}
	hosts[0].Advance(checkpointOf(51))
	send(t, hosts[0], roundEnds(0, 1, 2))
	receive(t, hosts[1])
	if s := status(hosts[0], 1); s.State != Up || s.LastError != "" {
		t.Errorf("%+v", s)
	}
	if got := ws[1].highest(0); got != checkpointOf(51) {
		t.Errorf("saw %v", got)
	}
	shut(t, clone)
}

// Without checkpoints, two processes with one key take the link from each other, ever more
// slowly; when one ends, the other has the link.
func TestTwoProcessesWithOneKey(t *testing.T) {
	cs := configs(2, path(2))
	hosts := start(t, cs)
	ready(t, hosts...)
	twin := begin(t, cs[0])
	began := time.Now()
	ups := 0
	for was := Down; time.Since(began) < 2*time.Second; time.Sleep(time.Millisecond) {
		now := status(hosts[1], 0).State
		if now == Up && was != Up {
			ups++
		}
		was = now
	}
	if ups > 20 {
		t.Errorf("the link came up %d times in 2 s", ups)
	}
	shut(t, twin)
	kick(hosts[0], 1)
	eventually(t, "a message through", func() bool { // the link may be the twin's until its end is noticed
		ready(t, hosts...)
		send(t, hosts[0], roundEnds(0, 1, 7))
		time.Sleep(20 * time.Millisecond)
		return len(hosts[1].inbox) > 0
	})
	if d := receive(t, hosts[1]); d.Message.Round() != 7 {
		t.Errorf("%+v", d)
	}
}

// A process that has our own key is refused and counted.
func TestOurOwnKeyIsRefused(t *testing.T) {
	cs := configs(2, path(2))
	log := &lines{}
	cs[1].Logger = log.logger()
	h := start(t, cs[1:])[0]
	dialSelf(t, cs[1].Identity, h)
	eventually(t, "counted and in the log", func() bool {
		return h.Totals().Clones == 1 && log.count("another process has this peer's key") == 1
	})
	if h.Totals().Strangers != 0 {
		t.Errorf("%+v", h.Totals())
	}
}

// Streams overtake each other, so they may bring an older checkpoint than the known one, but
// never another head.
func TestALateCheckpointIsNoAlarmAndAForkIs(t *testing.T) {
	cs, ws := checkpointed(configs(2, path(2)))
	l := start(t, cs[1:])[0].neighbours[0]
	for _, test := range []struct {
		m    protocol.Checkpoint
		want protocol.Checkpoint
		fork bool
	}{
		{checkpointOf(7), checkpointOf(7), false},
		{checkpointOf(5), checkpointOf(7), false},
		{branch(7, 1), checkpointOf(7), true},
		{checkpointOf(7), checkpointOf(7), false},
		{checkpointOf(9), checkpointOf(9), false},
	} {
		if err := l.remember(signedBy(&cs[0], test.m)); errors.Is(err, errRolledBack) != test.fork || l.remembered() != signedBy(&cs[0], test.want) || ws[1].highest(0) != test.want {
			t.Errorf("%v: %v, %v", test.m, err, l.remembered().Checkpoint)
		}
	}
	if alarm, n := l.warning(); n != 1 || alarm == "" { // until it has proved itself
		t.Errorf("%d alarms, %q", n, alarm)
	}
	if err := l.checkAdvertised(signedBy(&cs[0], checkpointOf(10)), signedBy(&cs[0], checkpointOf(9))); err != nil {
		t.Error(err)
	}
	if alarm, n := l.warning(); n != 1 || alarm != "" {
		t.Errorf("%d alarms, %q", n, alarm)
	}
}

// begun opens a stream up to the point where the checkpoint is due.
func begun(t testing.TB, r host.Host, h *Host, m protocol.SignedCheckpoint) (s network.Stream, remembered protocol.Checkpoint) {
	t.Helper()
	mine := h.self
	mine.Self, mine.Checkpoint = 0, m
	s = stream(t, r, h)
	require.Value(s.Write(wire.Prefixed(mine.Encode())))(t)
	theirs := require.Value(wire.ReadHello(bufio.NewReader(s)))(t)
	return s, theirs.Remembered.Checkpoint
}

// Only a checkpoint sent after the answer to a hello counts against a peer.
func TestWhatWasSaidBeforeIsNoAlarm(t *testing.T) {
	cs, _ := checkpointed(configs(2, path(2)))
	h := start(t, cs[1:])[0]
	of := func(n uint64) protocol.SignedCheckpoint { return signedBy(&cs[0], checkpointOf(n)) }
	r := raw(t, cs[0].Identity, h)
	first, remembered := begun(t, r, h, of(5))
	if remembered != (protocol.Checkpoint{}) {
		t.Errorf("got %v", remembered)
	}
	second, _ := begun(t, r, h, of(6))
	_, _ = second.Write(wire.Prefixed(wire.CheckpointFrame(of(9))))
	eventually(t, "the checkpoint", func() bool { return status(h, 0).Checkpoint == checkpointOf(9) })
	message := protocol.Encode(nil, roundEnds(0, 1, 3)[0].Message)
	_, _ = first.Write(append(wire.Prefixed(wire.CheckpointFrame(of(6))), wire.Prefixed(message)...))
	receive(t, h)
	if s := status(h, 0); s.Checkpoint != checkpointOf(9) || s.Alarms != 0 || s.Alarm != "" {
		t.Errorf("%+v", s)
	}

	third, remembered := begun(t, r, h, of(8))
	if remembered != checkpointOf(9) {
		t.Errorf("got %v", remembered)
	}
	_, _ = third.Write(wire.Prefixed(wire.CheckpointFrame(of(8))))
	eventually(t, "an alarm", func() bool { return status(h, 0).Alarms == 1 })
	eventually(t, "no connection", func() bool { return len(r.Network().ConnsToPeer(h.libp2p.ID())) == 0 })
}

// Messages that a rolled-back peer publishes are not accepted through others either.
func TestTopicOfAPeerThatWentBack(t *testing.T) {
	cs, _ := checkpointed(configs(3, ring(3)))
	for i := range cs {
		cs[i].Topic = true
	}
	cs[1].Known = []protocol.SignedCheckpoint{signedBy(&cs[0], checkpointOf(100)), {}, {}}
	hosts := start(t, cs)
	eventually(t, "the alarm, and all other links", func() bool {
		return status(hosts[1], 0).Alarm != "" && status(hosts[2], 0).State == Up && status(hosts[2], 1).State == Up
	})
	eventually(t, "a message through", func() bool {
		send(t, hosts[0], roundEnds(0, protocol.Everyone, 1))
		time.Sleep(50 * time.Millisecond)
		return len(hosts[2].inbox) >= 20 // the mesh takes a second
	})
	refused := func() bool { return status(hosts[1], 0).Refused > status(hosts[1], 0).Alarms }
	eventually(t, "refused", refused)
	if n := len(hosts[1].inbox); n != 0 {
		t.Errorf("%d messages taken in", n)
	}
}

func TestBothEndsExchangeCheckpointsOrNeither(t *testing.T) {
	cs := configs(2, path(2))
	cs[0].Checkpoints = true
	hosts := start(t, cs)
	for i, h := range hosts {
		eventually(t, "refused", func() bool {
			return strings.Contains(status(h, protocol.Peer(1-i)).LastError, "only one of the two exchanges checkpoints")
		})
	}
}

// A neighbour that breaks the rules about checkpoints loses its stream.
func TestCheckpointsAgainstTheRules(t *testing.T) {
	cs, _ := checkpointed(configs(2, path(2)))
	h := start(t, cs[1:])[0]
	r := raw(t, cs[0].Identity, h)
	of := func(n uint64) protocol.SignedCheckpoint { return signedBy(&cs[0], checkpointOf(n)) }
	unsigned := protocol.SignedCheckpoint{Checkpoint: checkpointOf(7)}
	mine := h.self
	mine.Self, mine.Checkpoint = 0, of(5)
	message := protocol.Encode(nil, roundEnds(0, 1, 3)[0].Message)
	refused := uint64(0)
	for _, test := range []struct {
		name   string
		frames [][]byte
	}{
		{"a message before the checkpoint", [][]byte{message}},
		{"an empty frame before the checkpoint", [][]byte{nil}},
		{"a checkpoint before the hello's", [][]byte{wire.CheckpointFrame(of(4))}},
		{"another head than in the hello", [][]byte{wire.CheckpointFrame(signedBy(&cs[0], branch(5, 1)))}},
		{"the same checkpoint twice", [][]byte{wire.CheckpointFrame(of(5)), wire.CheckpointFrame(of(5))}},
		{"a first checkpoint without a signature", [][]byte{wire.CheckpointFrame(unsigned)}},
		{"a later checkpoint without a signature", [][]byte{wire.CheckpointFrame(of(5)), wire.CheckpointFrame(unsigned)}},
		{"another peer's signature", [][]byte{wire.CheckpointFrame(signedBy(&cs[1], checkpointOf(7)))}},
		{"a checkpoint that goes back", [][]byte{wire.CheckpointFrame(of(5)), wire.CheckpointFrame(of(7)), wire.CheckpointFrame(of(6))}},
		{"a checkpoint that is too long", [][]byte{wire.CheckpointFrame(of(7)), append(wire.CheckpointFrame(of(8)), make([]byte, 20)...)}},
	} {
		s := stream(t, r, h)
		b := wire.Prefixed(mine.Encode())
		for _, f := range test.frames {
			b = append(b, wire.Prefixed(f)...)
		}
		require.Value(s.Write(b))(t)
		var code *network.StreamError
		if err := end(s); !errors.As(err, &code) || code.ErrorCode != network.StreamProtocolViolation {
			t.Errorf("%s: stream ended with %v", test.name, err)
		}
		refused++
		if got := status(h, 0); got.Refused != refused || got.FramesIn != 0 || got.Alarms != 0 {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
	cs = configs(2, path(2))
	h = start(t, cs[1:])[0]
	s := greeted(t, raw(t, cs[0].Identity, h), h, 0)
	require.Value(s.Write(wire.Prefixed(wire.CheckpointFrame(of(5)))))(t)
	var code *network.StreamError
	if err := end(s); !errors.As(err, &code) || code.ErrorCode != network.StreamProtocolViolation {
		t.Errorf("a checkpoint where there are none: stream ended with %v", err)
	}
}
