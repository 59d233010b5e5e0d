package gossip

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	pb "github.com/libp2p/go-libp2p-pubsub/pb"

	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

func topical(cs []Config) []Config {
	for i := range cs {
		cs[i].Topic = true
	}
	return cs
}

// subscribed waits until every neighbour of h has joined the topic.
func subscribed(t testing.TB, hosts []*Host) {
	t.Helper()
	for _, h := range hosts {
		eventually(t, "neighbours on the topic", func() bool {
			return len(h.topic.topic.ListPeers()) == len(h.cfg.Neighbours)
		})
	}
}

// meshed waits until a message that any host publishes reaches all others. GossipSub does not
// forward messages to a peer before its mesh is built.
func meshed(t testing.TB, hosts []*Host) {
	t.Helper()
	subscribed(t, hosts)
	heard := make([]map[protocol.Peer]bool, len(hosts))
	eventually(t, "a mesh", func() bool {
		all := true
		for i, h := range hosts {
			if heard[i] == nil {
				heard[i] = make(map[protocol.Peer]bool)
			}
			send(t, h, roundEnds(protocol.Peer(i), protocol.Everyone, 0))
			time.Sleep(5 * time.Millisecond) // a slow machine drops messages that come faster than it reads
			for len(h.inbox) > 0 {
				heard[i][receive(t, h).From] = true
			}
			all = all && len(heard[i]) == len(hosts)-1
		}
		return all
	})
}

func TestTopicReachesAll(t *testing.T) {
	const n, rounds = 5, 100
	cs := topical(configs(n, ring(n)))
	hosts := start(t, cs)
	ready(t, hosts...)
	meshed(t, hosts)
	before := make([]uint64, n) // dropped: a host may have had no queue for a new neighbour yet
	for i, h := range hosts {
		before[i] = h.Totals().TopicDropped
	}
	for i, h := range hosts {
		send(t, h, roundEnds(protocol.Peer(i), protocol.Everyone, span(1, rounds+1)...))
	}
	for i, h := range hosts {
		type number struct {
			from  protocol.Peer
			round protocol.Round
		}
		got := map[number]int{}
		for len(got) < (n-1)*rounds {
			d := receive(t, h)
			if d.Message.Round() == 0 {
				continue // left over from meshed
			}
			k := number{d.From, d.Message.Round()}
			if got[k]++; int(d.From) == i || d.Message.Label().Origin != d.From || got[k] > 1 {
				t.Fatalf("peer %d: round %d of peer %d, %d times", i, k.round, k.from, got[k])
			}
		}
		c := h.Totals()
		if broke := slices.ContainsFunc(h.Status(), func(s PeerStatus) bool { return s.LastError != "" }); broke {
			before[i] = c.TopicDropped // for there was no queue in between
		}
		if c.TopicIn < (n-1)*rounds || c.TopicDropped != before[i] || c.TopicRefused != 0 {
			t.Errorf("peer %d: %+v, dropped %d before, %+v", i, c, before[i], h.Status())
		}
	}
}

func TestPresenceIsSeenByAll(t *testing.T) {
	cs := topical(configs(4, path(4)))
	cs[3].Incarnation = 77
	hosts := start(t, cs)
	ready(t, hosts...)
	eventually(t, "the far end", func() bool { return status(hosts[0], 3).Incarnation == 77 })
	if s := status(hosts[0], 3); s.LastSeen.IsZero() || s.State != None || s.Neighbour {
		t.Errorf("%+v", s)
	}
	select {
	case d := <-hosts[0].Inbox():
		t.Errorf("an announcement was delivered: %+v", d)
	default:
	}
}

func TestTopicRefusesWhatIsNoMessage(t *testing.T) {
	hosts := start(t, topical(configs(3, path(3))))
	ready(t, hosts...)
	subscribed(t, hosts)
	msg := func(author int, data []byte) *pubsub.Message {
		m := &pubsub.Message{}
		m.Message = new(pb.Message)
		m.From, m.Data = []byte(SeedIdentity([32]byte{byte(author), 0, 1}).id), data
		return m
	}
	top := hosts[1].topic
	for _, test := range []struct {
		name   string
		author int
		data   []byte
		want   pubsub.ValidationResult
	}{
		{"good", 2, protocol.Encode(nil, protocol.Presence(2, 5)), pubsub.ValidationAccept},
		{"garbage", 2, []byte("x"), pubsub.ValidationReject},
		{"unlisted author", 9, protocol.Encode(nil, protocol.Presence(2, 5)), pubsub.ValidationReject},
		{"presence of another", 2, protocol.Encode(nil, protocol.Presence(0, 5)), pubsub.ValidationReject},
		{"old incarnation", 2, protocol.Encode(nil, protocol.Presence(2, 0)), pubsub.ValidationIgnore},
	} {
		if got := top.validate(t.Context(), "", msg(test.author, test.data)); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	if err := hosts[0].topic.topic.Publish(t.Context(), []byte("rubbish")); err == nil {
		t.Error("a host publishes what is no message")
	}
	if n := hosts[0].Totals().Undeliverable; n != 0 {
		t.Errorf("%d undeliverable", n)
	}
	if err := top.publish(t.Context(), bytes.Repeat([]byte{1}, topicFrame+1)); err != nil || hosts[1].Totals().Undeliverable != 1 {
		t.Errorf("too long: %v, %+v", err, hosts[1].Totals())
	}
}

// A message that a listed peer may not publish is counted, and is neither delivered nor
// forwarded.
func TestTopicRefusesOverTheWire(t *testing.T) {
	cs := topical(configs(3, path(3)))
	hosts := start(t, cs[1:])
	h := hosts[0]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := raw(t, cs[0].Identity, h)
	ps := require.Value(pubsub.NewGossipSub(ctx, r))(t)
	top := require.Value(ps.Join("/peerd/test/1"))(t)
	eventually(t, "both on the topic", func() bool {
		return len(top.ListPeers()) == 1 && len(h.topic.topic.ListPeers()) == 1
	})
	stranger := SeedIdentity([32]byte{99})
	good := protocol.Encode(nil, roundEnds(0, 1, 1)[0].Message)
	for _, err := range []error{
		top.Publish(ctx, []byte("rubbish")),
		top.Publish(ctx, protocol.Encode(nil, protocol.Presence(2, 9))),
		top.Publish(ctx, good, pubsub.WithSecretKeyAndPeerId(stranger.private, stranger.id)),
		top.Publish(ctx, good),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := receive(t, h); d.From != 0 || d.Message.Round() != 1 {
		t.Errorf("%+v", d)
	}
	eventually(t, "3 refused, all of peer 0", func() bool {
		return h.Totals().TopicRefused == 3 && status(h, 0).Refused == 3
	})
	if n := hosts[1].Totals().TopicRefused; n != 0 || status(hosts[1], 2).Incarnation == 9 {
		t.Errorf("passed on: %d", n)
	}
}

// TestTheTopicHasAQuota for each peer.
func TestTheTopicHasAQuota(t *testing.T) {
	hosts := start(t, topical(configs(2, path(2))))
	ready(t, hosts...)
	was := status(hosts[0], 1).Refused
	for i := range maxRPCs + 100 {
		if err := hosts[0].topic.inspect(hosts[1].libp2p.ID(), nil); err != nil && i < maxRPCs/2 {
			t.Fatal(i, err)
		}
	}
	if n := status(hosts[0], 1).Refused - was; n < 100 || n > 200 {
		t.Errorf("%d of 100 are refused", n)
	}
}

// A message that a host does not read is dropped and counted.
func TestTopicCountsWhatItDrops(t *testing.T) {
	hosts := start(t, topical(configs(2, path(2))))
	ready(t, hosts...)
	subscribed(t, hosts)
	const n = inboxSize + topicQueue + 500
	for round := range protocol.Round(n) {
		send(t, hosts[0], roundEnds(0, protocol.Everyone, round))
	}
	eventually(t, "drops counted", func() bool {
		return hosts[0].Totals().TopicDropped+hosts[1].Totals().TopicDropped > 0
	})
}

func TestReplayWindow(t *testing.T) {
	const base = 1 << 62
	var w window
	for _, test := range []struct {
		n    uint64
		want bool
	}{
		{base, true},
		{base, false},
		{base + 5, true},
		{base + 3, true}, // out of order
		{base + 3, false},
		{base + 5, false},
		{base + replayWindow, true},
		{base + 1, true}, // just within
		{base, false},    // just without
		{base + 1, false},
		{base + replayWindow + 1, true}, // takes the place of base + 1
		{base + 1, false},
		{base + 3*replayWindow, true}, // a leap
		{base + 3*replayWindow - 1, true},
		{base + 2*replayWindow + 1, true},
		{base + 2*replayWindow, false},
		{1<<64 - 1, true},
		{1<<64 - 1, false},
		{0, false},
	} {
		if got := w.first(test.n); got != test.want {
			t.Errorf("base %+d: %v, want %v", int64(test.n-base), got, test.want)
		}
	}
}
