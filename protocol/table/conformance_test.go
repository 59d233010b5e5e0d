package table_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/epochs"
	"peerd.dev/protocol/running"
	"peerd.dev/protocol/shuffling"
)

// The laws that every protocol keeps. They are run over the Table with small parameters of each
// entry, in all variants, so that a new protocol is held to them by being listed.
// variants returns small parameters of a protocol: all words that they may hold, and all of
// these with an idle peer, 0, or a part of the peers, where that is up to the parameters.
func variants(e protocol.Params) []protocol.Params {
	all := protocoltest.Variants(protocol.Small(e, 2))
	for i, params := range all {
		switch p := params.(type) {
		case running.Params:
			p.Relays = 1
			all = append(all, p)
		case epochs.GISParams:
			p.Participation, p.Deadline = .6, 9
			all = append(all, p)
		case batches.BatchParams: // with and without take turns, so that few seeds have both
			p.Threshold = 3
			if all[i] = p; p.Hops > 0 {
				continue
			}
			p.Analyzer = i % 2
			all[i] = p
			p.Analyzer = 1 - p.Analyzer
			all = append(all, p)
		case epochs.CoordinatorParams:
			if p.Schedule == epochs.ByEpoch {
				p.Participation = .6
				all = append(all, p)
			}
		}
	}
	return all
}

// noised are parameters of a protocol that is run with noised counts.
type noised struct{ protocol.Params }

// settings returns the variants, and where a protocol can do without exact counts, the first
// and the last of them without.
func settings(e protocol.Params) []protocol.Params {
	all := variants(e)
	if protocol.TraitsOf(e).NoisedCounts {
		all = append(all, noised{all[0]}, noised{all[len(all)-1]})
	}
	return all
}

// conforming returns a small network of a protocol. The seeds take turns in the variants of
// its parameters.
func conforming(e protocol.Params, seed uint64) protocoltest.Setting {
	rng := rand.New(rand.NewPCG(seed, 1))
	all := settings(e)
	s := protocoltest.Setting{
		Params: all[seed%uint64(len(all))], Graph: protocoltest.Random(5, 3, rng), Arms: 2, Rounds: 64, Seed: seed,
		Mechanism: dp.Tree,
	}
	if p, ok := s.Params.(noised); ok {
		s.Params, s.Adjacency = p.Params, dp.AddOrRemove
	}
	for _, m := range dp.Mechanisms() {
		if m != dp.None && protocol.Suits(e, m) {
			s.Mechanism = m
			break
		}
	}
	if logDet(s.Params) { // of linear records, for which a budget of no δ has no noise
		s.Mechanism = dp.None
	}
	if _, ok := e.(shuffling.Params); ok {
		s.Graph = protocoltest.Star(5) // silos are linked to the shuffler
	}
	s.Learner = func() bandit.Learner { return suited(s, 2) }
	return s
}

// suited returns a learner for what the protocol of a network carries.
func suited(s protocoltest.Setting, each uint64) bandit.Learner {
	switch c := s.Params.Cadence(); {
	case c.Epochs > 0:
		return protocoltest.Explore(s.Arms, each, c.Epochs, true)
	case protocol.TraitsOf(s.Params).Wide:
		if logDet(s.Params) {
			return protocoltest.Linear(s.Arms)
		}
		return protocoltest.Vector(s.Arms)
	}
	return protocoltest.Sums(s.Arms)
}

// logDet reports whether a protocol decides by determinants what it sends.
func logDet(params protocol.Params) bool {
	switch p := params.(type) {
	case printed.LocalParams:
		return p.Schedule != batches.FixedSchedule
	case batches.BatchParams:
		return p.Schedule != batches.FixedSchedule
	}
	return false
}

// lasting returns parameters of a protocol that has epochs, with a number of them; others as
// they are.
func lasting(params protocol.Params, epochs uint64) protocol.Params {
	p := reflect.New(reflect.TypeOf(params)).Elem()
	p.Set(reflect.ValueOf(params))
	if f := p.FieldByName("Epochs"); f.IsValid() {
		f.SetUint(epochs)
	}
	return p.Interface().(protocol.Params)
}

// everyVariant runs f for each of the tables, with a network of each variant of its
// parameters.
func everyVariant(t *testing.T, f func(t *testing.T, s protocoltest.Setting)) {
	t.Helper()
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		for i, params := range settings(e) {
			t.Run(fmt.Sprintf("%+v", params), func(t *testing.T) { f(t, conforming(e, uint64(i))) })
		}
	})
}

// protocols returns the table and what papers print.
func protocols() []protocol.Params { return slices.Concat(papers.All(), printed.Protocols()) }

// everyEntry runs f for each of the tables.
func everyEntry(t *testing.T, f func(t *testing.T, e protocol.Params)) {
	t.Helper()
	for _, e := range protocols() {
		t.Run(e.Words().Name, func(t *testing.T) { f(t, e) })
	}
}

// A transcript is all that a run says and believes, in bytes.
type transcript []byte

func (tr *transcript) note(n *protocoltest.Network) {
	for _, p := range n.Underway {
		*tr = binary.BigEndian.AppendUint32(*tr, uint32(p.From))
		*tr = binary.BigEndian.AppendUint32(*tr, uint32(p.To))
		*tr = protocol.Encode(*tr, p.Message)
	}
	for _, p := range n.Peers {
		*tr = append(*tr, beliefOf(p)...)
	}
}

func beliefOf(p *protocoltest.Peer) string { return fmt.Sprintf("%v", *p.Belief()) }

func TestSameSeedSameRun(t *testing.T) {
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		run := func(seed uint64) (tr transcript) {
			n := protocoltest.New(t, conforming(e, seed))
			h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(seed, 3)), Lose: .1, Repeat: .1, Late: .2}
			pull := n.Choices(seed)
			for range 40 {
				n.Play(t, pull)
				tr.note(n)
				h.Befall(n)
			}
			return tr
		}
		all := uint64(len(settings(e)))
		for seed := range all {
			tr := run(seed)
			if !bytes.Equal(tr, run(seed)) {
				t.Errorf("two runs of seed %d differ", seed)
			}
			if bytes.Equal(tr, run(seed+all)) {
				t.Errorf("seeds %d and %d give one run: the comparison above compares nothing", seed, seed+all)
			}
		}
	})
}

// TestFaultsAreNobodysFault: what an honest peer sent may come late, twice or never. No peer panics
// or returns an error of its own. That every message survives the codec is checked wherever one is
// sent.
func TestFaultsAreNobodysFault(t *testing.T) {
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		for seed := range uint64(20) {
			n := protocoltest.New(t, conforming(e, seed))
			h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(seed, 3)), Lose: .3 * float64(seed%2), Repeat: .3, Late: .4}
			pull := n.Choices(seed)
			for range 60 {
				n.Play(t, pull) // fails on any error
				h.Befall(n)
			}
		}
	})
}

// TestSavedAtAnyPointAPeerGoesOn: peers that are put away and read again between any two
// steps, between a choice and its reward too, do what others do, bit for bit.
func TestSavedAtAnyPointAPeerGoesOn(t *testing.T) {
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		for seed := range 2 * uint64(len(settings(e))) {
			run := func(restart func(n *protocoltest.Network, i int)) (tr transcript) {
				n := protocoltest.New(t, conforming(e, seed))
				h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(seed, 3)), Lose: .1, Repeat: .1, Late: .2}
				pull := n.Choices(seed)
				for range 50 {
					for i, in := range n.Take() {
						for _, d := range in {
							require.Value(n.Deliver(t, i, d))(t)
							restart(n, i)
						}
					}
					for i := range n.Peers {
						if !n.Peers[i].Idle() {
							arm, reward := pull(i)
							route := n.Choose(i, arm)
							restart(n, i)
							n.Reward(t, i, route, arm, reward)
							restart(n, i)
						}
						n.Tick(t, i)
						restart(n, i)
					}
					n.Round++
					tr.note(n)
					h.Befall(n)
				}
				return tr
			}
			want := run(func(*protocoltest.Network, int) {})
			rng, restarts := rand.New(rand.NewPCG(seed, 5)), 0
			got := run(func(n *protocoltest.Network, i int) {
				if rng.IntN(10) == 0 {
					n.Restart(t, i, 0)
					restarts++
				}
			})
			if !bytes.Equal(got, want) {
				t.Errorf("seed %d: after %d restarts the run is another", seed, restarts)
			}
			if restarts < 50 {
				t.Errorf("%d restarts try little", restarts)
			}
		}
	})
}

// TestSilentOnceTheHorizonIsSpent: a peer whose budget paid for 8 rounds releases
// nothing of its own after them, and goes on listening.
func TestSilentOnceTheHorizonIsSpent(t *testing.T) {
	everyVariant(t, func(t *testing.T, s protocoltest.Setting) {
		s.Graph, s.Rounds = protocoltest.Complete(4), 200
		if protocol.Suits(s.Params, dp.None) {
			s.Mechanism = dp.None
		}
		s.Params = lasting(s.Params, 60)
		of := s // a learner of as many epochs
		s.Learner = func() bandit.Learner { return suited(of, 2) }
		n := protocoltest.New(t, s)
		self := slices.IndexFunc(n.Peers, func(p *protocoltest.Peer) bool { return !p.Idle() })
		s.Rounds, s.Params = 8, lasting(s.Params, 3)
		n.Peers[self] = s.Peer(t, protocol.Peer(self), 0)
		cadence := s.Params.Cadence()
		leaves := cadence.Leaves(s.Rounds)
		reward := 0.
		pull := func(i int) (int, float64) { return (int(n.Round) + i) % s.Arms, reward }
		for range 40 {
			n.Play(t, pull)
		}
		p := n.Peers[self]
		leafs, before := p.Leaves(), beliefOf(p)
		streams := cadence.Streams(suited(s, 2).Statistic().Parts)
		if !p.Over() || leafs > streams*int(leaves) {
			t.Errorf("%d leaves were drawn in 40 rounds, horizon reached: %v; want it reached at %d or before", leafs, p.Over(), streams*int(leaves))
		}
		var newest uint64 // own label on a signed message
		reward = 1
		for range 40 {
			n.Play(t, pull)
			for _, d := range n.Underway {
				if m := protocoltest.DraftOf(d.Message); m.Label.Origin == protocol.Peer(self) && len(m.Sig) > 0 {
					newest = max(newest, m.Label.Seq)
				}
			}
		}
		if p.Leaves() != leafs || p.Late() != 0 {
			t.Errorf("%d leaves were drawn after the horizon", p.Leaves()-leafs)
		}
		if newest > uint64(streams)*leaves {
			t.Errorf("signed number %d of %d streams that were paid up to %d", newest, streams, leaves)
		}
		if beliefOf(p) == before {
			t.Error("what the others released changed nothing: the peer is deaf, too")
		}
	})
}

// TestRadiusNeedsData: once the horizon is reached, pulls bring no data, and may not
// make a mean look more certain.
func TestRadiusNeedsData(t *testing.T) {
	everyVariant(t, func(t *testing.T, s protocoltest.Setting) {
		s.Graph, s.Rounds = protocoltest.Graph{nil}, 8 // a peer alone: no other data comes in
		s.Params = lasting(protocol.Among(s.Params, 1), 60)
		of := s
		s.Learner = func() bandit.Learner { return suited(of, 2) }
		s.Params = lasting(s.Params, 3)
		n := protocoltest.New(t, s)
		pull := func(int) (int, float64) { return int(n.Round) % s.Arms, 1 }
		for range 40 {
			n.Play(t, pull)
		}
		at := func() bandit.Belief {
			b := *n.Peers[0].Belief()
			b.SampleVar, b.LaplaceSumSq = slices.Clone(b.SampleVar), slices.Clone(b.LaplaceSumSq)
			return b
		}
		if !n.Peers[0].Over() {
			t.Fatal("the horizon is not reached: nothing is tested")
		}
		before := at()
		for range 100 {
			n.Play(t, pull)
		}
		after := at()
		for k := range before.SampleVar {
			if after.SampleVar[k] < before.SampleVar[k] || after.LaplaceSumSq[k] < before.LaplaceSumSq[k] {
				t.Errorf("part %d: 50 pulls past the horizon took sample variance from %g to %g and noise from %g to %g",
					k, before.SampleVar[k], after.SampleVar[k], before.LaplaceSumSq[k], after.LaplaceSumSq[k])
			}
		}
	})
}

// TestIdlePeersReleaseNothing: a role without arms has no stream, so nothing is charged and
// drawn, and it goes on while others do.
func TestIdlePeersReleaseNothing(t *testing.T) {
	idle := 0
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		for seed := range uint64(len(settings(e))) {
			n := protocoltest.New(t, conforming(e, seed))
			pull := n.Choices(seed)
			for i, p := range n.Peers {
				if p.Idle() == protocol.Learns(n.Params, protocol.Peer(i)) {
					t.Errorf("%+v: peer %d is idle: %v", n.Params, i, p.Idle())
				}
			}
			for range 60 {
				n.Play(t, pull)
			}
			for i, p := range n.Peers {
				if !p.Idle() {
					continue
				}
				idle++
				if len(p.Released) > 0 || p.Spent() != 0 {
					t.Errorf("%+v: peer %d has no arms, released %d leaves and spent %g", n.Params, i, len(p.Released), p.Spent())
				}
			}
		}
	})
	if idle == 0 {
		t.Error("no peer was idle: nothing was tested")
	}
}

// TestEveryMessageHasAKindOfItsProtocol, and no two protocols have one in common, except for those that papers print, which
// speak like one of the table.
func TestEveryMessageHasAKindOfItsProtocol(t *testing.T) {
	owner := make(map[protocol.Kind]string)
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		kinds := protocol.TraitsOf(e).Kinds
		for k, name := range kinds {
			if owner[k] != "" && !slices.ContainsFunc(printed.Protocols(), func(p protocol.Params) bool { return p == e }) {
				t.Errorf("kind %d is %s's, too", k, owner[k])
			}
			if name == "" {
				t.Errorf("kind %d has no name", k)
			}
			owner[k] = e.Words().Name
		}
		sent := make(map[protocol.Kind]bool)
		for seed := range uint64(6) {
			n := protocoltest.New(t, conforming(e, seed))
			h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(seed, 3)), Lose: .2}
			pull := n.Choices(seed)
			for range 40 {
				n.Play(t, pull)
				h.Befall(n)
			}
			for c := range n.Crossed {
				sent[c.Kind] = true
			}
		}
		for k := range sent {
			if kinds[k] == "" {
				t.Errorf("a message of kind %d, which is none of %v", k, kinds)
			}
		}
		for k := range kinds {
			if !sent[k] {
				t.Errorf("no message of kind %d was sent: nothing was tested", k)
			}
		}
	})
}

// TestQuotaFollowsFromWhatIsSaved: asked twice, or after a restart, a learner of epochs
// wants the same, or a replay would close other leaves.
func TestQuotaFollowsFromWhatIsSaved(t *testing.T) {
	asked := 0
	quota := func(t *testing.T, l bandit.Phased, again func() bandit.Phased) {
		b := beliefs(l.Statistic(), 2)
		for epoch := range uint64(6) {
			b.Epoch, b.Revision = epoch, epoch
			first := slices.Clone(l.Quota(b))
			if second := l.Quota(b); !slices.Equal(first, second) {
				t.Errorf("epoch %d: asked twice, %v and %v are wanted", epoch, first, second)
			}
			next := again()
			require.NoError(t, next.Load(l.Save()))
			if second := next.Quota(b); !slices.Equal(first, second) {
				t.Errorf("epoch %d: %v is wanted, after a restart %v", epoch, first, second)
			}
			asked++
		}
	}
	for _, e := range slices.Concat(learner.All(), printed.Learners()) {
		for _, params := range protocoltest.Variants(bandit.Small(e)) {
			of := func() bandit.Learner {
				return require.Value(params.New(bandit.Config{Arms: 3, Peers: 4, Horizon: 1000, Epsilon: 1, Rand: rand.New(rand.NewPCG(1, 1))}))(t)
			}
			if l, ok := of().(bandit.Phased); ok {
				t.Run(e.Words().Name, func(t *testing.T) { quota(t, l, func() bandit.Phased { return of().(bandit.Phased) }) })
			}
		}
	}
	t.Run("test's own", func(t *testing.T) {
		of := func() bandit.Phased { return protocoltest.Explore(3, 4, 5, true) }
		quota(t, of(), of)
	})
	if asked == 0 {
		t.Error("nothing was asked")
	}
}

// beliefs returns a belief in which part k has mean k/parts.
func beliefs(s bandit.Statistic, n float64) *bandit.Belief {
	b := belief.New(s.Parts, s.Dim)
	for k := range b.SampleVar {
		b.SampleVar[k] = 1 / n
	}
	for k := range b.X {
		b.X[k] = float64(k) / float64(len(b.X))
	}
	return &b
}

// TestGarbageChangesNothing feeds one of two twin networks what a hostile peer can
// send. What is refused leaves no trace: belief and all later messages are the
// twin's. What is not refused is given to the twin too.
func TestGarbageChangesNothing(t *testing.T) {
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		refused, taken := 0, 0
		rapid.Check(t, func(r *rapid.T) {
			seed := rapid.Uint64Range(0, 1000).Draw(r, "seed")
			a, b := protocoltest.New(t, conforming(e, seed)), protocoltest.New(t, conforming(e, seed))
			a.Hostile, b.Hostile = true, true
			playA, playB := a.Choices(seed), b.Choices(seed)
			var heard []protocoltest.Parcel
			for range rapid.IntRange(4, 12).Draw(r, "rounds") {
				a.Play(t, playA)
				b.Play(t, playB)
				compare(r, a, b)
				heard = append(heard, a.Underway...)
				for range rapid.IntRange(0, min(4, len(heard))).Draw(r, "injections") {
					p := rare(r, heard)
					m, err := protocol.Decode(vouch.For(protocol.Encode(nil, protocoltest.Garbled(r, p.Message))))
					if err != nil {
						continue // the codec keeps it out
					}
					if rapid.IntRange(0, 9).Draw(r, "from a stranger") == 0 {
						p.From = protocol.Peer(dptest.AnyUint().Draw(r, "from"))
					}
					i := int(p.To)
					es, err := a.Deliver(t, i, protocol.Delivery{From: p.From, Message: m})
					if err != nil {
						refused++
						if !errors.Is(err, protocol.ErrPeer) || len(es) > 0 {
							r.Fatalf("%v: %v, and %d messages", words(m), err, len(es))
						}
						if beliefOf(a.Peers[i]) != beliefOf(b.Peers[i]) {
							r.Fatalf("%v: refused, but changed what peer %d believes", words(m), i)
						}
						continue
					}
					taken++
					if _, err := b.Deliver(t, i, protocol.Delivery{From: p.From, Message: m}); err != nil {
						r.Fatalf("%v: taken by one twin and refused by the other: %v", words(m), err)
					}
				}
				// What strangers were answered goes nowhere.
				for _, n := range []*protocoltest.Network{a, b} {
					n.Underway = slices.DeleteFunc(n.Underway, func(p protocoltest.Parcel) bool { return int(p.To) >= len(n.Peers) })
				}
				compare(r, a, b)
			}
		})
		t.Logf("%d refused, %d taken", refused, taken)
		if refused == 0 || taken == 0 {
			t.Errorf("%d messages were refused and %d taken: the garbage is too bad or too good", refused, taken)
		}
	})
}

// rare draws one of the last things heard, of a kind first: answers are few among
// the counts, and it matters what they say while the question is open.
func rare(r *rapid.T, heard []protocoltest.Parcel) protocoltest.Parcel {
	heard = heard[max(0, len(heard)-rapid.SampledFrom([]int{20, 1000}).Draw(r, "how far back")):]
	var kinds []protocol.Kind
	for _, p := range heard {
		if !slices.Contains(kinds, p.Message.Kind()) {
			kinds = append(kinds, p.Message.Kind())
		}
	}
	k := rapid.SampledFrom(kinds).Draw(r, "kind of model")
	heard = slices.DeleteFunc(slices.Clone(heard), func(p protocoltest.Parcel) bool { return p.Message.Kind() != k })
	return heard[rapid.IntRange(0, len(heard)-1).Draw(r, "model")]
}

func compare(r *rapid.T, a, b *protocoltest.Network) {
	var x, y transcript
	x.note(a)
	y.note(b)
	if !bytes.Equal(x, y) {
		r.Fatal("what was refused before has left a trace")
	}
}
