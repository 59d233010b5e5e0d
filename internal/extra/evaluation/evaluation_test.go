package evaluation

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/internal/decisions"
	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
)

func all(rows []decisions.Row) iter.Seq2[decisions.Row, error] {
	return func(yield func(decisions.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func evaluated(t *testing.T, rows []decisions.Row, o Options) *Report {
	t.Helper()
	return require.Value(Evaluate(all(rows), o))(t)
}

// of returns the estimate of a policy.
func (r *Report) of(t *testing.T, policy string) Estimate {
	t.Helper()
	for _, e := range r.Estimates {
		if e.Policy == policy {
			return e
		}
	}
	t.Fatalf("no estimate of %s in %v", policy, r.Estimates)
	return Estimate{}
}

var names = []string{"red", "green", "blue"}

func coin(rng *rand.Rand, p float64) float64 {
	if rng.Float64() < p {
		return 1
	}
	return 0
}

// draw returns a place, each with its probability.
func draw(rng *rand.Rand, p []float64) int {
	u := rng.Float64()
	for i, x := range p {
		if u -= x; u < 0 {
			return i
		}
	}
	return len(p) - 1
}

// explored is the log of a learner that takes the action with the best mean, after an exposure of each, and explores with a
// share of its decisions.
func explored(seed uint64, n int, means []float64, share float64) (rows []decisions.Row) {
	rng := rand.New(rand.NewPCG(seed, 1))
	sums, counts := make([]float64, len(means)), make([]float64, len(means))
	for i := range n {
		r := decisions.Row{Source: decision.Learned, Reported: true}
		p := make([]float64, len(means))
		best := 0
		for a := range p {
			p[a] = share / float64(len(p))
			if (sums[a]+1)/(counts[a]+2) > (sums[best]+1)/(counts[best]+2) {
				best = a
			}
		}
		p[best] += 1 - share
		a := draw(rng, p)
		if i < len(means) {
			a, r.Source, p = i, decision.Exposure, []float64{1, 1, 1}
		}
		r.Name, r.PScore, r.Reward = names[a], p[a], coin(rng, means[a])
		sums[a] += r.Reward
		counts[a]++
		rows = append(rows, r)
	}
	return rows
}

// circled is a decision by features: the context is a point on a circle, and an action pays the more the nearer it is.
func circled(rng *rand.Rand) (context []float64, actions [][]float64, means []float64) {
	at := rng.Float64() * 2 * math.Pi
	context = []float64{math.Cos(at), math.Sin(at)}
	for range names {
		of := rng.Float64() * 2 * math.Pi
		x := []float64{math.Cos(of), math.Sin(of)}
		actions = append(actions, x)
		means = append(means, .5+.4*(x[0]*context[0]+x[1]*context[1]))
	}
	return context, actions, means
}

// shadowed is the log of an application that chooses with fixed probabilities, while a peer proposes an action and would
// take it except for a share of decisions in which it explores.
func shadowed(rng *rand.Rand, n int) (rows []decisions.Row) {
	own := []float64{.5, .3, .2}
	const explore = .1
	for range n {
		context, actions, means := circled(rng)
		best := 0
		for a := range means {
			if means[a] > means[best] {
				best = a
			}
		}
		peer := []float64{explore / 3, explore / 3, explore / 3}
		peer[best] += 1 - explore
		a := draw(rng, own)
		rows = append(rows, decisions.Row{
			Name: names[a], PScore: own[a], Source: decision.Application, Reward: coin(rng, means[a]), Reported: true, Context: context,
			Offered: names, Actions: actions, Proposed: names[draw(rng, peer)], PeerPScore: peer[a],
		})
	}
	return rows
}

// TestIntervalsCover: of intervals of 95 %, at least 93 % cover the truth, by every estimator, over 300 logs: of a learner that
// explores, and of an application with a policy of its own whose peer proposes. PEERD_OFF_POLICY_SEEDS sets another number of
// logs, such as 1000.
func TestIntervalsCover(t *testing.T) {
	seeds := 300
	if text := os.Getenv("PEERD_OFF_POLICY_SEEDS"); text != "" {
		n := require.Value(strconv.Atoi(text))(t)
		seeds = n
	}
	table := &Table{Version: "t"}
	for i, weight := range []uint64{5, 3, 2} {
		table.Actions = append(table.Actions, Share{names[i], &weight})
	}
	means := []float64{.3, .5, .6}
	for what, c := range map[string]struct {
		o    Options
		log  func(seed uint64) []decisions.Row
		want map[string]float64
	}{
		"a learner that explores": {
			Options{Actions: names, Table: table},
			func(seed uint64) []decisions.Row { return explored(seed, 800, means, .3) },
			map[string]float64{"table t": .5*.3 + .3*.5 + .2*.6, "always red": .3, "always blue": .6, "uniform": 1.4 / 3},
		},
		"a shadow": {
			Options{Actions: names, Inputs: bandit.Inputs{Context: 2, Action: 2, Map: bandit.Outer}},
			func(seed uint64) []decisions.Row { return shadowed(rand.New(rand.NewPCG(seed, 2)), 800) },
			map[string]float64{"what the peer proposed": peerTruth(), "uniform": .5, "always red": .5},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			covered := make(map[string]int)
			for seed := range uint64(seeds) {
				r := evaluated(t, c.log(seed), c.o)
				for policy, truth := range c.want {
					e := r.of(t, policy)
					for name, i := range map[string]*Interval{"IPS": e.IPS, "SNIPS": e.SNIPS, "DR": e.DR} {
						if i == nil {
							t.Fatalf("seed %d: no %s of %s: %v", seed, name, policy, r.Warnings)
						}
						if i.Low <= truth && truth <= i.High {
							covered[policy+" by "+name]++
						}
					}
				}
			}
			for which, n := range covered {
				t.Logf("%s: %d of %d", which, n, seeds)
				if 100*n < 93*seeds {
					t.Errorf("%s: %d of %d intervals cover the truth, want 93 %%", which, n, seeds)
				}
			}
			if len(covered) != 3*len(c.want) {
				t.Errorf("%d of %d are covered at all", len(covered), 3*len(c.want))
			}
		})
	}
}

// peerTruth is what the peer of shadowed gets on average, by 400,000 decisions of other coins: to .0003.
func peerTruth() float64 {
	rng := rand.New(rand.NewPCG(1, 3))
	sum, n := 0., 400_000
	for range n {
		_, _, means := circled(rng)
		sum += .9*max(means[0], means[1], means[2]) + .1*(means[0]+means[1]+means[2])/3
	}
	return sum / float64(n)
}

// TestDoublyRobustIsNarrower: where features predict the rewards.
func TestDoublyRobustIsNarrower(t *testing.T) {
	r := evaluated(t, shadowed(rand.New(rand.NewPCG(1, 2)), 4000), Options{Actions: names, Inputs: bandit.Inputs{Context: 2, Action: 2, Map: bandit.Outer}})
	e := r.of(t, "what the peer proposed")
	if wide, narrow := e.IPS.High-e.IPS.Low, e.DR.High-e.DR.Low; narrow > .8*wide {
		t.Errorf("DR is %.4f wide, IPS %.4f", narrow, wide)
	}
	if gain := peerTruth() - .5; e.Gain.Low > gain || e.Gain.High < gain {
		t.Errorf("the peer would have gained %v, want %.4f", e.Gain, gain)
	}
}

// TestWhatCannotBeEstimatedIsSaid: with the number, and the setting that would change it.
func TestWhatCannotBeEstimatedIsSaid(t *testing.T) {
	certain := explored(1, 500, []float64{.3, .5, .6}, 0)
	shadow := explored(1, 500, []float64{.3, .5, .6}, 0)
	for i := range shadow {
		shadow[i].Source = decision.Application
	}
	based := explored(1, 400, []float64{.3, .5, .6}, 0)
	for i := range based { // red has a share of a third, the rest is blue in the first half and green in the second
		based[i].Source, based[i].Name, based[i].PScore = decision.Learned, names[2-i/200], 2./3
		if i%3 == 0 {
			based[i].Source, based[i].Name, based[i].PScore = decision.Baseline, names[0], 1./3
		}
	}
	rare := explored(1, 200, []float64{.3, .5, .6}, .02)
	late := explored(1, 500, []float64{.3, .5, .6}, .3)
	for i := range 100 {
		late[i+100].Reported, late[i+100].LateBy = false, float64(i+1)
	}
	unscored := explored(1, 500, []float64{.3, .5, .6}, .3)
	for i := range 200 {
		unscored[i+10].PScore = 0
	}
	kept := explored(1, 500, []float64{.3, .5, .6}, .3)
	for i := range kept { // those with even numbers could have been otherwise
		if kept[i].Kept = i < 200; kept[i].Kept && i%2 > 0 {
			kept[i].PScore = 1
		}
	}
	for what, c := range map[string]struct {
		rows []decisions.Row
		o    Options
		want []string
	}{
		"kept": {kept, Options{Explore: .3}, []string{
			"99 decisions have a propensity of 1: no other action was possible. They are left out of all estimates except of what ran; learner.explore is 0.3",
			"3 decisions followed rules of the site", "102 decisions with a propensity of 1 were kept: the estimates of other policies are of those that were given to the network",
		}},
		"certain": {certain, Options{}, []string{
			"497 decisions have a propensity of 1: no other action was possible. So nothing can be said of other policies; set learner.explore, such as to 0.05, at this site: decisions from then on have propensities below 1.",
			"3 decisions followed rules of the site, such as api.min_exposures, that left no other action: they are left out of all estimates except of what ran.",
		}},
		"an application that does not explore": {shadow, Options{}, []string{
			"500 decisions have a propensity of 1: no other action was possible. So nothing can be said of other policies; the application has to choose among actions at random",
		}},
		"rare": {rare, Options{Explore: .02}, []string{"No estimate of uniform, always red, always green and 1 more: ", "wait for more decisions, or set learner.explore above 0.02 at this site"}},
		"a baseline that leaves the rest to a learner that does not explore": {based, Options{}, []string{
			"always blue: its weights have a mean of 0.5", "% of the decisions it takes actions that were not possible: no estimate; set learner.explore, such as to 0.05, at this site",
		}},
		"late": {late, Options{Explore: .3, Window: time.Hour}, []string{
			"100 decisions got no reward in time, and count with api.default_reward.",
			"100 decisions got a reward too late, which did not count. With api.window: 1h1m30s or longer 90 % of these would have.",
		}},
		"unscored": {unscored, Options{Explore: .3}, []string{"200 decisions have no propensity, since their learner computes none, and are left out; learner.explore is 0.3 at this site"}},
	} {
		c.o.Actions = names
		r := evaluated(t, c.rows, c.o)
		for _, want := range c.want {
			if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, want) {
				t.Errorf("%s: %s\nwant %s", what, text, want)
			}
		}
		var b strings.Builder
		r.Print(&b)
		if !strings.HasSuffix(b.String(), Raw+"\n") || !strings.Contains(b.String(), Ran) {
			t.Errorf("%s:\n%s", what, b.String())
		}
		if what == "certain" && (r.of(t, "uniform").IPS != nil || r.of(t, "uniform").Support != 0 || r.Estimates[0].Decisions != 500 || r.Estimates[0].DR == nil) {
			t.Errorf("an estimate without support: %+v", r.Estimates)
		}
		if text := fmt.Sprintf("%v %+v", r, *r); text != "private private" {
			t.Error(text)
		}
	}
}

// TestExclusionsAndNewActions: an action counts where it could be chosen, and a table shares the rest.
func TestExclusionsAndNewActions(t *testing.T) {
	table := require.Value(ParseTable([]byte(`{"version":"v1","model":"1-2-3","salt":"s","actions":[{"name":"red","weight":3},{"name":"green","weight":1}],"made_at":"2026-01-01T00:00:00Z"}`)))(t)
	rows := explored(5, 3000, []float64{.3, .5, .6}, .5)
	for i := range rows {
		switch {
		case i < 3:
		case i%3 == 0 && rows[i].Name != "red":
			rows[i].Offered = []string{"green", "blue"}
		case i%3 == 1 && rows[i].Name == "blue":
			rows[i].Offered = []string{"blue"} // none of the table
		}
	}
	r := evaluated(t, rows, Options{Actions: names, Table: table})
	red, tabled := r.of(t, "always red"), r.of(t, "table v1")
	if red.Decisions >= r.Weighted || tabled.Decisions >= r.Weighted || red.Decisions == tabled.Decisions {
		t.Errorf("red in %d, table in %d of %d", red.Decisions, tabled.Decisions, r.Weighted)
	}
	d := weighed{names: []string{"green", "blue"}, taken: 0, pscore: .5}
	if c, ok := table.of(&d); !ok || c.taken != 1 || c.all[1] != 0 {
		t.Errorf("%+v", c)
	}
	d.names = []string{"blue"}
	if _, ok := table.of(&d); ok {
		t.Error("the table applies to an action that it does not have")
	}
	zero := &Table{Actions: table.Actions[:1:1]}
	zero.Actions = append(zero.Actions, table.Actions[1])
	zero.Actions[0].Weight, zero.Actions[1].Weight = new(uint64), new(uint64)
	d.names = names
	if c, _ := zero.of(&d); c.taken != .5 || c.all[2] != 0 {
		t.Errorf("weights of 0: %+v", c)
	}
	for _, wrong := range []string{``, `{}`, `{"actions":[]}`, `{"actions":[{"name":"a","weight":-1}]}`, `{"actions":[{"name":"a","weight":1},{"name":"a","weight":1}]}`, `{"actions":[{"name":"a","weight":1048577}]}`} {
		if _, err := ParseTable([]byte(wrong)); err == nil {
			t.Errorf("%s is a table", wrong)
		}
	}
}
