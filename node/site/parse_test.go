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
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

const parsedArms = 5

// said returns real messages and nodes, to put into entries.
func said(t testing.TB) (ms []protocol.Message, drawn []dp.Release) {
	t.Helper()
	for _, name := range []string{"average", "rows"} {
		x := usual(name, AtWindow).repeatable(1)
		a, err := x.agent(self, Life{Incarnation: 7})
		if err != nil {
			t.Fatal(err)
		}
		for round := range protocol.Round(12) {
			if _, err := a.Round(round, nil, payer{new(neighbour)}); err != nil {
				t.Fatal(err)
			}
			ready := a.Ready()
			drawn = append(drawn, ready.Drawn...)
			for _, e := range ready.Messages {
				ms = append(ms, e.Message)
			}
		}
	}
	return ms, drawn
}

func anyArm() *rapid.Generator[int] { return rapid.IntRange(0, parsedArms-1) }

func anyRecord() *rapid.Generator[record] {
	return rapid.Custom(func(r *rapid.T) record {
		return record{anyArm().Draw(r, "arm"), bandit.Reward(rapid.Float64Range(0, 1).Draw(r, "value"))}
	})
}

func anyEntry(ms []protocol.Message, nodes []dp.Release) *rapid.Generator[entry] {
	return rapid.Custom(func(r *rapid.T) (e entry) {
		switch e.kind = rapid.SampledFrom([]entryKind{entryChosen, entrySettled, entryRound}).Draw(r, "kind"); e.kind {
		case entryChosen:
			e.learner, e.counted = rapid.Bool().Draw(r, "learner"), rapid.Bool().Draw(r, "counted")
			e.arm, e.turn = anyArm().Draw(r, "arm"), rapid.Uint64().Draw(r, "turn")
			for _, a := range rapid.SliceOfN(anyArm(), 0, 4).Draw(r, "excluded") {
				e.excluded = append(e.excluded, bandit.Arm(a))
			}
		case entrySettled:
			e.records = rapid.SliceOfN(anyRecord(), 0, 20).Draw(r, "records")
		case entryRound:
			e.round = rapid.Uint64().Draw(r, "round")
			if rapid.Bool().Draw(r, "world") {
				p := anyRecord().Draw(r, "played")
				e.played = &p
			}
			for _, m := range rapid.SliceOfN(rapid.SampledFrom(ms), 0, 6).Draw(r, "in") {
				e.in = append(e.in, protocol.Delivery{From: protocol.Peer(rapid.Uint32().Draw(r, "from")), Message: m})
			}
		}
		e.drawn = rapid.SliceOfN(rapid.SampledFrom(nodes), 0, 6).Draw(r, "drawn")
		e.hidden = dp.NewSecret(rapid.SliceOf(rapid.Byte()).Draw(r, "hidden"))
		return e
	})
}

// TestEntriesSurvive: what is logged is read back the same, and nothing that is cut short,
// goes on or is of another site's arms is read at all.
func TestEntriesSurvive(t *testing.T) {
	ms, nodes := said(t)
	rapid.Check(t, func(r *rapid.T) {
		e := anyEntry(ms, nodes).Draw(r, "entry")
		b := e.bytes()
		got, err := parseEntry(b, parsedArms)
		if err != nil {
			r.Fatal(err)
		}
		if !bytes.Equal(got.bytes(), b) || got.kind != e.kind || got.arm != e.arm || got.turn != e.turn || got.round != e.round ||
			got.learner != e.learner || got.counted != e.counted || !slices.Equal(got.excluded, e.excluded) || !slices.Equal(got.records, e.records) ||
			!reflect.DeepEqual(got.played, e.played) || len(got.in) != len(e.in) || !slices.EqualFunc(got.drawn, e.drawn, dp.Release.Equal) ||
			!bytes.Equal(got.hidden.Bytes(), e.hidden.Bytes()) {
			r.Fatal("the entry changed")
		}
		for i := range got.in {
			if got.in[i].From != e.in[i].From || !bytes.Equal(protocol.Encode(nil, got.in[i].Message), protocol.Encode(nil, e.in[i].Message)) {
				r.Fatalf("delivery %d changed", i)
			}
		}
		cut := rapid.IntRange(0, len(b)-1).Draw(r, "cut")
		if _, err := parseEntry(b[:cut], parsedArms); !errors.Is(err, ErrDamaged) {
			r.Fatalf("of %d bytes %d are taken: %v", len(b), cut, err)
		}
		if _, err := parseEntry(append(b, 0), parsedArms); !errors.Is(err, ErrDamaged) {
			r.Fatalf("a byte more is taken: %v", err)
		}
	})
	far := entry{kind: entryChosen, arm: 3}
	if _, err := parseEntry(far.bytes(), 3); !errors.Is(err, ErrDamaged) {
		t.Errorf("arm 3 of 3 is taken: %v", err)
	}
	b := far.bytes()
	b[0]++
	if _, err := parseEntry(b, parsedArms); !errors.Is(err, ErrDamaged) {
		t.Errorf("another version is taken: %v", err)
	}
}

func anyChoice() *rapid.Generator[choice] {
	return rapid.Custom(func(r *rapid.T) choice {
		c := choice{
			counted: rapid.Bool().Draw(r, "counted"), rewarded: rapid.Bool().Draw(r, "rewarded"),
			source: rapid.SampledFrom(sources()).Draw(r, "source"), arm: anyArm().Draw(r, "arm"),
			chance: rapid.Float64Range(0, 1).Draw(r, "chance"), expires: time.Unix(0, rapid.Int64().Draw(r, "expires")).UTC(),
			due: rapid.Uint64().Draw(r, "due"), step: rapid.Uint64().Draw(r, "step"),
			value: bandit.Reward(rapid.Float64Range(0, 1).Draw(r, "value")),
		}
		copy(c.subject[:], rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(r, "subject"))
		return c
	})
}

func TestChoicesSurvive(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := anyChoice().Draw(r, "choice")
		b := c.bytes()
		got, err := parseChoice(b, parsedArms)
		if err != nil || got != c {
			r.Fatalf("the decision changed (%v)", err)
		}
		cut := rapid.IntRange(0, len(b)-1).Draw(r, "cut")
		for _, wrong := range [][]byte{b[:cut], append(slices.Clone(b), 0)} {
			if _, err := parseChoice(wrong, parsedArms); !errors.Is(err, ErrDamaged) {
				r.Fatalf("%d bytes of %d are taken: %v", len(wrong), len(b), err)
			}
		}
		if _, err := parseChoice(b, c.arm); !errors.Is(err, ErrDamaged) {
			r.Fatalf("arm %d of %d is taken", c.arm, c.arm)
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

// TestDueKeysAreInOrder: decisions are settled by their round, then in the order in which
// they were made.
func TestDueKeysAreInOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, b := rapid.Uint64().Draw(r, "round"), rapid.Uint64().Draw(r, "other round")
		x, y := rapid.Uint64().Draw(r, "step"), rapid.Uint64().Draw(r, "other step")
		if want := a < b || a == b && x < y; bytes.Compare(dueKey(a, x), dueKey(b, y)) < 0 != want {
			r.Fatalf("%d/%d and %d/%d", a, x, b, y)
		}
		if store.ReadNumber(dueKey(a, x)) != a || !bytes.Equal(roundOf(dueKey(a, x)), store.Number(a)) {
			r.Fatal("the round of a key is another")
		}
	})
}

// spent bounds what reading n bytes may allocate: a message takes a few hundred bytes for
// each of its own in the worst case.
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

func FuzzParseEntry(f *testing.F) {
	ms, nodes := said(f)
	gen := anyEntry(ms, nodes)
	for i := range 20 {
		e := gen.Example(i)
		f.Add(e.bytes())
	}
	f.Add([]byte{entryVersion, byte(entryRound), 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		spent(t, len(b), func() {
			e, err := parseEntry(b, parsedArms)
			if err != nil {
				return
			}
			again, err := parseEntry(e.bytes(), parsedArms)
			if err != nil || !bytes.Equal(again.bytes(), e.bytes()) {
				t.Errorf("what was read is written in a way that cannot be read: %v", err)
			}
		})
	})
}

func FuzzParseChoice(f *testing.F) {
	gen := anyChoice()
	for i := range 20 {
		c := gen.Example(i)
		f.Add(c.bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parseChoice(b, parsedArms)
		if err != nil {
			return
		}
		if c.arm < 0 || c.arm >= parsedArms || !slices.Contains(sources(), c.source) {
			t.Errorf("arm %d, source %q", c.arm, c.source)
		}
		again, err := parseChoice(c.bytes(), parsedArms)
		same := again == c || math.IsNaN(c.chance) || math.IsNaN(float64(c.value))
		if err != nil || !same {
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
