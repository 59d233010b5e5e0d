package dp

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp/account"
	"peerd.dev/dp/state"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// TestALoadedCuratorGoesOnAsTheSavedOne: bit for bit like one that was never saved, with noise
// from a seed and with replayed noise from the operating system.
func TestALoadedCuratorGoesOnAsTheSavedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, fresh := anyCurator(t)
		first, second := fresh(), fresh()
		replays := second.mode == Private || rapid.Bool().Draw(t, "replays")
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			moves := anyMoves(s).Draw(t, "moves")
			want := require.Value(first.make(moves))(t)
			nodes := slices.Clone(first.TakeDrawn())
			if replays {
				second.Replay(nodes, first.Hidden())
			}
			got, err := second.make(moves)
			if err == nil {
				err = second.Replayed()
			}
			if err != nil || !slices.EqualFunc(got, want, sameLeaf) {
				t.Fatalf("loaded %v, %v, never saved %v", got, err, want)
			}
			if again := second.TakeDrawn(); !slices.EqualFunc(again, nodes, sameRelease) {
				t.Fatalf("drawn %v, want %v", again, nodes)
			}
			state := require.Value(second.Save())(t)
			if of, wrong := first.Save(); wrong != nil || !slices.Equal(of.Bytes(), state.Bytes()) {
				t.Fatalf("equal releases, and another state: %v", wrong)
			}
			loaded := fresh()
			if rapid.Bool().Draw(t, "unopened") {
				loaded = require.Value(NewCurator(second.mode, vouch.For(second.budget), second.src))(t)
			}
			require.NoError(t, loaded.Load(state))
			if loaded.Spent() != second.Spent() || len(loaded.TakeCharges())+len(loaded.TakeDrawn()) > 0 {
				t.Fatalf("%v spent, want %v, and nothing to report", loaded.Spent(), second.Spent())
			}
			second = loaded
			if rapid.Bool().Draw(t, "skip") {
				k := rapid.Uint64Range(0, 25).Draw(t, "lost")
				require.Value(first.Skip(0, k))(t)
				require.Value(second.Skip(0, k))(t)
			}
		}
	})
}

func TestACuratorIsSavedBetweenSteps(t *testing.T) {
	d := open(t, spec(8, Tree), seeded(1))
	if _, err := d.Save(); err == nil {
		t.Error("saved with a charge that nobody took")
	}
	d.TakeCharges()
	require.Value(d.Leaf(0, 1))(t)
	if _, err := d.Save(); err == nil {
		t.Error("saved with a node that nobody took")
	}
	d.TakeDrawn()
	if _, err := d.Save(); err != nil {
		t.Error(err)
	}
}

// TestAnotherCuratorsStateIsRefused: and changes nothing.
func TestAnotherCuratorsStateIsRefused(t *testing.T) {
	saved := func(d *Curator) Secret {
		d.TakeCharges()
		return require.Value(d.Save())(t)
	}
	curator := func(mode Mode, budget Cost, src *Source, s Spec) *Curator {
		d, err := NewCurator(mode, vouch.For(account.Budget{Epsilon: budget}), src)
		if err == nil {
			_, err = d.Open(s)
		}
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	wider := spec(8, Tree)
	wider.Hi = 2
	d := curator(Lockstep, Nano, seeded(1), spec(8, Tree))
	d.TakeCharges()
	for name, other := range map[string]*Curator{
		"mode":    curator(Private, Nano, NewSecureSource(), spec(8, Tree)),
		"budget":  curator(Lockstep, 2*Nano, seeded(1), spec(8, Tree)),
		"noise":   curator(Lockstep, Nano, NewSecureSource(), spec(8, Tree)),
		"horizon": curator(Lockstep, Nano, seeded(1), spec(9, Tree)),
		"bounds":  curator(Lockstep, Nano, seeded(1), wider),
	} {
		if err := d.Load(saved(other)); !errors.Is(err, ErrState) {
			t.Errorf("%s: %v, want %v", name, err, ErrState)
		}
		if len(d.charged) != 1 || d.chargesTaken != 1 || d.spent.Pure != Nano {
			t.Errorf("%s: a refused state changed the curator", name)
		}
	}
	secure := curator(Lockstep, Nano, NewSecureSource(), spec(8, Tree))
	if err := secure.Load(saved(d)); !errors.Is(err, ErrState) {
		t.Errorf("a seed's noise for the operating system's: %v, want %v", err, ErrState)
	}
	// No curator saves a state with more charges than its budget pays for.
	rich := curator(Lockstep, 2*Nano, seeded(1), spec(8, Tree))
	require.Value(rich.Open(spec(8, Tree)))(t)
	rich.budget.Epsilon = Nano
	poor, err := NewCurator(Lockstep, vouch.For(account.Budget{Epsilon: Nano}), seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	if err = poor.Load(saved(rich)); !errors.Is(err, ErrState) {
		t.Errorf("two charges on a budget of one: %v, want %v", err, ErrState)
	}
}

// TestAStateThatNoStreamCanHaveIsRefused forges what Save writes.
func TestAStateThatNoStreamCanHaveIsRefused(t *testing.T) {
	for name, forge := range map[string]func(*stream){
		"honest":    func(*stream) {},
		"leaves":    func(s *stream) { s.t = 9 },
		"open":      func(s *stream) { s.open = maxRecords },
		"open leaf": func(s *stream) { s.leaf[0] = 1<<20 + 1 },
		"no stream": nil,
	} {
		d := open(t, spec(8, None), seeded(1))
		d.TakeCharges()
		for range 2 { // one record in leaf 1, one in the open leaf
			require.NoError(t, d.Add(0, []float64{1}))
			if closed, _ := d.Closed(0); closed == 0 {
				require.Value(d.Leaf(0, 1))(t)
			}
		}
		d.TakeDrawn()
		if forge == nil {
			d.charged[0].Streams = 0
		} else {
			forge(d.streams[0])
		}
		state := require.Value(d.Save())(t)
		next := require.Value(NewCurator(Lockstep, vouch.For(d.budget), seeded(1)))(t)
		if err := next.Load(state); (err != nil) != (name != "honest") || err != nil && !errors.Is(err, ErrState) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// chargeBytes returns a charge in the form that a state has.
func chargeBytes(c *Charge) []byte { return state.Save(stateVersion, c.fields)[1:] }

// FuzzLoad gives Load any bytes. What it accepts is a curator that saves and continues.
func FuzzLoad(f *testing.F) {
	s := spec(8, Tree)
	s.Streams, s.Dim = 2, 2
	d := open(f, s, seeded(1))
	d.TakeCharges()
	for k := uint64(1); k <= 5; k++ {
		require.NoError(f, d.Add(1, []float64{.25, .75}))
		require.Value(d.Leaf(1, k))(f)
	}
	d.TakeDrawn()
	state := require.Value(d.Save())(f)
	b := state.Bytes()
	f.Add(b)
	f.Add(b[:len(b)-1])
	f.Add(append(slices.Clone(b), 0))
	f.Add([]byte{})
	readbuf := slices.Clone(b) // math/rand/v2 panics on it
	copy(readbuf[strings.Index(string(b), "chacha8:"):], "readbuf:\x14")
	f.Add(readbuf)
	// The greatest streams that a charge can have, in a state of a few bytes.
	huge := s
	huge.Streams, huge.Dim, huge.Leaves, huge.Mechanism = maxSums/MaxLen, MaxLen, MaxLeaves, None
	c := require.Value(huge.charge(0))(f)
	inf, err := NewCurator(Lockstep, vouch.For(account.Unlimited), seeded(1))
	if err != nil {
		f.Fatal(err)
	}
	state = require.Value(inf.Save())(f)
	empty := state.Bytes()
	f.Add(append(append(empty[:len(empty)-1:len(empty)-1], 1), chargeBytes(&c)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, budget := range []account.Budget{{Epsilon: Nano}, account.Unlimited, {Epsilon: Nano, Delta: 1e12}} {
			d, err := NewCurator(Lockstep, vouch.For(budget), seeded(2))
			if err != nil {
				t.Fatal(err)
			}
			if err = d.Load(NewSecret(vouch.For(b))); err != nil {
				if !errors.Is(err, ErrState) {
					t.Fatal(err)
				}
				continue
			}
			one := require.Value(d.Save())(t)
			require.NoError(t, d.Load(one))
			two, err := d.Save()
			if err != nil || !slices.Equal(one.Bytes(), two.Bytes()) {
				t.Fatalf("saved %x, then %x, %v", one.Bytes(), two.Bytes(), err)
			}
			for s := range d.streams {
				next := require.Value(d.Skip(StreamID(s), 3))(t)
				if _, err := d.Leaf(StreamID(s), next); err != nil && !errors.Is(err, ErrHorizon) {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestASecretIsNotChanged by who has its bytes: what it says would become releases.
func TestASecretIsNotChanged(t *testing.T) {
	s := NewSecret(vouch.For([]byte("rewards")))
	if s.Bytes()[0] = 'x'; string(s.Bytes()) != "rewards" {
		t.Errorf("now it contains %s", s.Bytes())
	}
}

func TestASecretPrintsAsPrivate(t *testing.T) {
	s := NewSecret(vouch.For([]byte("rewards")))
	j := require.Value(json.Marshal(map[string]any{"state": s}))(t)
	for _, got := range []string{
		fmt.Sprint(s), fmt.Sprintf("%v %s %x %q %+v %#v", s, s, s, s, s, &s), fmt.Sprint([]Secret{s}),
		string(j), slog.AnyValue(s).Resolve().String(),
	} {
		if strings.Contains(got, "rewards") || strings.Contains(got, "72 65") || strings.Contains(got, "7265") ||
			strings.Contains(got, "114 101") || !strings.Contains(got, "private") {
			t.Errorf("%q", got)
		}
	}
}
