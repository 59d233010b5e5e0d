package rows_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// phases returns a setting of protocol phases, first 4 and half of what is closed.
func phases(g protocoltest.Graph, m dp.Mechanism) protocoltest.Setting {
	return protocoltest.Setting{
		Graph: g, Arms: 2, Rounds: 10_000, Mechanism: m,
		Params: rows.PhasesParams{First: 4, Growth: .5, Pull: 20, Merge: rows.MergeMean, F: 1},
	}
}

// TestRowsHoldAllBatches: the sum of all that they released, the number of rewards in them,
// and a term of noise for each; and a belief is of released batches alone.
func TestRowsHoldAllBatches(t *testing.T) {
	for _, m := range []dp.Mechanism{dp.EachLaplace, dp.None} {
		n := protocoltest.New(t, phases(protocoltest.Path(2), m))
		for i := range 30 { // 4, 4, 4, 6 and 9 make 27
			n.Play(t, func(peer int) (int, float64) { return peer, float64(i % 2) })
		}
		n.Play(t, nil)
		for _, p := range n.Peers {
			rows := rows.NewestRows(p.Protocol) // peer i pulls arm i
			if len(rows) != 2 {
				t.Fatalf("%v: %d rows", m, len(rows))
			}
			for arm, row := range rows {
				if row.Body() != 1 || row.Label().Seq != 5 {
					t.Fatalf("%v: row %d of %d sums", m, row.Label().Seq, row.Body())
				}
				x := row.Release(0)
				sum, terms := int64(0), uint32(0)
				for _, o := range n.Peers[arm].Released {
					if sum += o.Leaf.Sum.Value(0); m == dp.None { // running sums
						sum = o.Leaf.Sum.Value(0)
					} else {
						terms += o.Leaf.Sum.Noise().VarianceUnits
					}
				}
				if int(x.Stream()) != arm || x.Count(0) != 27 || x.Value(0) != sum || x.Noise().VarianceUnits != terms {
					t.Errorf("%v: %+v, want 27 rewards, sum %d and noise %d", m, x.Fields(), sum, terms)
				}
				b := p.Belief()
				noise := x.NoiseMoments().Over(27)
				if b.X[arm] != x.At(0)/27 || math.Abs(b.SampleVar[arm]-1./27) > 1e-15 || b.LaplaceSumSq[arm] != noise.LaplaceSumSq {
					t.Errorf("%v: mean %v of %v rewards, want %v of 27", m, b.X[arm], 1/b.SampleVar[arm], x.At(0)/27)
				}
				if sites := b.Sites[arm]; len(sites) != 1 || sites[0].N != 27 || sites[0].LaplaceMax != noise.LaplaceMax {
					t.Errorf("%v: rests on %+v", m, sites)
				}
			}
		}
	}
}

// TestAFullBatchWaitsForRewards as if they had paid what is known, and no longer.
func TestAFullBatchWaitsForRewards(t *testing.T) {
	n := protocoltest.New(t, phases(protocoltest.Graph{nil}, dp.EachLaplace))
	for range 4 {
		n.Pull(t, 0, 0, 1)
	}
	b := n.Peers[0].Belief()
	if b.SampleVar[0] != .25 {
		t.Fatalf("variance %v after a batch of 4", b.SampleVar[0])
	}
	var routes []func()
	for i := range 4 {
		r := n.Choose(0, 0)
		routes = append(routes, func() { n.Reward(t, 0, r, 0, 1) })
		want := .25
		if i == 3 {
			want = .125
		}
		if got := n.Peers[0].Belief().SampleVar[0]; got != want {
			t.Errorf("variance %v with %d choices open, want %v", got, i+1, want)
		}
	}
	for _, reward := range routes {
		reward()
	}
	n.Choose(0, 0)
	if got := n.Peers[0].Belief().SampleVar[0]; got != .125 {
		t.Errorf("variance %v after a batch of 8 and a choice", got)
	}
}

// TestALaggardCatchesUp: an arm comes first as long as another peer has released more
// rewards of it than this one has pulled.
func TestALaggardCatchesUp(t *testing.T) {
	n := protocoltest.New(t, phases(protocoltest.Path(2), dp.EachLaplace))
	for range 10 {
		n.Play(t, func(peer int) (int, float64) { return peer, 1 })
	}
	for pulled := range 9 { // 4 and 4 of 10 are released
		if got := n.Peers[0].Belief().Forced; slices.Contains(got, 1) != (pulled < 8) {
			t.Fatalf("after %d pulls %v are forced", pulled, got)
		}
		n.Pull(t, 0, 1, 1)
	}
}

// TestClaimsForceFewPulls: a peer that states 10,000 rewards of every arm, as many as the
// horizon allows, signed with its own key, forces 4 ln t + N pulls of each. With merge trimmed it forces none that the others
// do not.
func TestClaimsForceFewPulls(t *testing.T) {
	for _, merge := range []rows.Merge{rows.MergeMean, rows.MergeTrimmed} {
		s := phases(protocoltest.Complete(4), dp.EachLaplace)
		s.Params = rows.PhasesParams{First: 4, Growth: .5, Pull: 20, Merge: merge, F: 1}
		n := protocoltest.New(t, s)
		n.Hostile = true
		for arm := range dp.StreamID(2) {
			lie := protocoltest.Draft{Kind: rows.PhasesRow, Label: protocol.Label{Origin: 3, Stream: arm, Seq: 1 << 30}}
			x := require.Value(dp.Received(vouch.For(dp.Fields{
				Stream: arm, Span: dp.Span{To: 20}, Count: []uint64{10_000}, Value: []int64{0}, Exponent: dp.GridExponent,
				Noise: dp.Noise{Scale: 1 << 20, VarianceUnits: 20 * dp.VarianceScale},
			})))(t)
			lie.Body = []dp.Release{x}
			require.Value(n.Deliver(t, 0, protocol.Delivery{From: 3, Message: lie.Signed(protocoltest.Keys(3))}))(t)
		}
		forced := make([]float64, 2)
		const rounds = 3000
		for range rounds {
			n.Play(t, func(peer int) (int, float64) {
				if peer == 0 {
					if arms := n.Peers[0].Belief().Forced; len(arms) > 0 {
						forced[arms[0]]++
						return arms[0], 1
					}
				}
				return 0, 1
			})
		}
		most := 4*math.Log(rounds) + 4 + 1
		if merge == rows.MergeTrimmed {
			most = 0
		}
		if forced[1] > most || merge == rows.MergeMean && forced[1] < most/2 {
			t.Errorf("%s: %v pulls were forced, want up to %v", merge, forced, most)
		}
	}
}

// TestWhoComesLateIsOfUse: within rounds it has what the others know, catches up with their
// arms first, and its first batches are with them.
func TestWhoComesLateIsOfUse(t *testing.T) {
	s := phases(protocoltest.Complete(4), dp.EachLaplace)
	n := protocoltest.New(t, s)
	loss := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 2)), Cut: func(from, to protocol.Peer) bool { return from == 3 || to == 3 }}
	pull := func(peer int) (int, float64) { return leastPulled(n.Peers[peer]), .5 }
	for range 2000 {
		n.Play(t, func(peer int) (int, float64) {
			if peer == 3 {
				return 0, 0
			}
			return pull(peer)
		})
		loss.Befall(n)
	}
	n.Peers[3] = s.Peer(t, 3, 0)
	for range 80 {
		n.Play(t, pull)
	}
	for i, p := range n.Peers {
		if got := len(rows.NewestRows(p.Protocol)); got != 8 {
			t.Errorf("peer %d holds %d rows 80 rounds after peer 3 has come, want one of each of 4 peers and 2 arms", i, got)
		}
	}
}

// TestAPeerIsAheadOfOneThatIsAway, of the arms of which it has a few times as many rewards; not
// of one that is not known yet, not of its equals, with merge trimmed not of a few, and not of one that has left the
// estimates.
func TestAPeerIsAheadOfOneThatIsAway(t *testing.T) {
	for _, c := range []struct {
		merge rows.Merge
		known bool // the third peer has sent a batch before it leaves
		ahead bool
	}{
		{rows.MergeMean, true, true},
		{rows.MergeMean, false, false},
		{rows.MergeTrimmed, true, false},
	} {
		s := phases(protocoltest.Complete(3), dp.EachLaplace)
		s.Params = rows.PhasesParams{First: 4, Growth: .5, Pull: 20, Merge: c.merge, F: 1}
		n := protocoltest.New(t, s)
		loss := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 2)), Cut: func(from, to protocol.Peer) bool { return from == 2 || to == 2 }}
		play := func(from, to int, want bool) {
			for round := from; round < to; round++ {
				arm := round % 2
				if round >= 40 {
					arm = 0
				}
				n.Play(t, func(int) (int, float64) { return arm, .5 })
				if round >= 12 || !c.known {
					loss.Befall(n)
				}
			}
			for i, p := range n.Peers[:2] {
				for arm := range 2 {
					if got := p.Belief().IsAhead(arm); got != want {
						t.Errorf("%+v: after %d rounds peer %d is ahead in arm %d: %v", c, to, i, arm, got)
					}
				}
			}
		}
		// Both have released some 40 rewards of arm 0 and 18 of arm 1, and know of 4 of peer 2.
		play(0, 80, c.ahead)
		play(80, 120, false)
	}
}

// TestAWindowForgets: at its end all beliefs are empty, batches are short again, and earlier rows
// count no more, not even for a peer that gets them late.
func TestAWindowForgets(t *testing.T) {
	s := phases(protocoltest.Path(3), dp.EachLaplace)
	s.Params = rows.PhasesParams{First: 4, Growth: .5, Window: 100, Pull: 20, Merge: rows.MergeMean, F: 1}
	n := protocoltest.New(t, s)
	loss := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 2)), Cut: func(from, to protocol.Peer) bool { return from == 2 || to == 2 }}
	known := func() (sites [3]int) {
		for i, p := range n.Peers {
			sites[i] = len(p.Belief().Sites[0])
		}
		return sites
	}
	for round := range 250 {
		n.Play(t, func(int) (int, float64) { return 0, .5 })
		if round < 150 {
			loss.Befall(n)
		}
		switch got := known(); {
		case round == 98 && got != [3]int{2, 2, 1}, round == 99 && got != [3]int{}, round == 190 && got != [3]int{3, 3, 3}, round == 199 && got != [3]int{}:
			t.Fatalf("after %d rounds means are over %v sites", round+1, got)
		}
		if b := n.Peers[0].Belief(); round == 103 && (b.Sites[0][0].N != 4 || b.Pulls[0] != 4) {
			t.Fatalf("4 rounds after a window rests on %+v and %d pulls", b.Sites[0], b.Pulls[0])
		}
	}
	for i, p := range n.Peers {
		saved := require.Value(p.Protocol.Save())(t)
		again := s.Peer(t, protocol.Peer(i), 0)
		require.NoError(t, again.Protocol.Load(saved))
		if want, got := p.Belief().Sites[0], again.Protocol.Belief().Sites[0]; !reflect.DeepEqual(got, want) || len(got) != 3 {
			t.Errorf("peer %d knows %+v after a restart, want %+v", i, got, want)
		}
		for _, row := range rows.NewestRows(p.Protocol) {
			if row.Label().Seq>>32 != 2 {
				t.Errorf("peer %d holds a row of window %d", i, row.Label().Seq>>32)
			}
		}
	}
}

// TestNoWindowWithRunningSums, which hold all that came before.
func TestNoWindowWithRunningSums(t *testing.T) {
	s := phases(protocoltest.Path(2), dp.None)
	s.Params = rows.PhasesParams{First: 4, Growth: .5, Window: 100, Pull: 20, Merge: rows.MergeMean, F: 1}
	spec := node.Spec{
		Arms: s.Arms, Graph: s.Graph, Protocol: s.Params, Learner: learner.KLUCBParams{Level: learner.TwoLog},
		Privacy: node.Privacy{Mode: dp.Lockstep, Budget: account.Unlimited, Mechanism: s.Mechanism, RecordsPerUser: 1, Horizon: s.Rounds},
	}
	if _, err := spec.Agent(node.PeerConfig{Keys: vouch.For[protocol.Keys](protocoltest.Keys(0))}); err == nil || !strings.Contains(err.Error(), "window of 100 rounds with mechanism none") {
		t.Errorf("a window with sums that hold everything: %v", err)
	}
}

// leastPulled returns what a learner of the tests chooses.
func leastPulled(p *protocoltest.Peer) int {
	b := p.Belief()
	if len(b.Forced) > 0 {
		return b.Forced[0]
	}
	return slices.Index(b.Pulls, slices.Min(b.Pulls))
}

// TestForgedBatchesAreRefused, with what no origin that follows the rules signs.
func TestForgedBatchesAreRefused(t *testing.T) {
	n := protocoltest.New(t, phases(protocoltest.Complete(3), dp.EachLaplace))
	for range 20 {
		n.Play(t, func(int) (int, float64) { return int(n.Round) % 2, 1 })
	}
	n.Hostile = true
	held := rows.NewestRows(n.Peers[0].Protocol)
	theirs, other := protocoltest.DraftOf(held[4]), protocoltest.DraftOf(held[5]) // of peer 2, arms 0 and 1
	theirs.Label.Seq += 2
	first := theirs.Body[0].Fields()
	release := func(change func(*dp.Fields)) dp.Release {
		f := first
		f.Count, f.Value = slices.Clone(f.Count), slices.Clone(f.Value)
		change(&f)
		return require.Value(dp.Received(vouch.For(f)))(t)
	}
	for what, body := range map[string][]dp.Release{
		"nothing":                   nil,
		"two arms":                  {theirs.Body[0], other.Body[0]},
		"another arm":               other.Body,
		"no reward":                 {release(func(f *dp.Fields) { f.Count[0] = 0 })},
		"two values":                {release(func(f *dp.Fields) { f.Value = append(f.Value, 1) })},
		"a lattice of its own":      {release(func(f *dp.Fields) { f.Exponent = 3 })},
		"counts without any reward": {release(func(f *dp.Fields) { f.Value = nil })},
		"less noise than charged":   {release(func(f *dp.Fields) { f.Noise.Scale /= 2 })},
		"no noise":                  {release(func(f *dp.Fields) { f.Noise = dp.Noise{} })},
		"fewer draws than batches":  {release(func(f *dp.Fields) { f.Noise.VarianceUnits -= dp.VarianceScale })},
		"more draws than rewards":   {release(func(f *dp.Fields) { f.Span.To, f.Noise.VarianceUnits = 20, 20*dp.VarianceScale })},
		"more draws than leaves":    {release(func(f *dp.Fields) { f.Noise.VarianceUnits += dp.VarianceScale })},
		"more noise than charged":   {release(func(f *dp.Fields) { f.Noise.Scale++ })},
		"more than rewards can be":  {release(func(f *dp.Fields) { f.Value[0] += 1000 << 20 })},
	} {
		for life := range uint32(2) {
			m := theirs
			m.Body, m.Label.Incarnation = body, life
			if _, err := n.Deliver(t, 0, protocol.Delivery{From: 1, Message: m.Signed(protocoltest.Keys(2))}); !errors.Is(err, protocol.ErrPeer) {
				t.Errorf("%s, life %d: %v, want ErrPeer", what, life, err)
			}
		}
	}
	third := theirs
	third.Label.Stream, third.Body = 2, []dp.Release{release(func(f *dp.Fields) { f.Stream = 2 })}
	if _, err := n.Deliver(t, 0, protocol.Delivery{From: 1, Message: third.Signed(protocoltest.Keys(2))}); !errors.Is(err, protocol.ErrPeer) {
		t.Errorf("an arm that there is not: %v, want ErrPeer", err)
	}
	if _, err := n.Deliver(t, 0, protocol.Delivery{From: 1, Message: theirs.Signed(protocoltest.Keys(1))}); !errors.Is(err, protocol.ErrPeer) {
		t.Errorf("signed by another: %v, want ErrPeer", err)
	}
	if _, err := n.Deliver(t, 0, protocol.Delivery{From: 1, Message: theirs.Signed(protocoltest.Keys(2))}); err != nil {
		t.Errorf("the origin's own: %v", err)
	}
}

// TestTheFirstBatchFitsTheBudget: 3/ε rewards, 4 at least, unless the parameters say how many.
func TestTheFirstBatchFitsTheBudget(t *testing.T) {
	e := require.Value(protocoltest.Lookup(papers.All(), "phases"))(t)
	for epsilon, want := range map[float64]uint64{math.Inf(1): 4, 5: 4, 1: 4, .5: 6, .1: 30, .07: 43} {
		fitted := protocol.Fit(e, epsilon)
		if got := fitted.(rows.PhasesParams).First; got != want || fitted.Cadence().First != want {
			t.Errorf("ε = %v: first %d, want %d", epsilon, got, want)
		}
	}
	own := e.(rows.PhasesParams)
	own.First = 7
	if got := protocol.Fit(own, .1); got != own {
		t.Errorf("%+v was made of %+v", got, own)
	}
}

// TestALostLifeBeginsWithTheFirstBatch: after a recovery the protocol knows none of its
// batches, and a batch as long as half of them would keep its peer silent for long.
func TestALostLifeBeginsWithTheFirstBatch(t *testing.T) {
	s := phases(protocoltest.Graph{nil}, dp.EachLaplace)
	n := protocoltest.New(t, s)
	for range 100 {
		n.Pull(t, 0, 0, 1)
	}
	state, next, err := n.Peers[0].AbandonLeaves(5)
	if err != nil {
		t.Fatal(err)
	}
	p := s.Peer(t, 0, 1)
	require.NoError(t, p.Load(state))
	n.Peers[0] = p
	for range 4 {
		n.Pull(t, 0, 0, 1)
	}
	if len(p.Released) != 1 || p.Released[0].Number != next[0] || p.Released[0].Leaf.Sum.Count(0) != 4 {
		t.Fatalf("after 4 pulls %d leaves have closed, want one of 4 rewards with number %d", len(p.Released), next[0])
	}
	if b := p.Belief(); b.SampleVar[0] != .25 || b.Sites[0][0].N != 4 {
		t.Errorf("rests on %+v, want 4 rewards", b.Sites[0])
	}
}
