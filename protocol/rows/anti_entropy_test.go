package rows_test

import (
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// sent plays rounds without a choice and returns how many messages of a kind a peer sends.
// Those that lose picks are lost.
func sent(t *testing.T, n *protocoltest.Network, rounds int, k protocol.Kind, from protocol.Peer, lose func(protocoltest.Parcel) bool) (count int) {
	t.Helper()
	for range rounds {
		n.Play(t, nil)
		for _, p := range n.Underway {
			if p.Message.Kind() == k && p.From == from {
				count++
			}
		}
		if lose != nil {
			n.Underway = slices.DeleteFunc(n.Underway, lose)
		}
	}
	return count
}

// TestNeighboursThatAgreeAreSilent: they compare once what they hold after a new row, and no
// more until the next one.
func TestNeighboursThatAgreeAreSilent(t *testing.T) {
	n := protocoltest.New(t, phases(protocoltest.Path(2), dp.EachLaplace))
	for range 3 {
		for range 200 {
			n.Pull(t, 1, 0, 1)
		}
		if got := sent(t, n, 60, rows.PhasesDigest, 0, nil) + sent(t, n, 60, rows.PhasesWant, 0, nil); got > 2 {
			t.Errorf("%d digests of peer 0 in the first rounds, want up to 2", got)
		}
		for peer := range protocol.Peer(2) {
			if got := sent(t, n, 10_000, rows.PhasesDigest, peer, nil); got > 0 {
				t.Errorf("%d digests of peer %d after both agree", got, peer)
			}
		}
	}
}

// TestDigestsRest for a neighbour that does not answer, and once it does, it gets what it missed.
func TestDigestsRest(t *testing.T) {
	n := protocoltest.New(t, phases(protocoltest.Path(2), dp.EachLaplace))
	for range 4 {
		n.Pull(t, 0, 0, 1)
	}
	all := func(protocoltest.Parcel) bool { return true }
	n.Underway = nil
	if got := sent(t, n, 20*256, rows.PhasesDigest, 0, all); got < 10 || got > 30 {
		t.Errorf("%d digests in the first rounds", got)
	}
	if got := sent(t, n, 100*20*256, rows.PhasesDigest, 0, all); got < 100 || got > 110 {
		t.Errorf("%d digests in the next, want one in 20 times 256 rounds", got)
	}
	if sent(t, n, 20*256, rows.PhasesDigest, 0, nil); len(rows.NewestRows(n.Peers[1].Protocol)) != 1 {
		t.Error("the row is not pulled")
	}
}

// TestRowsDoNotGoRoundInCircles: a peer passes a row on to those that the one before has not
// sent it to.
func TestRowsDoNotGoRoundInCircles(t *testing.T) {
	for name, x := range map[string]struct {
		g    protocoltest.Graph
		want int
	}{
		"complete": {protocoltest.Complete(5), 4},
		"path":     {protocoltest.Path(5), 4},
		"ring":     {protocoltest.Ring(6), 7},
	} {
		n := protocoltest.New(t, phases(x.g, dp.EachLaplace))
		for range 4 {
			n.Pull(t, 0, 0, 1)
		}
		sent := 0
		for range 10 {
			for _, p := range n.Underway {
				if p.Message.Kind() == rows.PhasesRow {
					sent++
				}
			}
			n.Play(t, nil)
		}
		for i, p := range n.Peers {
			if len(rows.NewestRows(p.Protocol)) != 1 {
				t.Errorf("%s: peer %d has no row", name, i)
			}
		}
		if sent != x.want {
			t.Errorf("%s: the row was sent %d times, want %d", name, sent, x.want)
		}
	}
}

// TestGapsAndForksHeal: peers that lack different rows of one origin, and peers to which an origin
// has sent different rows with one number, come to have the same rows, though no other peer has any
// of them.
func TestGapsAndForksHeal(t *testing.T) {
	for _, what := range []string{"gap", "fork"} {
		n := protocoltest.New(t, phases(protocoltest.Complete(3), dp.EachLaplace))
		n.Hostile = true
		var signed []protocol.Message
		for arm := range 2 {
			for range 4 {
				n.Pull(t, 2, arm, 1)
			}
			signed = append(signed, n.Underway[len(n.Underway)-1].Message)
			n.Underway = nil
		}
		if what == "fork" {
			d := protocoltest.DraftOf(signed[0])
			f := d.Body[0].Fields()
			f.Value[0]++
			x := require.Value(dp.Received(vouch.For(f)))(t)
			d.Body = []dp.Release{x}
			signed[1] = d.Signed(protocoltest.Keys(2))
		}
		for peer, row := range signed {
			require.Value(n.Deliver(t, peer, protocol.Delivery{From: 2, Message: row}))(t)
		}
		n.Underway = nil
		sent(t, n, 100, 0, 0, func(p protocoltest.Parcel) bool { return p.From == 2 || p.To == 2 }) // which is silent
		a, b := rows.NewestRows(n.Peers[0].Protocol), rows.NewestRows(n.Peers[1].Protocol)
		if !slices.EqualFunc(a, b, func(x, y protocol.Message) bool { return x.Frame() == y.Frame() }) || what == "gap" && len(a) != 2 {
			t.Errorf("%s: one holds %d signed and the other %d, or not the same", what, len(a), len(b))
		}
	}
}

// TestAGapIsFilledAlone: a neighbour that lacks a row of one origin is sent only that origin's
// rows.
func TestAGapIsFilledAlone(t *testing.T) {
	n := protocoltest.New(t, phases(protocoltest.Complete(3), dp.EachLaplace))
	for arm := range 2 {
		for _, peer := range []int{0, 2} {
			for range 4 {
				n.Pull(t, peer, arm, 1)
			}
		}
	}
	n.Underway = slices.DeleteFunc(n.Underway, func(p protocoltest.Parcel) bool { // arm 0 of peer 2 is lost on its way to peer 1
		return p.From == 2 && p.To == 1 && p.Message.Label().Stream == 0
	})
	n.Play(t, nil)
	silent := func(p protocoltest.Parcel) bool { return p.From == 2 || p.To == 2 }
	if got := sent(t, n, 100, rows.PhasesRow, 0, silent); got != 2 || len(rows.NewestRows(n.Peers[1].Protocol)) != 4 {
		t.Errorf("%d rows were sent to fill a gap, want those of 2 arms", got)
	}
}

// TestANeighbourThatForgotIsServed: a peer that holds less than before, and says so, gets it again
// though its neighbour knew that it had it.
func TestANeighbourThatForgotIsServed(t *testing.T) {
	s := phases(protocoltest.Path(2), dp.EachLaplace)
	n := protocoltest.New(t, s)
	for range 4 {
		n.Pull(t, 0, 0, 1)
	}
	sent(t, n, 1000, 0, 0, nil)
	n.Peers[1] = s.Peer(t, 1, 1)
	sent(t, n, 30, 0, 0, nil)
	if len(rows.NewestRows(n.Peers[1].Protocol)) != 1 {
		t.Error("the row is not served again")
	}
}
