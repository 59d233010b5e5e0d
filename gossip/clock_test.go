package gossip

import (
	"encoding/binary"
	"testing"
	"time"
	"unsafe"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

// TestALateAnswerIsNoWrongClock, however late it is. A clock that is wrong by more than that is.
func TestALateAnswerIsNoWrongClock(t *testing.T) {
	cs := configs(2, path(2))
	asks := start(t, cs[1:])[0]
	r := raw(t, cs[0].Identity, asks)
	for _, wrong := range []time.Duration{0, -time.Hour} {
		r.SetStreamHandler(clockProtocol, func(s network.Stream) {
			at := time.Now().Add(wrong)
			time.Sleep(300 * time.Millisecond)
			_, _ = s.Write(binary.BigEndian.AppendUint64(nil, uint64(at.UnixNano())))
			_ = s.Close()
		})
		require.NoError(t, asks.CompareClock(t.Context(), 0))
		if got, n := asks.Ahead(); n != 1 || got > -wrong || got < -wrong*9/10 {
			t.Errorf("%v ahead of %d peers, want at most %v", got, n, -wrong)
		}
	}
	for _, x := range [][3]time.Duration{{-2, 3, 0}, {2, 3, 2}, {-3, -2, -2}, {0, 0, 0}} {
		if got := least(x[0], x[1]); got != x[2] {
			t.Errorf("from %v to %v ahead: %v, want %v", x[0], x[1], got, x[2])
		}
	}
}

// TestAWrongClockIsNoticed: by the peer that has it, and a peer that lies about the time moves no other's judgement.
func TestAWrongClockIsNoticed(t *testing.T) {
	cs := configs(4, path(4))
	cs[1].wrong, cs[3].wrong = 3*time.Minute, -100*365*24*time.Hour
	hosts := start(t, cs)
	ready(t, hosts...)
	if _, n := hosts[0].Ahead(); n != 0 {
		t.Errorf("%d peers answer before they are asked", n)
	}
	for i, want := range []time.Duration{0, 3 * time.Minute, 0} {
		for j := range hosts {
			if i != j {
				require.NoError(t, hosts[i].CompareClock(t.Context(), protocol.Peer(j)))
			}
		}
		if got, n := hosts[i].Ahead(); n != 3 || (got-want).Abs() > time.Second {
			t.Errorf("peer %d: %v ahead of %d peers, want %v", i, got, n, want)
		}
	}
}

// TestHalfOfTheClocksMoveNothing: one liar of one other honest peer does not stop a site.
func TestHalfOfTheClocksMoveNothing(t *testing.T) {
	for _, c := range []struct {
		all  []time.Duration
		want time.Duration
	}{
		{[]time.Duration{time.Hour}, time.Hour},
		{[]time.Duration{0, time.Hour}, 0},
		{[]time.Duration{-time.Hour, 0}, 0},
		{[]time.Duration{-time.Hour, time.Hour}, 0},
		{[]time.Duration{time.Minute, time.Hour}, time.Minute},
		{[]time.Duration{-time.Hour, -time.Minute, time.Hour}, -time.Minute},
		{[]time.Duration{0, 0, time.Hour, time.Hour}, 0},
	} {
		clocks := newClocks(&base{members: make([]*member, len(c.all))})
		for i, ahead := range c.all {
			clocks.heard[i].Store(&comparison{time.Now(), ahead})
		}
		if got, n := clocks.Ahead(); n != len(c.all) || (got-c.want).Abs() > time.Millisecond {
			t.Errorf("%v: %v, want %v", c.all, got, c.want)
		}
	}
}

// TestAClockThatIsSetRightIsRight at once, without another answer.
func TestAClockThatIsSetRightIsRight(t *testing.T) {
	const by = 10 * 365 * 24 * time.Hour
	now := time.Now()
	c := comparison{set(now, by), by}
	for forward, want := range map[time.Duration]time.Duration{by: by, 0: 0, by + time.Hour: by + time.Hour} {
		if got := c.now(set(now.Add(time.Minute), forward)); got != want {
			t.Errorf("set from %v to %v ahead: %v, want %v", by, forward, got, want)
		}
	}
}

// set returns t as shown by a clock that was set forward: the wall time differs, the monotonic time does not.
func set(t time.Time, forward time.Duration) time.Time {
	*(*uint64)(unsafe.Pointer(&t)) += uint64(forward/time.Second) << 30 // the seconds of the wall time
	return t
}

// TestEveryLinkComparesClocks, so that a peer knows how its clock stands before it plays a round.
func TestEveryLinkComparesClocks(t *testing.T) {
	cs := configs(2, path(2))
	cs[1].wrong = time.Hour
	for i := range cs {
		cs[i].Checkpoints, cs[i].OnRemembered = true, func(protocol.Peer, protocol.Checkpoint, bool) {}
	}
	hosts := start(t, cs)
	ready(t, hosts...)
	for i, want := range []time.Duration{-time.Hour, time.Hour} {
		eventually(t, "the clocks are compared", func() bool {
			got, n := hosts[i].Ahead()
			return n == 1 && (got-want).Abs() < time.Second
		})
	}
}
