package bandit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit/belief"
)

// playTogether plays rounds of sites with these means, by site and arm, and returns what each has lost. Releases reach all sites
// after the round, or the own one only if they are alone.
func playTogether(learner func(site int) Learner, means [][]float64, rounds int, alone bool, rng *rand.Rand) (regret []float64) {
	type release struct {
		arm, site int
		of        batches
	}
	learners, beliefs, arms := make([]Learner, len(means)), make([]Belief, len(means)), make([][]batches, len(means))
	for i, row := range means {
		learners[i], beliefs[i], arms[i] = learner(i), belief.New(len(row), 1), make([]batches, len(row))
	}
	regret = make([]float64, len(means))
	var news []release
	for t := range rounds {
		news = news[:0]
		for i, row := range means {
			k := int(choose(learners[i], &beliefs[i], Turn{Round: uint64(t)}).Arm)
			regret[i] += slices.Max(row) - row[k]
			beliefs[i].Pulls[k]++
			if a := &arms[i][k]; a.play(row[k], rng) {
				news = append(news, release{k, i, *a})
			}
		}
		for _, r := range news {
			for j := range beliefs {
				if !alone || j == r.site {
					say(&beliefs[j], r.arm, r.site, r.of.sum/r.of.n, r.of.n, r.of.draws)
				}
			}
		}
	}
	return regret
}

// TestAnOddSiteLosesNoMoreThanAlone: of ten sites that are alike all lose much less than alone, and so do nine when the tenth has an arm that
// pays better there than elsewhere; half of the time that site loses no more than half of the runs alone do, and no run is linear. These are the
// ratios of docs/lab/experiments.md, over few runs.
func TestAnOddSiteLosesNoMoreThanAlone(t *testing.T) {
	const runs, rounds, odd = 16, 10_000, 9
	for last, most := range map[float64]float64{.2: .72, .8: .75} {
		var ordinary [2]float64  // by whether sites are alone
		var special [2][]float64 // of the last site, by run
		for run := range uint64(runs) {
			means := slices.Repeat([][]float64{{.6, .5, .4, .3, .2}}, 10)
			means[odd] = []float64{.6, .5, .4, .3, last}
			for alone, params := range []Params{PersonalizedParams{Price: 20}, IMEDParams{}} {
				lost := playTogether(learners(t, params, run), means, rounds, alone == 1, rand.New(rand.NewPCG(run, 8)))
				for _, x := range lost[:odd] {
					ordinary[alone] += x / runs / odd
				}
				special[alone] = append(special[alone], lost[odd])
			}
		}
		for _, x := range special {
			slices.Sort(x)
		}
		t.Logf("ordinary sites lose %.1f, alone %.1f; the last one, whose last arm pays %.1f, %.1f, alone %.1f (medians)", ordinary[0], ordinary[1], last, special[0][runs/2], special[1][runs/2])
		if ordinary[0] > most*ordinary[1] || special[0][runs/2] > special[1][runs/2] {
			t.Errorf("want at most %.2f of alone, and no more than alone", most)
		}
		if worst := special[0][runs-1]; worst > (last-.6)*rounds/2 && last > .6 {
			t.Errorf("one run loses %.0f", worst)
		}
	}
}

// learners returns the learners of ten sites with five arms.
func learners(t *testing.T, p Params, run uint64) func(site int) Learner {
	return func(site int) Learner {
		l, err := p.New(Config{Arms: 5, Peers: 10, Self: site, Rand: rand.New(rand.NewPCG(run, 2))})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
}

// TestAlikeIsForSitesThatAre: sites of one population then lose a third of what they lose otherwise, and an odd arm is lost.
func TestAlikeIsForSitesThatAre(t *testing.T) {
	play := func(alike bool, last float64) (all, odd float64) {
		const runs = 6
		for run := range uint64(runs) {
			means := slices.Repeat([][]float64{{.6, .5, .4, .3, .2}}, 10)
			means[9] = []float64{.6, .5, .4, .3, last}
			for site, x := range playTogether(learners(t, PersonalizedParams{20, alike}, run), means, 6000, false, rand.New(rand.NewPCG(run, 9))) {
				all += x / runs / 10
				if site == 9 {
					odd += x / runs
				}
			}
		}
		return all, odd
	}
	safe, _ := play(false, .2)
	alike, _ := play(true, .2)
	_, lost := play(true, .8)
	t.Logf("sites that are alike lose %.1f, and %.1f where that is known; an odd one %.1f then", safe, alike, lost)
	if alike > .6*safe || lost < 5*safe {
		t.Error("want much less where sites are alike, and much more at an odd site")
	}
}
