package table_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/epochs"
	"peerd.dev/protocol/shuffling"
)

// FuzzDecode and FuzzParseRelease are with the codec's other tests.

// listener is a protocol of peer 1 of 4, whose neighbours are 0 and 2. It believes every
// signature, as if liars had the keys, and has no rewards.
type listener struct {
	name   string
	params protocol.Params
	protocol.Protocol
}

type gullible struct{ protocoltest.Keys }

func (gullible) Verify(protocol.Peer, []byte, []byte) bool { return true }

func listeners(t testing.TB) (all []listener) {
	for _, e := range papers.All() {
		parts, width := 2, 1
		if protocol.TraitsOf(e).Wide { // as in what is heard
			parts, width = 1, 4
		}
		for _, params := range withRole(variants(e)) {
			p := require.Value(protocol.New(params, protocol.Config{
				Self: 1, Graph: protocoltest.Path(4), Parts: parts, Width: width, Keys: vouch.For[protocol.Keys](gullible{1}), Charge: dp.Charge{Dim: width, Hi: 1 << 20, Leaves: 64},
				Rand: rand.New(rand.NewPCG(1, 1)), Secret: rand.New(rand.NewPCG(1, 2)),
			}))(t)
			all = append(all, listener{fmt.Sprintf("%s %+v", e.Words().Name, params), params, p})
		}
	}
	return all
}

// withRole adds parameters with which peer 1 has the role that the protocol has for one peer.
func withRole(all []protocol.Params) []protocol.Params {
	for i, params := range all {
		switch p := params.(type) {
		case shuffling.Params: // peer 1 is a silo, the shuffler, or the analyzer, and has a neighbour to hear from
			for _, role := range [][2]int{{3, 4}, {2, 1}, {3, 2}} {
				p.Shuffler, p.Analyzer, p.Deadline = role[0], role[1], 2
				all = append(all, p)
			}
			all[i], all = all[len(all)-1], all[:len(all)-1]
		case batches.BatchParams:
			if p.Hops > 0 {
				continue
			}
			p.Analyzer = 2
			all = append(all, p)
		case epochs.CoordinatorParams:
			p.Coordinator = 2
			all = append(all, p)
		case epochs.SinkParams:
			p.Server = 2
			all = append(all, p)
		}
	}
	return all
}

// check fails for a belief that no learner could use.
func (l listener) check(t *testing.T) {
	t.Helper()
	b := l.Belief()
	for k := range b.X {
		checkNumber(t, l.name+": mean", b.X[k], -math.MaxFloat64, math.MaxFloat64)
	}
	for k := range b.SampleVar {
		checkNumber(t, l.name+": sample variance", b.SampleVar[k], 0, math.Inf(1))
		checkNumber(t, l.name+": noise", b.LaplaceSumSq[k], 0, math.MaxFloat64)
		checkNumber(t, l.name+": scale", b.LaplaceMax[k], 0, math.MaxFloat64)
		checkNumber(t, l.name+": Gaussian noise", b.GaussVar[k], 0, math.MaxFloat64)
	}
}

func (l listener) state(t *testing.T) []byte {
	t.Helper()
	s := require.Value(l.Save())(t)
	return s.Encode()
}

// heard returns what peer 1 of a path of four hears while a protocol is played without noise, from its
// neighbours in turn: where one says two things at once, a frame that no protocol knows stands between.
func heard(t testing.TB, params protocol.Params) (ms []protocol.Message) {
	t.Helper()
	s := protocoltest.Setting{Params: params, Graph: protocoltest.Path(4), Arms: 2, Rounds: 64, Mechanism: dp.None}
	s.Learner = func() bandit.Learner { return suited(s, 2) }
	n := protocoltest.New(t, s)
	pull := n.Choices(1)
	for range 24 {
		n.Play(t, pull)
		for _, p := range n.Underway {
			if p.To != 1 {
				continue
			}
			if int(p.From) != len(ms)%2*2 {
				ms = append(ms, protocol.Presence(p.From, 0))
			}
			ms = append(ms, p.Message)
		}
	}
	return ms
}

// TestWhatIsHeardIsTaken: what FuzzReceive begins with gets past the checks of the protocol that it is of.
func TestWhatIsHeardIsTaken(t *testing.T) {
	for _, l := range listeners(t) {
		taken, all := make(map[protocol.Kind]int), 0
		for i, m := range heard(t, l.params) {
			if m.IsPresence() {
				continue
			}
			all++
			var out protocol.Outbox
			if err := l.Receive(protocol.Peer(i%2*2), m, &out); err == nil {
				taken[m.Kind()]++
			} else {
				t.Logf("%s: %v", l.name, err)
			}
			l.check(t)
		}
		t.Logf("%s: of %d messages these were taken, by kind: %v", l.name, all, taken)
		if all < 4 || len(taken) == 0 {
			t.Errorf("%s: of %d messages %v were taken: the seeds try little", l.name, all, taken)
		}
	}
}

// FuzzReceive gives every protocol any messages from both neighbours in turn: one that is
// refused has changed and sent nothing, and what the others make leaves a belief of
// numbers, and answers that fit a frame.
func FuzzReceive(f *testing.F) {
	for _, seed := range receiveSeeds() {
		f.Add(seed)
	}
	for _, l := range listeners(f) {
		var b []byte
		for _, m := range heard(f, l.params) {
			b = protowire.AppendBytes(b, protocol.Encode(nil, m))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var ms []protocol.Message
		for len(b) > 0 {
			frame, n := protowire.ConsumeBytes(b)
			if n < 0 {
				break
			}
			if m, err := protocol.Decode(vouch.For(frame)); err == nil {
				ms = append(ms, m)
			}
			b = b[n:]
		}
		if len(ms) == 0 {
			return
		}
		for _, l := range listeners(t) {
			var out protocol.Outbox
			openQuestion(t, l.params, l.Protocol)
			for i, m := range ms {
				out.Reset()
				before := l.state(t)
				if err := l.Receive(protocol.Peer(i%2*2), m, &out); err != nil &&
					(!errors.Is(err, protocol.ErrPeer) || len(out.Envelopes()) > 0 || !bytes.Equal(l.state(t), before)) {
					t.Fatalf("%s: %v, %d messages sent", l.name, err, len(out.Envelopes()))
				}
				for _, e := range out.Envelopes() {
					protocoltest.Carry(t, e.Message)
				}
				l.check(t)
			}
		}
	})
}

// TestAStateOfAnotherModuleIsRefused: what another module has saved, be it the very bytes of a protocol's own state, is
// read by none of these.
func TestAStateOfAnotherModuleIsRefused(t *testing.T) {
	fresh := listeners(t)
	for i, l := range listeners(t) {
		if err := fresh[i].Load(protocol.Saved(l.state(t))); !errors.Is(err, protocol.ErrState) {
			t.Errorf("%s: %v, want %v", l.name, err, protocol.ErrState)
		}
		if err := listeners(t)[i].Load(protocol.SavedInside(vouch.For(l.state(t)))); err != nil {
			t.Errorf("%s: %v", l.name, err)
		}
	}
}

// FuzzLoad: a state that is taken is saved again, and one that is not is damaged.
func FuzzLoad(f *testing.F) {
	for i, l := range listeners(f) {
		s := require.Value(l.Save())(f)
		f.Add(uint8(i), s.Encode())
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		all := listeners(t)
		l := all[int(which)%len(all)]
		if err := l.Load(protocol.SavedInside(vouch.For(b))); err != nil {
			if !errors.Is(err, protocol.ErrState) && !errors.Is(err, dp.ErrState) {
				t.Fatal(err)
			}
			return
		}
		l.Belief()
		l.state(t)
	})
}
