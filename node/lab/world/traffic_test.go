package world

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
)

// trafficked returns the sites of a world with shares of rounds.
func trafficked(t testing.TB, e Params, sites int, shares ...float64) *Sites {
	t.Helper()
	c := network(Small(e), sites)
	c.Traffic = shares
	source := require.Value(Open(Small(e), c))(t)
	return require.Value(source.Sites(nil))(t)
}

func siteOf(t testing.TB, s *Sites, i int, seed uint64) bandit.World {
	t.Helper()
	return require.Value(s.World(i, seeded(seed)))(t)
}

// TestSitesDecideInTheirShareOfRounds, which they take in turn: as often as it says, in rounds
// that do not hang together and are others at other sites.
func TestSitesDecideInTheirShareOfRounds(t *testing.T) {
	const rounds = 20_000
	shares := []float64{.01, 1, .3}
	for _, e := range Table() {
		s := trafficked(t, e, 6, shares...)
		var asked [6][rounds]bool
		for i := range asked {
			w := siteOf(t, s, i, uint64(i))
			n, pairs := 0., 0.
			for round := range uint64(rounds) {
				turn := w.Turn(round)
				if turn.Round != round {
					t.Fatalf("%s: round %d offers %+v", e.Words().Name, round, turn)
				}
				asked[i][round] = !turn.None
				if !turn.None {
					n++
					if round > 0 && asked[i][round-1] {
						pairs++
					}
				}
			}
			p := shares[i%3]
			// Six standard deviations; pairs overlap, for which three times their variance is enough.
			if off := math.Abs(n - p*rounds); off > 6*math.Sqrt(rounds*p*(1-p)) {
				t.Errorf("%s: site %d decides in %v of %d rounds, want %v of them", e.Words().Name, i, n, rounds, p)
			}
			if off := math.Abs(pairs - p*p*rounds); p < 1 && off > 1+6*math.Sqrt(3*rounds*p*p) {
				t.Errorf("%s: site %d decides in %v pairs of rounds, want %v", e.Words().Name, i, pairs, p*p*rounds)
			}
		}
		if asked[0] == asked[3] || asked[2] == asked[5] {
			t.Errorf("%s: two sites decide in the same rounds", e.Words().Name)
		}
	}
}

// TestTrafficFollowsFromTheRound: a world that skips rounds, or was loaded, decides when one
// does that played all; and one that decides in every round pays what it does without traffic.
func TestTrafficFollowsFromTheRound(t *testing.T) {
	for _, e := range Table() {
		s := trafficked(t, e, 2, .3, 1)
		all, some := siteOf(t, s, 0, 4), siteOf(t, s, 0, 4)
		for round := range uint64(300) {
			turn := all.Turn(round)
			if !turn.None {
				require.Value(all.Play(0))(t)
			}
			if round%7 == 3 && some.Turn(round).None != turn.None {
				t.Errorf("%s: round %d differs for a world that skips rounds", e.Words().Name, round)
			}
		}
		again := siteOf(t, s, 0, 4)
		require.NoError(t, again.Load(all.Save()))
		for round := uint64(300); round < 400; round++ {
			if turn := all.Turn(round); again.Turn(round).None != turn.None {
				t.Fatalf("%s: round %d differs after Load", e.Words().Name, round)
			} else if turn.None {
				continue
			}
			want, _ := all.Play(1)
			if got, err := again.Play(1); err != nil || got != want {
				t.Fatalf("%s: round %d pays %v, %v after Load", e.Words().Name, round, got, err)
			}
		}
		full, plain := siteOf(t, s, 1, 5), siteOf(t, small(t, Small(e), 2), 1, 5)
		for round := range uint64(50) {
			if full.Turn(round).None || plain.Turn(round).None {
				t.Fatalf("%s: no decision in round %d", e.Words().Name, round)
			}
			want, _ := plain.Play(0)
			if got, err := full.Play(0); err != nil || got != want {
				t.Fatalf("%s: pays %v, %v with traffic", e.Words().Name, got, err)
			}
		}
	}
}

// TestRecordsStayFiniteWithTraffic, so that a life after a lost one does not play them again.
func TestRecordsStayFiniteWithTraffic(t *testing.T) {
	finite := 0
	for _, e := range Table() {
		with, without := siteOf(t, trafficked(t, e, 1, .5), 0, 1), siteOf(t, small(t, Small(e), 1), 0, 1)
		got, is := with.(bandit.Finite)
		want, was := without.(bandit.Finite)
		if is != was || is && got.Left(0) != want.Left(0) {
			t.Errorf("%s: is finite: %v with traffic and %v without", e.Words().Name, is, was)
		}
		if is {
			finite++
		}
	}
	if finite == 0 {
		t.Error("no world is finite")
	}
}

// TestSitesBeginAndEnd in their rounds, and are for the rest as they are where all sites begin at once and none ends.
func TestSitesBeginAndEnd(t *testing.T) {
	const sites, rounds = 4, 60
	for _, x := range []struct {
		late   Late
		shares []float64
		spans  [sites][2]uint64
	}{
		{Late{}, nil, [sites][2]uint64{{0, rounds}, {0, rounds}, {0, rounds}, {0, rounds}}},
		{Late{Sites: 2, Every: 10}, nil, [sites][2]uint64{{0, rounds}, {0, rounds}, {10, rounds}, {20, rounds}}},
		{Late{Sites: 2, Every: 10, Life: 15}, nil, [sites][2]uint64{{0, 15}, {0, 15}, {10, 25}, {20, 35}}},
		{Late{Sites: 4, Every: 7, Life: 40}, []float64{1, .5}, [sites][2]uint64{{7, 47}, {14, 54}, {21, rounds}, {28, rounds}}},
		{Late{Every: 10, Life: 30}, []float64{.5}, [sites][2]uint64{{0, 30}, {0, 30}, {0, 30}, {0, 30}}},
		{Late{Sites: 1, Every: 5, Life: math.MaxUint64}, nil, [sites][2]uint64{{0, rounds}, {0, rounds}, {0, rounds}, {5, rounds}}},
	} {
		for _, e := range Table() {
			name, c := fmt.Sprintf("%s, %+v", e.Words().Name, x.late), network(Small(e), sites)
			c.Traffic, c.Late = x.shares, x.late
			source, err := Open(Small(e), c)
			if err != nil {
				t.Fatal(name, err)
			}
			late, err := source.Sites(nil)
			if err != nil {
				t.Fatal(name, err)
			}
			prompt := small(t, Small(e), sites)
			if x.shares != nil {
				prompt = trafficked(t, e, sites, x.shares...)
			}
			for i, span := range x.spans {
				got, want := siteOf(t, late, i, uint64(i)), siteOf(t, prompt, i, uint64(i))
				for round := range uint64(rounds) {
					turn, other := got.Turn(round), want.Turn(round)
					if none := other.None || round < span[0] || round >= span[1]; turn.Round != round || turn.None != none {
						t.Fatalf("%s: site %d in round %d: %+v, want none: %v", name, i, round, turn, none)
					}
				}
				got, want = siteOf(t, late, i, uint64(i)), siteOf(t, prompt, i, uint64(i))
				for round := span[0]; round < min(span[1], span[0]+20); round++ {
					if turn := want.Turn(round); turn.None || got.Turn(round).None {
						continue
					}
					pays, _ := want.Play(0)
					if y, err := got.Play(0); err != nil || y != pays {
						t.Fatalf("%s: site %d pays %v in round %d, %v; want %v", name, i, y, round, err, pays)
					}
				}
				_, is := got.(bandit.Finite)
				if _, was := want.(bandit.Finite); is != was {
					t.Errorf("%s: site %d is finite: %v", name, i, is)
				}
			}
		}
	}
}

// TestTrafficIsRefused that is no share, or of more sites than there are.
func TestTrafficIsRefused(t *testing.T) {
	for _, c := range []struct {
		shares []float64
		want   string
	}{
		{[]float64{0}, "numbers over 0 up to 1; number 0 is 0"},
		{[]float64{.5, 1.5}, "numbers over 0 up to 1; number 1 is 1.5"},
		{[]float64{math.NaN()}, "numbers over 0 up to 1; number 0 is NaN"},
		{[]float64{1, 1, 1}, "at most 2 numbers, one for each site, not 3"},
	} {
		e := Table()[0]
		n := network(Small(e), 2)
		n.Traffic = c.shares
		_, err := Open(Small(e), n)
		var refused *ParamError
		if !errors.As(err, &refused) || fmt.Sprint(err) != "world.traffic: want "+c.want {
			t.Errorf("%v: %v, want %s", c.shares, err, c.want)
		}
	}
	for want, late := range map[string]Late{
		"world.late.sites: want at most 2, the number of sites, not 3": {Sites: 3, Every: 1},
		"world.late.every: want at least 1":                            {Sites: 2},
	} {
		e := Table()[0]
		n := network(Small(e), 2)
		n.Late = late
		_, err := Open(Small(e), n)
		var refused *ParamError
		if !errors.As(err, &refused) || err.Error() != want {
			t.Errorf("%+v: %v, want %s", late, err, want)
		}
	}
}
