package linear

import (
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

// TestReadingsHaveTheirErrors: over problems, what a reading says of a reward, and of a change of features, is off by about
// its standard error, with plain and with centred rewards.
func TestReadingsHaveTheirErrors(t *testing.T) {
	const runs = 200
	for _, kind := range []Records{WithoutSquares, CentredRewards} {
		squares, wide := 0., 0
		note := func(off, deviation float64) {
			if squares += off * off / (deviation * deviation); math.Abs(off) > 3*deviation {
				wide++
			}
		}
		for run := range uint64(runs) {
			var read *bandit.Reading
			var truth func(z bandit.Features) float64
			var from, to bandit.Features
			if kind == CentredRewards {
				x := newCentred(t, 4, 1, 900+run, SampledIndex, .1)
				for range 3000 {
					x.pay(x.numbers())
				}
				x.release(9)
				read, truth, from, to = x.l.Summarize(&x.b).Parameter.Reading, x.mean, x.numbers(), x.numbers()
			} else {
				x := newProblem(4, 900+run)
				l := linUCB(t, 1, LinUCBParams{Features: 4, Index: SampledIndex, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
				for range 3000 {
					x.pay(x.turn(1).Features[0])
				}
				x.release(9)
				read, truth = l.Summarize(&x.b).Parameter.Reading, func(z bandit.Features) float64 { return product(z, x.theta) }
				from, to = x.turn(1).Features[0], x.turn(1).Features[0]
			}
			mean, deviation := read.Reward(to)
			note(mean-truth(to), deviation)
			mean, deviation = read.Change(from, to)
			note(mean-(truth(to)-truth(from)), deviation)
		}
		if rms := math.Sqrt(squares / (2 * runs)); rms < .5 || rms > 1.15 || wide > 2*runs/50 {
			t.Errorf("%s: off by %.2f standard errors, by more than 3 in %d of %d", kind, rms, wide, 2*runs)
		}
	}
}

// TestNothingIsReadOfNothing by both learners by features.
func TestNothingIsReadOfNothing(t *testing.T) {
	b := belief.New(1, 5)
	for _, p := range []bandit.Params{LinUCBParams{Features: 2, Index: SampledIndex, Radius: 1, Records: WithoutSquares, Map: bandit.Concat}, PersonalizedLinearParams{Features: 2, Records: WithoutSquares, Price: 2, Map: bandit.Concat}} {
		l, err := bandit.New(p, bandit.Config{Arms: 2, Peers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if r := l.Summarize(&b).Parameter.Reading; r != nil {
			t.Errorf("%T: %+v", p, r)
		}
	}
}

// TestAllRecordsSupportAllArms, as sites released them.
func TestAllRecordsSupportAllArms(t *testing.T) {
	l, err := bandit.New(LinUCBParams{Features: 2, Index: SampledIndex, Radius: 1, Records: WithoutSquares, Map: bandit.Concat}, bandit.Config{Arms: 2, Peers: 3, Self: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := belief.New(1, 5)
	if s := bandit.SupportOf(l, &b, 1); s.Own != nil || s.Weights != nil {
		t.Errorf("%+v", s)
	}
	b.Sites[0] = []belief.Site{{Peer: 0, N: 30}, {Peer: 1, N: 10}, {Peer: 2, N: 60}}
	s := bandit.SupportOf(l, &b, 1)
	if len(s.Own) != 2 || s.Own[1] != 10 || s.Borrowed[1] != 90 || s.Sites[1] != 2 || len(s.Weights) != 3 || s.Weights[2] != (bandit.Weight{Share: .6, Rewards: 60}) {
		t.Errorf("%+v", s)
	}
}
