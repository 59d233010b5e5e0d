package averaging

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// middle returns peer 1 of a network of 5, whose neighbours are 0, 2 and 4.
func middle(t *testing.T, p AverageParams) *average {
	t.Helper()
	p.Rate, p.Patience = .5, 8
	made := require.Value(protocol.New(p, protocol.Config{
		Self: 1, Incarnation: 7, Graph: [][]protocol.Peer{{1}, {0, 2, 4}, {1}, {}, {1}}, Parts: 2, Width: 1, Rand: rand.New(rand.NewPCG(1, 1)),
	}))(t)
	return made.(*average)
}

func countsOf(n ...uint64) (r dp.Release) {
	c := averages.NewCounts(len(n))
	f, err := dp.Received(vouch.For(dp.Fields{Count: n}))
	if err != nil {
		panic(err)
	}
	if err = c.RaiseToMax(&f); err != nil {
		panic(err)
	}
	return c.Release()
}

func valuesOf(v ...int64) dp.Release {
	r, err := dp.Received(vouch.For(dp.Fields{Value: v, Exponent: averages.MeanExponent}))
	if err != nil {
		panic(err)
	}
	return r
}

func saved(t *testing.T, a *average) []byte {
	t.Helper()
	b := require.Value(a.Save())(t)
	return b.Encode()
}

// TestAverageHearsNeighboursAlone: a message that a neighbour passes on, or that is of no neighbour,
// is refused and changes nothing, whatever it says.
func TestAverageHearsNeighboursAlone(t *testing.T) {
	for _, kind := range []protocol.Kind{averageCounts, averageAsk, averageDelta, averageBusy} {
		for _, c := range []struct {
			from, origin protocol.Peer
		}{{0, 2}, {2, 3}, {3, 3}, {3, 2}, {1, 1}, {5, 5}} {
			a := middle(t, AverageParams{Consistency: Max, F: 1})
			before := saved(t, a)
			d := protocoltest.Draft{Kind: kind, Label: protocol.Label{Origin: c.origin, Incarnation: 1, Seq: 1}}
			if kind == averageCounts {
				d.Body = []dp.Release{countsOf(9, 9)}
			} else if kind != averageBusy {
				d.Body = []dp.Release{valuesOf(1<<30, 1<<30), countsOf(9, 9)}
			}
			m := d.Message()
			var out protocol.Outbox
			if err := a.Receive(c.from, m, &out); !errors.Is(err, protocol.ErrPeer) {
				t.Errorf("kind %d of peer %d from peer %d: %v, want %v", kind, c.origin, c.from, err, protocol.ErrPeer)
			}
			if !bytes.Equal(saved(t, a), before) || len(out.Envelopes()) > 0 {
				t.Errorf("kind %d of peer %d from peer %d changes something", kind, c.origin, c.from)
			}
		}
	}
}

// TestAnAnswerToAnotherLifeIsPassedOver: after a recovery questions are numbered from 1 again, and an
// answer that the life before asked for must not be subtracted.
func TestAnAnswerToAnotherLifeIsPassedOver(t *testing.T) {
	a := middle(t, AverageParams{Consistency: Max, F: 1})
	var out protocol.Outbox
	i := a.link(2)
	a.ask(i, 5, &out)
	before := saved(t, a)
	answer := func(ref protocol.Label) error {
		return a.Receive(2, protocoltest.Draft{
			Kind: averageDelta, Label: protocol.Label{Origin: 2, Incarnation: 1, Seq: ref.Seq}, Refs: []protocol.Label{ref},
			Body: []dp.Release{valuesOf(1<<20, 1<<20), countsOf(1, 1)},
		}.Message(), &out)
	}
	for _, ref := range []protocol.Label{{Origin: 1, Incarnation: 6, Seq: 1}, {Origin: 1, Incarnation: 8, Seq: 1}, {Origin: 2, Incarnation: 7, Seq: 1}, {Origin: 1, Incarnation: 7, Seq: 2}} {
		if err := answer(ref); err != nil || !bytes.Equal(saved(t, a), before) {
			t.Errorf("an answer to %+v is taken: %v", ref, err)
		}
	}
	if err := answer(protocol.Label{Origin: 1, Incarnation: 7, Seq: 1}); err != nil || a.OpenQuestions() != 0 {
		t.Errorf("the answer is not taken: %v", err)
	}
}

// TestLiarsForceWhatTheRuleAllows: of three neighbours one claims a million pulls. Max believes it,
// robust does not, and capped allows 4 ln t + 5 pulls.
func TestLiarsForceWhatTheRuleAllows(t *testing.T) {
	const rounds = 1000
	for _, c := range []struct {
		p        AverageParams
		min, max int
	}{
		{AverageParams{Consistency: Max, F: 1}, rounds, rounds},
		{AverageParams{Consistency: Robust, F: 1}, 0, 0},
		{AverageParams{Consistency: Capped, F: 1}, 20, 33},
	} {
		a := middle(t, c.p)
		var out protocol.Outbox
		forced := 0
		for round := range protocol.Round(rounds) {
			for _, from := range []protocol.Peer{0, 2, 4} {
				claim := uint64(round)
				if from == 2 {
					claim = 1_000_000
				}
				m := protocoltest.Draft{Kind: averageCounts, Label: protocol.Label{Origin: from, Seq: uint64(round) + 1}, Body: []dp.Release{countsOf(claim, claim)}}.Message()
				require.NoError(t, a.Receive(from, m, &out))
			}
			// Own pulls keep up with the honest ones.
			arm := 0
			if b := a.Belief(); len(b.Forced) > 0 {
				forced, arm = forced+1, b.Forced[0]
			}
			a.Chosen(arm)
			a.Chosen(1 - arm)
			require.NoError(t, a.Tick(round, &out))
			out.Reset()
		}
		if forced < c.min || forced > c.max {
			t.Errorf("%s: %d rounds of %d are forced, want %d to %d", c.p.Consistency, forced, rounds, c.min, c.max)
		}
	}
}

// TestAnOldClaimReplacesNoNewerOne, though it may come after it.
func TestAnOldClaimReplacesNoNewerOne(t *testing.T) {
	a := middle(t, AverageParams{Consistency: Robust, F: 1})
	var out protocol.Outbox
	claim := func(from protocol.Peer, seq, n uint64) {
		m := protocoltest.Draft{Kind: averageCounts, Label: protocol.Label{Origin: from, Seq: seq}, Body: []dp.Release{countsOf(n, n)}}.Message()
		require.NoError(t, a.Receive(from, m, &out))
	}
	claim(0, 2, 100)
	claim(0, 1, 50)
	claim(0, 2, 60)
	claim(2, 1, 100)
	a.rank()
	if n := a.counts.At(0); n != 100 {
		t.Errorf("the second greatest claim is %d, want 100", n)
	}
}
