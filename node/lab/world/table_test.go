package world

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
)

// memory is a File.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// only opens one file, of this content.
func only(name, content string) func(string) (File, error) {
	return func(asked string) (File, error) {
		if asked != name {
			return nil, fmt.Errorf("open %s: %w", asked, fs.ErrNotExist)
		}
		return memory{bytes.NewReader([]byte(content))}, nil
	}
}

// manySheet has 3,000 records of every arm, of as many patients.
func manySheet() string {
	var lines []line
	treatments := []string{"insulin=Steady", "metformin=Steady", "acarbose=Steady", "glyburide=Steady", ""}
	for i := range 15000 {
		lines = append(lines, line{i, "?", treatments[i%5], []string{"NO", ">30", "<30"}[i/5%(2+i%5/2)%3]})
	}
	return sheet(lines)
}

var many = manySheet()

// network is a Config of a number of sites, with data of 5 arms.
func network(params Params, sites int) Config {
	c := Config{
		Arms: TraitsOf(params).Arms, Sites: sites, RecordsPerUser: 1, Data: "data", Open: files(map[string]string{"data/diabetes/diabetic_data.csv": many, "data/ltr/rank.train": judgedSheet}),
		Instance: func(number uint64) *rand.Rand { return rand.New(seeded(number)) },
	}
	if c.Arms == 0 {
		c.Arms = 3
	}
	return c
}

// small returns the sites of a world with these parameters.
func small(t testing.TB, params Params, sites int) *Sites {
	t.Helper()
	source := require.Value(Open(params, network(params, sites)))(t)
	return require.Value(source.Sites(nil))(t)
}

// Small returns parameters that suit any number of sites, and of which a few rounds show all.
func Small(p Params) Params {
	means := [][]float64{{.2, .8, .5}}
	switch p := p.(type) {
	case BernoulliParams:
		return BernoulliParams{Means: means, Draw: Given}
	case ChangingParams:
		return ChangingParams{Means: means, Draw: Given, Every: 8}
	case GaussianParams:
		return GaussianParams{Means: means, Draw: Given, SD: .3, Clip: true}
	case LinearParams:
		return LinearParams{Features: 3, Law: Sphere, Draw: FreshActions, Gap: .1, Instance: 1}
	case RankingParams:
		return RankingParams{Columns: CommonColumns, Features: 3}
	default:
		return p
	}
}

// TestEntriesDescribeThemselves: names, tags and functions are there, defaults suit a
// network unless a parameter without a default is missing, and Small suits any.
func TestEntriesDescribeThemselves(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Table() {
		if e.Words().Name == "" || seen[e.Words().Name] || e.Words().Summary == "" {
			t.Errorf("%q: twice, or without a name or a summary", e.Words().Name)
		}
		seen[e.Words().Name] = true
		v := reflect.ValueOf(e)
		unset := map[string]bool{}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			key := strings.ToLower(f.Name)
			unset[key] = v.Field(i).IsZero()
			if f.Tag.Get("want") == "" || !strings.HasSuffix(f.Tag.Get("doc"), ".") {
				t.Errorf("%s: %s has want %q, doc %q", e.Words().Name, f.Name, f.Tag.Get("want"), f.Tag.Get("doc"))
			}
			if words := strings.Split(f.Tag.Get("want"), "|"); f.Type.Kind() == reflect.String && len(words) > 1 && !slices.Contains(words, v.Field(i).String()) {
				t.Errorf("%s: the default of %s is %v, want %v", e.Words().Name, key, v.Field(i), words)
			}
		}
		if field, want := Check(e, network(e, 3)); field != "" && !unset[field] {
			t.Errorf("%s: the default of %s is refused: want %s", e.Words().Name, field, want)
		}
		for sites := range 7 {
			if field, want := Check(Small(e), network(Small(e), sites)); field != "" {
				t.Errorf("%s: Small is refused for %d sites: %s, want %s", e.Words().Name, sites, field, want)
			}
		}
	}
}

// TestWorldsGoOnWhereTheyWereSaved: every world of every site, saved after 100 of 200
// rounds and loaded into another of the same seed, pays the same from there on, also where
// that one had been ahead.
func TestWorldsGoOnWhereTheyWereSaved(t *testing.T) {
	for _, e := range Table() {
		s := small(t, Small(e), 3)
		arms := network(Small(e), 3).Arms
		for i := range 3 {
			made := func() bandit.World {
				return require.Value(s.World(i, seeded(uint64(i))))(t)
			}
			play := func(w bandit.World, from, to uint64) (paid []bandit.Reward) {
				for round := from; round < to; round++ {
					turn := w.Turn(round)
					if turn.Round != round || len(turn.Excluded) != 0 || !described(&turn, arms, TraitsOf(Small(e)).Features) {
						t.Fatalf("%s: round %d offers %+v", e.Words().Name, round, turn)
					}
					y := require.Value(w.Play(bandit.Arm(round * round % uint64(arms))))(t)
					paid = append(paid, y)
				}
				return paid
			}
			w := made()
			play(w, 0, 100)
			state := w.Save()
			want := play(w, 100, 200)
			if again := play(w, 100, 200); slices.Equal(want, again) {
				t.Errorf("%s: 100 rewards twice", e.Words().Name)
			}
			fresh, ahead := made(), w
			for _, w := range []bandit.World{fresh, ahead} {
				require.NoError(t, w.Load(state))
				if !bytes.Equal(w.Save(), state) {
					t.Errorf("%s: loaded and saved, the state differs", e.Words().Name)
				}
				if got := play(w, 100, 200); !slices.Equal(got, want) {
					t.Errorf("%s: site %d pays otherwise after a restart", e.Words().Name, i)
				}
			}
		}
	}
}

// described reports whether a turn has as many features as it should.
func described(turn *bandit.Turn, arms, features int) bool {
	if features == 0 {
		return turn.Features == nil
	}
	return len(turn.Features) == arms && !slices.ContainsFunc(turn.Features, func(x bandit.Features) bool { return len(x) != features })
}

// TestBadStatesAreRefused, and change nothing.
func TestBadStatesAreRefused(t *testing.T) {
	for _, e := range Table() {
		w := require.Value(small(t, Small(e), 1).World(0, seeded(1)))(t)
		good := w.Save()
		for name, bad := range map[string][]byte{
			"world: saved state of 0 bytes, want ":      nil,
			"world: saved state of version 2, want 1":   append([]byte{2}, good[1:]...),
			fmt.Sprintf("%d bytes, want ", len(good)-1): good[:len(good)-1],
			fmt.Sprintf("%d bytes, want ", len(good)+1): append(slices.Clone(good), 0),
			"world: saved state":                        append([]byte{1}, bytes.Repeat([]byte{255}, len(good)-1)...),
		} {
			if err := w.Load(bad); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v, want %s", e.Words().Name, err, name)
			}
		}
		if !bytes.Equal(w.Save(), good) {
			t.Errorf("%s: a refused state was taken over", e.Words().Name)
		}
	}
}

func TestRegretIsTheGapToTheBestMeanOverSites(t *testing.T) {
	for _, e := range Table() {
		if TraitsOf(e).Features > 0 {
			continue // arms have no means
		}
		for _, sites := range []int{1, 3} {
			s := small(t, Small(e), sites)
			all, gap := s.Overall(), s.Gaps()
			best := slices.Max(all)
			for i := range sites {
				w := require.Value(s.World(i, seeded(1)))(t)
				if p, ok := w.(payer); ok && !slices.Equal(p.Means(), s.Means[i]) {
					t.Errorf("%s: site %d pays %v on average, want %v", e.Words().Name, i, p.Means(), s.Means[i])
				}
				w.Turn(0)
				least := math.Inf(1)
				for a := range all {
					r := w.Regret(bandit.Arm(a))
					if want := best - all[a]; r != want || r != gap[a] || r < 0 {
						t.Errorf("%s: arm %d has regret %v, want %v", e.Words().Name, a, r, want)
					}
					least = min(least, r)
				}
				if least != 0 {
					t.Errorf("%s: no arm is best", e.Words().Name)
				}
			}
		}
	}
}

// TestWorldsPrintPrivate: no world shows a reward, or the random numbers that make them.
func TestWorldsPrintPrivate(t *testing.T) {
	for _, e := range Table() {
		w := require.Value(small(t, Small(e), 1).World(0, seeded(1)))(t)
		require.Value(w.Play(0))(t)
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%s", "%x"} {
			if s := fmt.Sprintf(verb, w); s != "private" {
				t.Errorf("%s of %s: %s", verb, e.Words().Name, s)
			}
			if s := fmt.Sprintf(verb, reflect.ValueOf(w).Elem().Interface()); s != "private" {
				t.Errorf("%s of a copy of %s: %s", verb, e.Words().Name, s)
			}
		}
	}
}

// TestParametersAreRefused: the field, and what is wanted of it.
func TestParametersAreRefused(t *testing.T) {
	for _, c := range []struct {
		params      Params
		field, want string
	}{
		{BernoulliParams{Draw: Given}, "means", "a row of numbers as long as arms with world.kind: bernoulli"},
		{GaussianParams{Draw: Given, SD: 1}, "means", "a row of numbers as long as arms with world.kind: gaussian"},
		{BernoulliParams{Draw: BySite, Means: [][]float64{{0, 0, 0}}}, "means", "[] with draw: sites"},
		{GaussianParams{Draw: Shared, SD: 1, Means: [][]float64{{0, 0, 0}}}, "means", "[] with draw: shared"},
		{BernoulliParams{Draw: Given, Means: [][]float64{{0, 0}}}, "means", "3 numbers a row, as many as arms; row 0 has 2"},
		{GaussianParams{Draw: Given, SD: 1, Means: [][]float64{{0, 0, 0}, {0}}}, "means", "3 numbers a row, as many as arms; row 1 has 1"},
		{BernoulliParams{Draw: Given, Means: [][]float64{{0, 0, 1.5}}}, "means", "numbers from 0 to 1 with world.kind: bernoulli; see row 0"},
		{GaussianParams{Draw: Given, Means: [][]float64{{0, -2, 1.5}}}, "", ""},
		{BernoulliParams{Draw: Given, Means: slices.Repeat([][]float64{{0, 0, 0}}, 5)}, "means", "at most 4 rows, one for each site, not 5"},
		{BernoulliParams{Draw: Given, Means: [][]float64{{0, 0, 0}, {0, 0, 0}}}, "", ""},
		{BernoulliParams{Draw: Given, Means: [][]float64{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, "", ""},
		{BernoulliParams{Draw: BySite}, "", ""},
		{ReplayParams{Split: Patient, Cap: 3}, "cap", "at most privacy.records_per_user: 2, or the promise to a patient is false"},
		{ReplayParams{Split: Patient, Cap: 2}, "", ""},
	} {
		n := Config{Arms: 3, Sites: 4, RecordsPerUser: 2}
		if field, want := Check(c.params, n); field != c.field || want != c.want {
			t.Errorf("%s %+v: %s, want %s", c.params.Words().Name, c.params, field, want)
		}
		if c.field == "" {
			continue
		}
		_, err := Open(c.params, n)
		var refused *ParamError
		if want := "world." + c.params.Words().Name + "." + c.field + ": want " + c.want; !errors.As(err, &refused) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestBadNetworksAreRefused(t *testing.T) {
	for _, e := range Table() {
		for _, c := range []struct {
			arms, sites int
			want        string
		}{
			{0, 1, "world: 0 arms, want at least 1"},
			{3, 0, "world: 0 sites, want at least 1"},
		} {
			if _, err := Open(Small(e), Config{Arms: c.arms, Sites: c.sites}); err == nil || err.Error() != c.want {
				t.Errorf("%s: %v, want %s", e.Words().Name, err, c.want)
			}
		}
	}
	if _, err := Open(Small(ReplayParams{Split: Contiguous, Cap: 1}), Config{Arms: 3, Sites: 1}); err == nil || err.Error() != "world: replay has 5 arms, not 3" {
		t.Error(err)
	}
}

// TestOnlyReplayPaysFromPeople: and says how often one of them may appear, and where.
func TestOnlyReplayPaysFromPeople(t *testing.T) {
	for _, e := range Table() {
		got, want := TraitsOf(Small(e)).People, People{}
		if p, ok := Small(e).(ReplayParams); ok {
			want = People{1, "world.replay.split: contiguous", "world.replay.split: patient, or world.replay.cap: 1"}
			if one := TraitsOf(ReplayParams{p.Data, Patient, 7}).People; one != (People{Records: 7}) {
				t.Errorf("split by patient: %+v", one)
			}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", e.Words().Name, got, want)
		}
	}
}

// TestAFolderKeepsHowRecordsAreDealt: another split or cap would deal the records again, and
// hand out records that the folder has used.
func TestAFolderKeepsHowRecordsAreDealt(t *testing.T) {
	params := reflect.TypeFor[ReplayParams]()
	for _, name := range []string{"Split", "Cap"} {
		if f, ok := params.FieldByName(name); !ok || f.Tag.Get("fixed") == "" {
			t.Errorf("%s: a folder may change it", name)
		}
	}
}
