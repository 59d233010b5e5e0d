package site

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"peerd.dev/node/decision"
	"peerd.dev/node/lab/learner"
)

// TestExplorationSurvivesAnotherShare: choices that were made with one share of exploration are
// repeated with it after a crash, even if the share has changed; and every answer has the
// propensity for its share.
func TestExplorationSurvivesAnotherShare(t *testing.T) {
	x := usual(stated, AtWindow).repeatable(1)
	x.explore = .6
	r := newRig(t, x)
	r.start()
	r.rounds(2)
	seen := make(map[string]int)
	ask := func(life int) {
		for i := range 60 {
			d := r.ask(decision.Ask{ID: fmt.Sprintf("%d-%d", life, i)})
			p := r.explore / 3
			if seen[fmt.Sprintf("%.6f", d.Propensity)]++; d.Source == decision.Learned && math.Abs(d.Propensity-p) > 1e-12 && math.Abs(d.Propensity-(1-2*p)) > 1e-12 {
				t.Fatalf("propensity %v with a share of %v", d.Propensity, r.explore)
			}
		}
	}
	ask(0)
	for life, share := range []float64{.1, 0, 1} {
		r.explore = share
		r.crash()
		r.start()
		ask(life + 1)
		r.round()
	}
	if r.crash(); len(seen) < 5 {
		t.Fatalf("propensities seen: %v", seen)
	}
	r.start()
}

// TestDecisionsOfARoundSpread: with the learner of a new folder, decisions between which nothing
// was received choose different actions while it is not known which is best. Each answer says how
// likely its action was, and a restarted site makes the same choices.
func TestDecisionsOfARoundSpread(t *testing.T) {
	play := func(crash bool) (actions []string) {
		x := usual(stated, AtWindow).repeatable(1)
		x.learner, x.rules.MinExposures = learner.All()[0], 1
		r := newRig(t, x)
		r.start()
		for i := range 40 {
			r.ask(decision.Ask{ID: fmt.Sprint("first-", i)})
		}
		r.rounds(12)
		model := ""
		for i := range 60 {
			d := r.ask(decision.Ask{ID: fmt.Sprint(i)})
			if model == "" {
				model = d.Model
			}
			if d.Source != decision.Learned || d.Propensity <= 0 || d.Propensity > 1 || d.Model != model {
				t.Fatalf("%+v, want a choice of the learner with a propensity, of model %s", d, model)
			}
			if actions = append(actions, d.Action); crash && i == 30 {
				r.crash()
				r.start()
			}
		}
		return actions
	}
	actions := play(false)
	count := make(map[string]int)
	for _, a := range actions {
		count[a]++
	}
	if len(count) < 2 {
		t.Errorf("60 decisions of a round: %v", count)
	}
	if again := play(true); !slices.Equal(again, actions) {
		t.Errorf("with a crash %v, without %v", again, actions)
	}
}

// TestDecisionsNameTheirModel: choices between which nothing was received have the same model,
// others another, and a repeated answer has the model of the first.
func TestDecisionsNameTheirModel(t *testing.T) {
	r := newRig(t, usual(stated, AtWindow))
	r.start()
	r.rounds(2)
	first, second := r.ask(decision.Ask{ID: "a"}), r.ask(decision.Ask{ID: "b"})
	r.round()
	third := r.ask(decision.Ask{ID: "c"})
	if first.Model == "" || first.Model != second.Model || third.Model == first.Model {
		t.Errorf("models %q and %q before a round, %q after", first.Model, second.Model, third.Model)
	}
	r.crash()
	r.start()
	if again := r.ask(decision.Ask{ID: "a"}); !again.Repeated || again.Model != first.Model {
		t.Errorf("asked again after a crash: %+v, want the model of %+v", again, first)
	}
	if fourth := r.ask(decision.Ask{ID: "d"}); fourth.Model != third.Model {
		t.Errorf("nothing came in, and model %q is %q after a crash", third.Model, fourth.Model)
	}
}
