package main

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/internal/lab/catalog"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
)

// TestFiguresInSmall plays every figure at a small part of its size: all cells are valid, the figure names every line, and
// the manifest says what was played.
func TestFiguresInSmall(t *testing.T) {
	for _, f := range catalog.Figures() {
		t.Run(f.Name, func(t *testing.T) {
			if f.Missing() != "" {
				t.Skip("PEERD_DATA has no " + f.Needs + "; scripts/fetch-data.sh gets the data")
			}
			rounds, seeds, fewer := uint64(100), 2, strings.HasPrefix(f.Name, "paper") && f.Name != "paper003-11" // whose components have fixed sizes
			switch f.Name {
			case "systems", "together", "rule-4", "paper003-noise", "paper003-11", "paper003-12": // with many sites, which sign
				rounds = 40
			case "paper000-central-gap", "paper000-communication", "paper002-3a", "fig2c": // with long first batches
				rounds = 400
			case "paper002-2c", "paper002-3c": // with up to 78 features besides
				rounds, seeds = 200, 1
			case "paper000-local":
				rounds = 200
			case "paper002-2a", "paper002-2b": // which count on 100 sites
				rounds, fewer = 50, false
			case "paper002-3d": // with both
				rounds, seeds, fewer = 50, 1, false
			}
			set := []string{"privacy.horizon=" + strconv.FormatUint(rounds, 10), "protocol.rows.every=50", "protocol.shuffle.every=25", "experiment.seeds=" + strconv.Itoa(seeds)}
			if fewer {
				set = append(set, "testnet.nodes=9")
			}
			c := require.Value(f.Load(false, nil))(t)
			want := plan.ExperimentOf(&c.Settings).Figure
			r := playFile(t, t.TempDir(), f.Name, set...)
			svg := string(r.file(t, "figure.svg"))
			for _, c := range r.Cells {
				line := c.Cell
				if want.Kind == "final" { // a point for each cell
					line, _, _ = strings.Cut(c.Cell, ", ")
					if len(want.Panels) > 0 || want.X == "privacy.epsilon" {
						line, _, _ = strings.Cut(c.Cell, ", ε")
					}
				}
				if !strings.Contains(svg, ">"+line+"<") {
					t.Errorf("no line is called %q", line)
				}
				if c.Rounds != rounds || c.Regret.Mean <= 0 || c.Refused > 0 {
					t.Errorf("%+v", c)
				}
			}
			for _, text := range regexp.MustCompile(">lower bound[^<]*<").FindAllString(svg, -1) {
				if strings.Count(svg, text) > 1 {
					t.Errorf("two lines are called %q", strings.Trim(text, "<>"))
				}
			}
			if strings.Contains(svg, ">lower bound") != want.Bound {
				t.Errorf("whether the lower bound is drawn, want %v", want.Bound)
			}
			if !strings.Contains(svg, "Simulated: noise comes from seeds") {
				t.Error("the figure does not say that it protects nobody")
			}
			if unclipped := plan.Unclipped(&c.Settings); strings.Contains(svg, "clipped") != unclipped {
				t.Errorf("whether rewards are clipped, %v, is not what the figure says", !unclipped)
			}
		})
	}
}

// TestCentredRewardsAtScale: on the instance of figure 3(a) of paper 002, sites with centred
// rewards lose at most the limit and at least 1.5 times less than with plain ones, and no run
// loses linearly.
func TestCentredRewardsAtScale(t *testing.T) {
	if os.Getenv("PEERD_LONG") == "" {
		t.Skip("scripts/show.sh centred runs it")
	}
	r := playFile(t, t.TempDir(), "../../configs/figures/paper002-centred.yaml")
	for i, most := range []float64{29, 42} {
		plain, c := r.Cells[i], r.Cells[2+i]
		ratio := plain.Regret.Mean / c.Regret.Mean
		t.Logf("%s: regret of a site %.1f, want at most %v, %.2f times less than %s; %d runs lose linearly", c.Cell, c.Regret.Mean, most, ratio, plain.Cell, c.Tails.Linear)
		if c.Regret.Mean > most || ratio < 1.5 || c.Tails.Linear > 0 || c.Rounds != 10_000 || c.Peers != 100 {
			t.Errorf("%+v", c)
		}
	}
}

// TestTheTwinsOfFigure2 are the same instance: the gaps between their arms are equal.
func TestTheTwinsOfFigure2(t *testing.T) {
	for _, name := range []string{"fig2a", "fig2b"} {
		var gaps []float64
		for _, twin := range []string{name, name + "-bernoulli"} {
			r := playFile(t, t.TempDir(), "../../configs/figures/"+twin+".yaml", "privacy.horizon=100", "experiment.seeds=1", "experiment.figure.kind=none", "experiment.figure.runs=0")
			gaps = append(gaps, r.Cells[0].Least)
		}
		if gaps[0] != gaps[1] || gaps[0] <= 0 {
			t.Errorf("%s: gaps between the best arms are %v", name, gaps)
		}
	}
}

// TestTheRadiiKeepTheirPromise in small; scripts/show.sh radius does it in full. The printed
// formula promises nothing about arms with few pulls.
func TestTheRadiiKeepTheirPromise(t *testing.T) {
	r := playFile(t, t.TempDir(), "../../configs/figures/radius.yaml", "privacy.horizon=2000", "experiment.seeds=4", "experiment.coverage=true", "experiment.figure.kind=none")
	for _, c := range r.Cells {
		v := c.Coverage
		if c.Misses == nil || math.Abs(4*c.Misses.Mean-float64(v.Misses)) > 1e-9 || c.Misses.High < c.Misses.Mean {
			t.Errorf("%s: %+v misses a run, %d in 4 runs", c.Cell, c.Misses, v.Misses)
		}
		if v == nil || v.Checked+v.Free > 4*3*5*2000 || v.Checked+v.Free < 4*3*5*1900 || v.Checked == 0 || v.Broken() || (v.Free > 0) != (c.Cell == "as printed") {
			t.Errorf("%s: %+v", c.Cell, v)
		}
	}
}

// TestABrokenPromiseIsTold: a peer that is alone while sites differ, or cut off, or that hears
// little without noise, is surer than it should be, and the experiment fails. Peers that work
// together are not.
func TestABrokenPromiseIsTold(t *testing.T) {
	r := &played{dir: t.TempDir()}
	got, stdout, stderr := peerd(t, "experiment", "run", "../../configs/coverage.yaml", "-o", r.dir, "--set", "privacy.horizon=1200",
		"--set", "experiment.seeds=1", "--set", "privacy.epsilon=inf", "--set", "privacy.mechanism=none")
	if got != exitUnexpected || !strings.Contains(stderr, "outside of their confidence radius") {
		t.Fatalf("code %d\n%s", got, stderr)
	}
	require.NoError(t, json.Unmarshal(r.file(t, "summary.json"), &r.Document))
	broken := map[string]bool{
		"alone, sites": true, "parted, max, sites": true, "parted, rows, sites": true, "path and slow clocks, max, rate = 0.001, sites": true,
		"alone, shared": false, "together, max, shared": false, "together, capped, sites": false, "together, rows, sites": false,
		"together, rows, noised counts, sites": false,
		"loss, rows, shared":                   false, "parted, rows, shared": false,
	}
	for _, c := range r.Cells {
		if c.Coverage == nil || !strings.Contains(stdout, c.Cell+": of ") {
			t.Fatalf("%s: nothing is told of its coverage\n%s", c.Cell, stdout)
		}
		if want, ok := broken[c.Cell]; ok && c.Coverage.Broken() != want {
			t.Errorf("%s: %+v, want broken to be %v", c.Cell, c.Coverage, want)
		}
		delete(broken, c.Cell)
	}
	if len(broken) > 0 {
		t.Errorf("not played: %v", broken)
	}
}
