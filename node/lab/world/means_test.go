package world

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
)

// TestDrawnMeansAreOfTheRunOrTheInstance: without an instance every run has other means, and
// there are none without a run; with one, all runs have the means of its number, clipped like
// rewards.
func TestDrawnMeansAreOfTheRunOrTheInstance(t *testing.T) {
	numbers := func(seed uint64) *rand.Rand { return rand.New(seeded(seed)) }
	for _, c := range []struct {
		clip   bool
		params func(d Draw, instance uint64) Params
	}{
		{false, func(d Draw, i uint64) Params { return BernoulliParams{Draw: d, Instance: i} }},
		{false, func(d Draw, i uint64) Params { return GaussianParams{Draw: d, Instance: i, SD: 1} }},
		{true, func(d Draw, i uint64) Params { return GaussianParams{Draw: d, Instance: i, SD: 1, Clip: true} }},
	} {
		e := c.params(Given, 0)
		name := fmt.Sprintf("%s, clip: %v", e.Words().Name, c.clip)
		for _, d := range []Draw{BySite, Shared} {
			want := func(seed uint64) [][]float64 {
				rows := drawn(4, 2, d == Shared, numbers(seed))
				if c.clip {
					for i, row := range rows {
						row = slices.Clone(row)
						for a, m := range row {
							row[a] = clipped(m, 1)
						}
						rows[i] = row
					}
				}
				return rows
			}
			open := func(instance uint64) Source {
				source, err := Open(c.params(d, instance), Config{Arms: 2, Sites: 4, Instance: numbers})
				if err != nil {
					t.Fatal(err)
				}
				return source
			}
			for run := range uint64(3) {
				s, err := open(0).Sites(numbers(run))
				if err != nil || !slices.EqualFunc(s.Means, want(run), slices.Equal) {
					t.Errorf("%s, %s: run %d has %v, %v", name, d, run, s.Means, err)
				}
				s, err = open(9).Sites(numbers(run))
				if err != nil || !slices.EqualFunc(s.Means, want(9), slices.Equal) {
					t.Errorf("%s, %s: run %d of instance 9 has %v, %v", name, d, run, s.Means, err)
				}
			}
			if s, err := open(9).Sites(nil); err != nil || !slices.EqualFunc(s.Means, want(9), slices.Equal) {
				t.Errorf("%s, %s: instance 9 without a run: %v", name, d, err)
			}
			_, err := open(0).Sites(nil)
			var refused *ParamError
			if want := "world." + e.Words().Name + ".instance: 0 draws means for every run of an experiment; want a number from 1, the same for all peers"; !errors.As(err, &refused) || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if s := small(t, Small(e), 5); !slices.Equal(s.Means[0], s.Means[4]) {
			t.Errorf("%s: one row, and sites differ: %v", name, s.Means)
		}
		want := "world." + e.Words().Name + ".draw: want given, sites or shared"
		if _, err := Open(c.params("never", 0), Config{Arms: 2, Sites: 1}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestSitesTakeRowsInTurn: a row of means a site is the site's, and with more sites than
// rows the first one follows the last.
func TestSitesTakeRowsInTurn(t *testing.T) {
	p := BernoulliParams{Draw: Given, Means: [][]float64{{0, 1}, {1, 0}, {0, 1}}}
	for i := range 7 {
		s, row := small(t, p, 7), p.Means[i%3]
		w, err := s.World(i, seeded(1))
		if err != nil {
			t.Fatal(err)
		}
		for a, want := range row {
			if y, err := w.Play(bandit.Arm(a)); err != nil || float64(y) != want {
				t.Errorf("site %d, arm %d pays otherwise, %v", i, a, err)
			}
		}
	}
	s := small(t, p, 3)
	if got := s.Gaps(); math.Abs(got[0]-1./3) > 1e-15 || got[1] != 0 {
		t.Errorf("gaps %v", got)
	}
}

// The draws are part of what seeds mean in published runs: a change would change those.
func TestSeedsMeanWhatTheyDid(t *testing.T) {
	src := func() *rand.ChaCha8 { return rand.NewChaCha8([32]byte{1, 2, 3}) }
	b := NewBernoulli([]float64{.2, .5, .7}, src())
	g := NewGaussian([]float64{.2, .5, .7}, .3, true, src())
	var lines []line
	for i := range 200 {
		lines = append(lines, line{i, "?", []string{"insulin=Steady", "acarbose=Steady", "glyburide=Steady", "", "metformin=Steady"}[i%5], []string{"NO", ">30"}[i*i%7%2]})
	}
	r := NewReplay(load(t, lines), src())
	paid := func(w bandit.World, arms, rounds int, format string) (s string) {
		for i := range rounds {
			y, err := w.Play(bandit.Arm(i % arms))
			if err != nil {
				t.Fatal(err)
			}
			s += fmt.Sprintf(format, float64(y))
		}
		return s
	}
	for _, c := range []struct{ got, want string }{
		{paid(b, 3, 60, "%v"), "011011011011010101111000111010011001011111011011111001011001"},
		{paid(g, 3, 9, "%x "), "0x1.aa3743f3026ap-02 0x1.738effd801aebp-01 0x1.d743f368eeb87p-02 0x0p+00 0x1.50c44dc904a4cp-03 0x1.26850b9c7a36ep-01 0x1.177cfb55617ap-08 0x1.8ec762a8aaebap-02 0x1p+00 "},
		{paid(r, 5, 60, "%v"), "101100100100000000000110010010100100101111101011110000000000"},
		{fmt.Sprintf("%x", g.Means()), "[0x1.f5b8cf490943p-03 0x1p-01 0x1.5a1cd4258f4dep-01]"},
		{fmt.Sprint(r.Means()), "[0.3 0.25 0.3 0.275 0.3]"},
		{fmt.Sprintf("%x", drawn(3, 2, false, rand.New(src()))), "[[0x1.314166307503bp-01 0x1.e0f58cfecea88p-03] [0x1.502bbba310aaap-01 0x1.260ab865cafbcp-01] [0x1.017672d2a0972p-02 0x1.523196e5627f4p-02]]"},
		{fmt.Sprintf("%x", drawn(2, 2, true, rand.New(src()))), "[[0x1.314166307503bp-01 0x1.e0f58cfecea88p-03] [0x1.314166307503bp-01 0x1.e0f58cfecea88p-03]]"},
	} {
		if c.got != c.want {
			t.Errorf("%s\nwant %s", c.got, c.want)
		}
	}
}

// TestSitesScatterAroundSharedMeans: by the spread at most, within [0, 1], each of its own, and
// around the means that there are without a spread.
func TestSitesScatterAroundSharedMeans(t *testing.T) {
	const sites, arms, spread = 40, 30, .2
	rows := func(p BernoulliParams) [][]float64 {
		rows, err := p.means().bySite(BernoulliParams{}.Words().Name, Config{Sites: sites, Arms: arms}, rand.New(rand.NewPCG(4, 4)))
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	shared, scattered := rows(BernoulliParams{Draw: Shared})[0], rows(BernoulliParams{Draw: Shared, Spread: spread})
	inside, sum := 0, 0.
	for _, row := range scattered {
		for k, m := range row {
			if math.Abs(m-shared[k]) > spread+1e-12 || !probability(m) {
				t.Fatalf("arm %d has mean %v, want at most %v from %v and within [0, 1]", k, m, spread, shared[k])
			}
			if shared[k] > spread && shared[k] < 1-spread {
				inside++
				sum += m - shared[k]
			}
		}
	}
	if off := sum / float64(inside); math.Abs(off) > 4*spread/math.Sqrt(3*float64(inside)) {
		t.Errorf("means of sites differ by %v on average of %d, want 0", off, inside)
	}
	if slices.Equal(scattered[0], scattered[1]) {
		t.Error("sites are alike")
	}
	c := Config{Sites: sites, Arms: arms}
	for _, p := range []BernoulliParams{{Draw: BySite, Spread: .1}, {Draw: Shared, Spread: 1.1}, {Draw: Shared, Spread: -.1}, {Draw: Shared, Spread: math.NaN()}} {
		if _, err := Open(p, c); err == nil || !strings.HasPrefix(err.Error(), "world.bernoulli.spread: ") {
			t.Errorf("%+v: %v, want spread refused", p, err)
		}
	}
}

// TestSitesDiffer: the means of sites deviate from shared ones by the deviation, and sites of one group have the same ones.
func TestSitesDiffer(t *testing.T) {
	const sites, groups = 400, 100
	p := BernoulliParams{Draw: Shared, Deviation: .05, Groups: groups}
	rows, err := p.means().bySite(p.Words().Name, Config{Arms: 3, Sites: sites}, rand.New(rand.NewPCG(1, 3)))
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		sum, square := 0., 0.
		for i := range groups {
			sum += rows[i][k] / groups
			square += rows[i][k] * rows[i][k] / groups
		}
		if dev := math.Sqrt(max(0, square-sum*sum)); math.Abs(dev-.05) > .015 {
			t.Errorf("arm %d deviates by %v", k, dev)
		}
	}
	for i := range sites {
		if !slices.Equal(rows[i], rows[i%groups]) {
			t.Fatalf("site %d differs from its group", i)
		}
	}
	c := Config{Arms: 3, Sites: sites}
	for _, bad := range []BernoulliParams{
		{Draw: BySite, Deviation: .1}, {Draw: Shared, Deviation: 2}, {Draw: Shared, Groups: 2},
	} {
		if _, err := Open(bad, c); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// TestOddSites: an odd arm pays what its row says, at its site alone, whether means are given or drawn, and no draw
// depends on it. Rows that name no site, arm or mean are refused.
func TestOddSites(t *testing.T) {
	c := Config{Sites: 4, Arms: 3}
	rows := func(p BernoulliParams) [][]float64 {
		rows, err := p.means().bySite(p.Words().Name, c, rand.New(rand.NewPCG(5, 5)))
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	odd := [][]float64{{3, 2, .8}, {1, 0, 0}, {1, 2, .9}}
	for _, p := range []BernoulliParams{{Draw: Given, Means: [][]float64{{.6, .5, .4}}}, {Draw: Shared}, {Draw: BySite}, {Draw: Shared, Deviation: .1, Groups: 2}} {
		want := rows(p)
		for i := range want {
			want[i] = slices.Clone(want[i])
		}
		want[3][2], want[1][0], want[1][2] = .8, 0, .9
		p.Odd = odd
		if got := rows(p); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%+v: %v, want %v", p, got, want)
		}
		if got := TraitsOf(p).Odd; !slices.Equal(got, []int{1, 3}) {
			t.Errorf("odd sites %v, want 1 and 3", got)
		}
	}
	if p := (BernoulliParams{Draw: Given, Means: [][]float64{{.6, .5, .4}}, Odd: odd}); rows(p)[0][2] != .4 || p.Means[0][2] != .4 {
		t.Error("a row that sites share was changed")
	}
	for _, row := range [][]float64{{4, 0, .5}, {-1, 0, .5}, {.5, 0, .5}, {0, 3, .5}, {0, .5, .5}, {0, 0, 1.1}, {0, 0, -.1}, {0, 0}, {0, 0, .5, 1}, {math.NaN(), 0, .5}} {
		p := BernoulliParams{Draw: Shared, Odd: [][]float64{{0, 0, .5}, row}}
		if field, want := p.Check(c); field != "odd" || want == "" {
			t.Errorf("%v: refused %q, want odd", row, field)
		}
	}
	if field, _ := (BernoulliParams{Draw: Shared, Odd: [][]float64{{4, 0, .5}}}).Check(Config{Arms: 3}); field != "" {
		t.Error("a site is refused where their number is not known")
	}
}
