package kept

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/linear"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/rows"
)

// spec is a network of which sites keep decisions.
func spec(give node.Give) node.Spec {
	s := node.Spec{
		Arms: 3, Graph: [][]protocol.Peer{{1}, {0}}, Learner: bandit.PersonalizedParams{Price: 20}, Give: give, Sites: 20,
		Protocol: rows.PhasesParams{First: 4, Growth: .5, Limit: 100_000, Pull: 20, Merge: rows.MergeMean, F: 1},
		Privacy:  node.Privacy{Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano}, Mechanism: dp.EachLaplace, RecordsPerUser: 1, Horizon: 400},
	}
	s.Protocol, _ = s.Giving()
	return s
}

// byFeatures is such a network by features.
func byFeatures(give node.Give) node.Spec {
	s := spec(give)
	s.Learner = linear.PersonalizedLinearParams{Features: 2, Map: bandit.Concat, Records: linear.WithoutSquares, Price: 150}
	s.Protocol = batches.BatchParams{First: 10, Growth: 1, DecideFrom: batches.FromReleases, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}
	s.Privacy.Mechanism, s.Privacy.Budget.Delta = dp.EachGaussian, 1e12
	return s
}

// half returns the kept half of peer 0.
func half(t *testing.T, s node.Spec, seed uint64) *Half {
	t.Helper()
	h, err := New(&s, 0, node.NewSeed(seed))
	if err != nil || h == nil {
		t.Fatal(h, err)
	}
	return h
}

func add(t *testing.T, h *Half, arm bandit.Arm, y float64) {
	t.Helper()
	require.Value(h.Add("", bandit.Pull{Arm: arm, Reward: bandit.Reward(y)}))(t)
}

// sites are rows of other sites with a mean and a number of rewards for each arm.
func sites(of ...[]belief.Site) *node.Rows {
	r := &node.Rows{Sites: of}
	for range of {
		r.Version = append(r.Version, 1)
	}
	return r
}

func TestASiteThatGivesAllKeepsNothing(t *testing.T) {
	s := spec(node.GiveAll)
	if h, err := New(&s, 0, node.NewSeed(1)); h != nil || err != nil {
		t.Error(h, err)
	}
}

// TestAHalfIsPrivate in whatever form it is printed, and a choice too.
func TestAHalfIsPrivate(t *testing.T) {
	s := spec(node.GiveNone)
	h := half(t, s, 1)
	add(t, h, 1, .8125)
	h.See(sites(nil, []belief.Site{{Peer: 1, Mean: .77, N: 9, Released: 9}}, nil))
	for _, x := range []any{h, h.Choose(bandit.Turn{}, "a"), struct{ H *Half }{h}, []Choice{h.Choose(bandit.Turn{}, "b")}} {
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "half", x)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "half", x)
		text := regexp.MustCompile(`time\S+`).ReplaceAllString(log.String(), "")
		if b, err := json.Marshal(x); err == nil {
			text += string(b)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q", "%g", "%T"} {
			text += fmt.Sprintf(verb, x)
		}
		if regexp.MustCompile(`[0-9]`).MatchString(regexp.MustCompile(`0x[0-9a-f]+|"level":"INFO"`).ReplaceAllString(text, "")) {
			t.Errorf("%T is printed as %s", x, text)
		}
	}
}

// site is a row of another site.
func site(peer int, mean, n float64) belief.Site {
	return belief.Site{Peer: peer, Mean: mean, N: n, Released: n}
}

// TestClaimsCountForWhatTheRuleAllows: a site that gives all its decisions, or lies, counts for no more than one that follows the rule of giving.
func TestClaimsCountForWhatTheRuleAllows(t *testing.T) {
	h := half(t, spec(node.GiveFew), 1)
	most := h.of.Most
	claims := []belief.Site{site(1, .9, 1e12), site(2, .2, most), {Peer: 3, Mean: .5, N: 1e300, Released: 1e300, LaplaceSumSq: 7, LaplaceMax: 3}}
	want := []belief.Site{site(1, .9, most), site(2, .2, most), {Peer: 3, Mean: .5, N: most, Released: most, LaplaceSumSq: 7, LaplaceMax: 3}}
	h.See(sites(claims, nil, nil))
	if got := h.belief.Sites[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if claims[0].N != 1e12 {
		t.Error("the rows of the agent have changed")
	}
	few := spec(node.GiveFew)
	few.Sites = 0 // of two sites neither gives
	two := half(t, few, 1)
	if two.See(sites(claims[:1], nil, nil)); len(two.belief.Sites[0]) != 1 || two.belief.Sites[0][0].N != 32 {
		t.Errorf("%+v where nothing is given", two.belief.Sites[0])
	}
	free := half(t, spec(node.GiveNone), 1)
	if free.See(sites(claims, nil, nil)); free.belief.Sites[0][0].N != 1e12 {
		t.Error("a claim counts for less where there is no rule")
	}
	s := byFeatures(node.GiveFew)
	x := half(t, s, 1)
	sum := make([]float64, len(x.add))
	sum[0] = 400
	x.See(sites([]belief.Site{{Peer: 1, Sum: sum, N: 100 * x.of.Most, Released: 1, GaussVar: 1e4, LaplaceSumSq: 1e4, LaplaceMax: 100}}))
	if got := x.belief.Sites[0][0]; got.N != x.of.Most || got.Sum[0] != 4 || got.GaussVar != 1 || got.LaplaceSumSq != 1 || got.LaplaceMax != 1 || sum[0] != 400 {
		t.Errorf("by features %+v", got)
	}
}

// TestOwnRecordsAreExact: the own row has all own records and no noise, whatever their order, and not what the site has released.
func TestOwnRecordsAreExact(t *testing.T) {
	records := make([]float64, 1000)
	rng := rand.New(rand.NewPCG(1, 2))
	sum := 0.
	for i := range records {
		records[i] = float64(rng.IntN(1<<20+1)) / (1 << 20) // exact in the sum, too
		sum += records[i]
	}
	var first []belief.Site
	for order := range 3 {
		h := half(t, spec(node.GiveNone), 1)
		h.See(sites(nil, []belief.Site{site(0, .99, 500), site(1, .5, 10)}, nil))
		for _, i := range rng.Perm(len(records)) {
			add(t, h, 1, records[i])
		}
		h.Choose(bandit.Turn{}, "a")
		got := h.belief.Sites[1]
		if order == 0 {
			first = []belief.Site{site(0, sum/1000, 1000), site(1, .5, 10)}
		}
		if !reflect.DeepEqual(got, first) {
			t.Errorf("%+v, want %+v", got, first)
		}
		if h.belief.X[1] != (sum/1000+.5)/2 || h.belief.SampleVar[1] != (1./1000+1./10)/4 || h.belief.Known(0) {
			t.Errorf("%+v", h.belief.Means)
		}
	}
}

// TestAFractionIsRounded to the grid, so that sums have no order, and nothing outside of the bounds counts.
func TestAFractionIsRounded(t *testing.T) {
	var sums [2]uint64
	for i := range sums {
		h := half(t, spec(node.GiveNone), 1)
		for _, y := range [][]float64{{1. / 3, -7, .1, 5}, {5, .1, -7, 1. / 3}}[i] {
			add(t, h, 2, y)
		}
		sums[i] = h.parts[2].sum
	}
	if want := math.Round(unit/3.) + math.Round(unit/10.) + unit; sums[0] != sums[1] || math.Abs(float64(sums[0])-want) > 2 {
		t.Errorf("%d and %d, want %v", sums[0], sums[1], want)
	}
}

// TestAChoiceIsRepeatable: it follows from its id and the state, however many choices came between.
func TestAChoiceIsRepeatable(t *testing.T) {
	s := spec(node.GiveNone)
	s.Graph, s.Learner, s.Explore = [][]protocol.Peer{nil}, bandit.ThompsonParams{Inflation: math.Sqrt2}, .3
	h, other := half(t, s, 1), half(t, s, 2)
	for arm := range bandit.Arm(3) { // of an unknown arm it counts how often it was chosen
		add(t, h, arm, .5)
		add(t, other, arm, .5)
	}
	same, differ := true, 0
	for i := range 100 {
		id := fmt.Sprint(i)
		c := h.Choose(bandit.Turn{}, id)
		for j := range i % 3 {
			h.Choose(bandit.Turn{}, fmt.Sprint("between", j))
		}
		same = same && h.Choose(bandit.Turn{}, id) == c
		if other.Choose(bandit.Turn{}, id) != c {
			differ++
		}
		add(t, h, c.of.Arm, .5)
		add(t, other, c.of.Arm, .5)
	}
	if !same || differ == 0 {
		t.Errorf("repeated alike: %v; %d of 100 choices differ with another seed", same, differ)
	}
}

// TestAbsentArmsAreNotKeptEither: neither the learner nor exploration chooses an absent arm or an excluded one.
func TestAbsentArmsAreNotKeptEither(t *testing.T) {
	for _, explore := range []float64{0, .5} {
		s := spec(node.GiveNone)
		s.Arms, s.Absent, s.Explore = 5, []bandit.Arm{0, 3}, explore
		h := half(t, s, 1)
		all := map[bandit.Arm]int{}
		for i := range 200 {
			c := h.Choose(bandit.Turn{Excluded: []bandit.Arm{1}}, fmt.Sprint(i))
			all[c.of.Arm]++
			add(t, h, c.of.Arm, float64(i%2))
		}
		if all[2]+all[4] != 200 || all[2]*all[4] == 0 {
			t.Errorf("explore %v: arms %v", explore, all)
		}
	}
}

// TestHostileRowsDoNoHarm: whatever 1,000 peers claim, choices are arms, and the site's own records win where the price allows.
func TestHostileRowsDoNoHarm(t *testing.T) {
	for _, claim := range []belief.Site{
		{Mean: 1e300, N: 1e300, Released: 1e300},
		{Mean: -1e300, N: 1e300, Released: 1e300},
		{Mean: 1, N: 1e-300, Released: 1e-300},
		{Mean: .9, N: math.MaxFloat64, Released: math.MaxFloat64},
		{Mean: 7, N: 3, Released: 3, LaplaceSumSq: 1e300, LaplaceMax: 1e150, GaussVar: 1e300},
	} {
		s := spec(node.GiveFew)
		h := half(t, s, 1)
		var liars [3][]belief.Site
		for arm := range liars {
			for peer := 1; peer <= 1000; peer++ {
				c := claim
				c.Peer = peer
				if arm == 0 {
					c.Mean = -c.Mean
				}
				liars[arm] = append(liars[arm], c)
			}
		}
		h.See(sites(liars[:]...))
		w := &firstPays{}
		for i := range 600 {
			require.Value(h.Keep(fmt.Sprint(i), bandit.Turn{Round: uint64(i)}, w))(t)
		}
		if w.n[0]+w.n[1]+w.n[2] != 600 || w.n[0] < 300 {
			t.Errorf("claims of %+v: %v choices, of which the first arm pays", claim, w.n)
		}
	}
}

// firstPays is a world of which arm 0 alone pays.
type firstPays struct{ n [5]int }

func (*firstPays) Turn(round uint64) bandit.Turn { return bandit.Turn{Round: round} }
func (w *firstPays) Play(a bandit.Arm) (bandit.Reward, error) {
	w.n[a]++
	return bandit.Reward(1 - min(1, float64(a))), nil
}
func (*firstPays) Regret(bandit.Arm) float64 { return 0 }
func (*firstPays) Save() []byte              { return nil }
func (*firstPays) Load([]byte) error         { return nil }

// TestAnswersToKeptDecisionsShowRewards: no number is promised against who sees them. One reward decides about the next choice.
func TestAnswersToKeptDecisionsShowRewards(t *testing.T) {
	s := spec(node.GiveNone)
	s.Arms = 2
	next := map[bandit.Arm]float64{}
	for _, y := range []float64{0, 1} {
		h := half(t, s, 1)
		for range 4 {
			add(t, h, 0, .5)
			add(t, h, 1, .5)
		}
		add(t, h, 1, .5)
		add(t, h, 0, y)
		next[h.Choose(bandit.Turn{Round: 10}, "a").of.Arm] = y
	}
	if len(next) != 2 || next[0] != 1 {
		t.Errorf("arms by the reward of one user: %v", next)
	}
}

// TestGivingEndsWithoutSomeArms: the rule does not wait for arms that no site chooses.
func TestGivingEndsWithoutSomeArms(t *testing.T) {
	for _, absent := range [][]bandit.Arm{nil, {0, 1}} {
		s := spec(node.GiveFew)
		s.Arms, s.Absent = 5, absent
		a, err := s.Agent(node.PeerConfig{Seed: node.NewSeed(1), Noise: node.NewSeed(1).Noise(), Keys: vouch.For[protocol.Keys](forgeable.Keys(0))})
		if err != nil {
			t.Fatal(err)
		}
		given := 0
		for round := range protocol.Round(300) {
			if a.Gives() {
				given++
				require.Value(a.Give(round, bandit.Turn{Round: uint64(round)}, &firstPays{}))(t)
			}
			require.NoError(t, a.Tick(round))
		}
		if given == 0 || given > 100 {
			t.Errorf("without arms %v: %d of 300 decisions are given", absent, given)
		}
	}
}

// TestRowsOfAnAgentThatWasMadeAgain are taken, though it counts versions from 1 again.
func TestRowsOfAnAgentThatWasMadeAgain(t *testing.T) {
	h := half(t, spec(node.GiveNone), 1)
	h.See(sites([]belief.Site{site(1, .2, 10)}, nil, nil))
	h.See(sites([]belief.Site{site(1, .8, 20)}, nil, nil))
	if got := h.belief.Sites[0]; len(got) != 1 || got[0].N != 20 {
		t.Errorf("%+v", got)
	}
}

// TestFeaturesAreKept: with features records are shown in portions, and own sums do not depend on their order.
func TestFeaturesAreKept(t *testing.T) {
	s := byFeatures(node.GiveNone)
	var sums [2][]float64
	for order := range sums {
		h := half(t, s, 1)
		for n := 1; n <= 500; n++ {
			i := n - 1
			if order == 1 {
				i = 500 - n
			}
			x := bandit.Features{float64(i%7) / 10, -float64(i%5) / 9}
			require.Value(h.Add("", bandit.Pull{Features: x, Reward: bandit.Reward(i%3) / 2}))(t)
			h.Choose(bandit.Turn{Features: []bandit.Features{x, x}}, "a")
			if got := h.belief.Sites[0]; len(got) != 1 || got[0].N > float64(n) || got[0].N < float64(n)*(1-patience) || got[0].Released != 0 || got[0].GaussVar != 0 {
				t.Fatalf("%+v after %d records", got, n)
			}
		}
		h.show(0)
		sums[order] = h.belief.X
	}
	if !slices.Equal(sums[0], sums[1]) || len(sums[0]) != 5 {
		t.Errorf("%v and %v", sums[0], sums[1])
	}
}

// TestChancesAreThoseOfChoices: over many ids, actions are chosen as often as their chances say, also by a learner that samples, and with exploration.
func TestChancesAreThoseOfChoices(t *testing.T) {
	for _, explore := range []float64{0, .2} {
		for i, s := range []node.Spec{spec(node.GiveNone), byFeatures(node.GiveNone)} {
			s.Explore = explore
			h := half(t, s, 1)
			turn := bandit.Turn{Excluded: []bandit.Arm{2}}
			if i > 0 {
				turn.Features = []bandit.Features{{.5, .1}, {.1, .5}, {.2, .2}}
			}
			for n := range 60 {
				p := bandit.Pull{Arm: bandit.Arm(n % 2), Reward: bandit.Reward(n%3) / 2, Features: turn.Of(bandit.Arm(n % 2))}
				require.Value(h.Add(fmt.Sprint(n), p))(t)
			}
			const ids = 3000
			var chosen, chances, variance [3]float64
			for n := range ids {
				id := fmt.Sprint(n)
				c := h.Would(turn, id)
				chosen[c.Arm()]++
				sum := 0.
				for k, p := range h.Chances(turn, c, id) {
					chances[k], variance[k], sum = chances[k]+p, variance[k]+1./4, sum+p
				}
				if math.Abs(sum-1) > 1e-9 {
					t.Fatalf("explore %v, learner %d: chances add up to %v", explore, i, sum)
				}
			}
			for k := range chosen {
				if math.Abs(chosen[k]-chances[k]) > 5*math.Sqrt(variance[k]) || k == 2 && chances[k] > 0 {
					t.Errorf("explore %v, learner %d: action %d is chosen %v times, by its chances %.1f", explore, i, k, chosen[k], chances[k])
				}
			}
			if i > 0 && (chosen[0] < 30 || chosen[1] < 30) {
				t.Errorf("explore %v: %v choices by features: the test looks at nothing", explore, chosen)
			}
		}
	}
}
