package site

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// parsed is the shape of the site whose values the tests parse, with or without features.
func parsed(features int) shape { return shape{arms: 5, features: features, streams: 10} }

// said returns real messages and nodes, to put into log records.
func said(t testing.TB) (ms []protocol.Message, drawn []dp.Release) {
	t.Helper()
	for _, name := range protocols() {
		x := usual(name, AtWindow).repeatable(1)
		a := require.Value(x.agent(self, Life{Incarnation: 7}))(t)
		for round := range protocol.Round(12) {
			require.Value(a.Round(round, nil, payer{new(neighbour)}))(t)
			ready := a.Ready()
			drawn = append(drawn, ready.Drawn...)
			for _, e := range ready.Messages {
				ms = append(ms, e.Message)
			}
		}
	}
	return ms, drawn
}

func anyArm() *rapid.Generator[bandit.Arm] {
	return rapid.Custom(func(r *rapid.T) bandit.Arm { return bandit.Arm(rapid.IntRange(0, parsed(0).arms-1).Draw(r, "arm")) })
}

func anyReward() *rapid.Generator[bandit.Reward] {
	return rapid.Custom(func(r *rapid.T) bandit.Reward { return bandit.Reward(rapid.Float64Range(0, 1).Draw(r, "reward")) })
}

// anyFeatures returns the features of an arm; nil where there are none.
func anyFeatures(n int) *rapid.Generator[bandit.Features] {
	if n == 0 {
		return rapid.Just(bandit.Features(nil))
	}
	return rapid.Map(rapid.SliceOfN(rapid.Float64(), n, n), func(x []float64) bandit.Features { return x })
}

func anyRoute(in bool) *rapid.Generator[node.Route] {
	return rapid.Custom(func(r *rapid.T) node.Route {
		return node.Route{Stream: dp.StreamID(rapid.IntRange(0, parsed(0).streams-1).Draw(r, "stream")), In: in, Epoch: rapid.Uint64().Draw(r, "epoch")}
	})
}

func anyObservation(features int) *rapid.Generator[observation] {
	return rapid.Custom(func(r *rapid.T) observation {
		return observation{
			anyRoute(true).Draw(r, "route"),
			bandit.Pull{Arm: anyArm().Draw(r, "arm"), Features: anyFeatures(features).Draw(r, "features"), Reward: anyReward().Draw(r, "value")},
		}
	})
}

func anyLogRecord(ms []protocol.Message, nodes []dp.Release, features int) *rapid.Generator[logRecord] {
	return rapid.Custom(func(r *rapid.T) (e logRecord) {
		e.kind = rapid.SampledFrom([]logKind{logChosen, logSettled, logRound}).Draw(r, "kind")
		if e.kind != logSettled {
			e.explore = rapid.Float64Range(0, 1).Draw(r, "explore")
		}
		switch e.kind {
		case logChosen:
			e.learner, e.counted = rapid.Bool().Draw(r, "learner"), rapid.Bool().Draw(r, "counted")
			e.arm, e.turn = anyArm().Draw(r, "arm"), rapid.Uint64().Draw(r, "turn")
			e.excluded = rapid.SliceOfN(anyArm(), 0, 4).Draw(r, "excluded")
		case logSettled:
			e.decisions = rapid.Uint64().Draw(r, "decisions")
			e.observations = rapid.SliceOfN(anyObservation(features), 0, 20).Draw(r, "observations")
		case logRound:
			e.round = rapid.Uint64().Draw(r, "round")
			if rapid.Bool().Draw(r, "world") {
				e.played = &bandit.Pull{Arm: anyArm().Draw(r, "arm"), Reward: anyReward().Draw(r, "value")}
			}
			for _, m := range rapid.SliceOfN(rapid.SampledFrom(ms), 0, 6).Draw(r, "in") {
				e.in = append(e.in, protocol.Delivery{From: protocol.Peer(rapid.Uint32().Draw(r, "from")), Message: m})
			}
		}
		e.drawn = rapid.SliceOfN(rapid.SampledFrom(nodes), 0, 6).Draw(r, "drawn")
		e.hidden = dp.NewSecret(vouch.For(rapid.SliceOf(rapid.Byte()).Draw(r, "hidden")))
		return e
	})
}

// TestLogRecordsSurvive: a log record is read back unchanged, and a record that is cut short, too
// long or from a site with another shape is not read at all.
func TestLogRecordsSurvive(t *testing.T) {
	ms, nodes := said(t)
	rapid.Check(t, func(r *rapid.T) {
		features := rapid.IntRange(0, 3).Draw(r, "numbers")
		of := parsed(features)
		e := anyLogRecord(ms, nodes, features).Draw(r, "record")
		b := e.bytes()
		got := require.Value(parseLogRecord(b, of))(r)
		if !bytes.Equal(got.bytes(), b) || got.kind != e.kind || got.explore != e.explore || got.arm != e.arm || got.turn != e.turn || got.round != e.round ||
			got.learner != e.learner || got.counted != e.counted || !slices.Equal(got.excluded, e.excluded) || got.decisions != e.decisions ||
			!equal(got.observations, e.observations) ||
			!reflect.DeepEqual(got.played, e.played) || len(got.in) != len(e.in) || !slices.EqualFunc(got.drawn, e.drawn, dp.Release.Equal) ||
			!bytes.Equal(got.hidden.Bytes(), e.hidden.Bytes()) {
			r.Fatal("the record changed")
		}
		if _, err := parseLogRecord(b, parsed(features+1)); len(e.observations) > 0 && !errors.Is(err, ErrDamaged) {
			r.Fatalf("%d features are taken for %d: %v", features, features+1, err)
		}
		for i := range got.in {
			if got.in[i].From != e.in[i].From || !bytes.Equal(protocol.Encode(nil, got.in[i].Message), protocol.Encode(nil, e.in[i].Message)) {
				r.Fatalf("delivery %d changed", i)
			}
		}
		cut := rapid.IntRange(0, len(b)-1).Draw(r, "cut")
		if _, err := parseLogRecord(b[:cut], of); !errors.Is(err, ErrDamaged) {
			r.Fatalf("of %d bytes %d are taken: %v", len(b), cut, err)
		}
		if _, err := parseLogRecord(append(b, 0), of); !errors.Is(err, ErrDamaged) {
			r.Fatalf("a byte more is taken: %v", err)
		}
	})
	far := logRecord{kind: logChosen, arm: 3}
	if _, err := parseLogRecord(far.bytes(), shape{arms: 3, streams: 3}); !errors.Is(err, ErrDamaged) {
		t.Errorf("arm 3 of 3 is taken: %v", err)
	}
	far = logRecord{kind: logSettled, observations: []observation{{route: node.Route{Stream: 3}}}}
	if _, err := parseLogRecord(far.bytes(), shape{arms: 3, streams: 3}); !errors.Is(err, ErrDamaged) {
		t.Errorf("stream 3 of 3 is taken: %v", err)
	}
	b := far.bytes()
	b[0]++
	if _, err := parseLogRecord(b, parsed(0)); !errors.Is(err, store.ErrNewer) {
		t.Errorf("another version is taken: %v", err)
	}
}

// equal compares bit for bit what may hold features; nil equals an empty slice.
func equal[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b)) }

func anyChoice(features int) *rapid.Generator[choice] {
	return rapid.Custom(func(r *rapid.T) choice {
		c := choice{
			counted: rapid.Bool().Draw(r, "counted"), rewarded: rapid.Bool().Draw(r, "rewarded"),
			source: rapid.SampledFrom(sources()).Draw(r, "source"), arm: anyArm().Draw(r, "arm"), action: rapid.String().Draw(r, "action"),
			features: anyFeatures(features).Draw(r, "features"), route: anyRoute(rapid.Bool().Draw(r, "in")).Draw(r, "route"),
			chance: rapid.Float64Range(0, 1).Draw(r, "chance"), expires: time.Unix(0, rapid.Int64().Draw(r, "expires")).UTC(),
			due: rapid.Uint64().Draw(r, "due"), step: rapid.Uint64().Draw(r, "step"),
			value: anyReward().Draw(r, "value"), model: decision.Model{Incarnation: rapid.Uint32().Draw(r, "incarnation"), Round: rapid.Uint64().Draw(r, "round"), Released: rapid.Uint64().Draw(r, "released")},
			window: time.Duration(rapid.Int64Range(0, math.MaxInt64/1_000_000).Draw(r, "window")) * time.Millisecond,
		}
		copy(c.subject[:], rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(r, "subject"))
		return c
	})
}

func TestChoicesSurvive(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		features := rapid.IntRange(0, 3).Draw(r, "numbers")
		of := parsed(features)
		c := anyChoice(features).Draw(r, "choice")
		b := c.bytes()
		got, err := parseChoice(b, of)
		if err != nil || !reflect.DeepEqual(got, c) {
			r.Fatalf("the decision changed (%v)", err)
		}
		cut := rapid.IntRange(0, len(b)-1).Draw(r, "cut")
		for _, wrong := range [][]byte{b[:cut], append(slices.Clone(b), 0)} {
			if _, err := parseChoice(wrong, of); !errors.Is(err, ErrDamaged) {
				r.Fatalf("%d bytes of %d are taken: %v", len(wrong), len(b), err)
			}
		}
		if _, err := parseChoice(b, shape{int(c.arm), features, of.streams}); !errors.Is(err, ErrDamaged) {
			r.Fatalf("arm %d of %d is taken", c.arm, c.arm)
		}
		if _, err := parseChoice(b, shape{of.arms, features, int(c.route.Stream)}); !errors.Is(err, ErrDamaged) {
			r.Fatalf("stream %d of %d is taken", c.route.Stream, c.route.Stream)
		}
		if _, err := parseChoice(b, parsed(features+1)); !errors.Is(err, ErrDamaged) {
			r.Fatalf("%d features are taken for %d", features, features+1)
		}
	})
	if got := sources(); got[0] != decision.Learned || got[1] != decision.Exposure || got[2] != decision.Fallback {
		t.Errorf("sources are stored by their place, and that is %v", got)
	}
}

func TestOutboxesSurvive(t *testing.T) {
	ms, _ := said(t)
	rapid.Check(t, func(r *rapid.T) {
		var es []protocol.Envelope
		for _, m := range rapid.SliceOfN(rapid.SampledFrom(ms), 0, 6).Draw(r, "messages") {
			es = append(es, protocol.Envelope{To: protocol.Peer(rapid.Uint32().Draw(r, "to")), Message: m})
		}
		b := outbox(es)
		got, err := parseOutbox(b)
		if err != nil || len(got) != len(es) || !bytes.Equal(outbox(got), b) {
			r.Fatalf("%d envelopes became %d: %v", len(es), len(got), err)
		}
		for i := range got {
			if got[i].To != es[i].To || !bytes.Equal(protocol.Encode(nil, got[i].Message), protocol.Encode(nil, es[i].Message)) {
				r.Fatalf("envelope %d changed", i)
			}
		}
		if _, err := parseOutbox(append(b, 1)); !errors.Is(err, ErrDamaged) {
			r.Fatalf("a byte more is taken: %v", err)
		}
	})
	if _, err := parseOutbox(nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("an empty outbox is taken: %v", err)
	}
}

// spent bounds what reading n bytes may allocate: a message takes a few hundred bytes for each of
// its own in the worst case.
func spent(t *testing.T, n int, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20+1024*uint64(n) {
		t.Errorf("%d bytes allocated for %d", got, n)
	}
}

func FuzzParseLogRecord(f *testing.F) {
	ms, nodes := said(f)
	for i := range 40 {
		e := anyLogRecord(ms, nodes, i%2*3).Example(i)
		f.Add(i%2 == 1, e.bytes())
	}
	f.Add(false, []byte{3, byte(logRound), 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, contextual bool, b []byte) {
		of := parsed(0)
		if contextual {
			of = parsed(3)
		}
		spent(t, len(b), func() {
			e, err := parseLogRecord(b, of)
			if err != nil {
				return
			}
			again, err := parseLogRecord(e.bytes(), of)
			if err != nil || !bytes.Equal(again.bytes(), e.bytes()) {
				t.Errorf("what was read is written in a way that cannot be read: %v", err)
			}
		})
	})
}

func FuzzParseChoice(f *testing.F) {
	for i := range 40 {
		c := anyChoice(i % 2 * 3).Example(i)
		f.Add(i%2 == 1, c.bytes())
	}
	f.Fuzz(func(t *testing.T, contextual bool, b []byte) {
		of := parsed(0)
		if contextual {
			of = parsed(3)
		}
		c, err := parseChoice(b, of)
		if err != nil {
			return
		}
		if c.arm < 0 || int(c.arm) >= of.arms || !slices.Contains(sources(), c.source) || len(c.features) != of.features {
			t.Errorf("arm %d, source %q, %d features", c.arm, c.source, len(c.features))
		}
		again, err := parseChoice(c.bytes(), of)
		if err != nil || !bytes.Equal(again.bytes(), c.bytes()) {
			t.Errorf("what was read is written in a way that reads differently: %v", err)
		}
	})
}

func FuzzParseOutbox(f *testing.F) {
	ms, _ := said(f)
	f.Add(outbox(nil))
	for i := range ms {
		f.Add(outbox([]protocol.Envelope{{To: left, Message: ms[i]}, {To: protocol.Everyone, Message: ms[0]}}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		spent(t, len(b), func() {
			es, err := parseOutbox(b)
			if err != nil {
				return
			}
			if again, err := parseOutbox(outbox(es)); err != nil || len(again) != len(es) {
				t.Errorf("what was read is written in a way that cannot be read: %v", err)
			}
		})
	})
}
