package site

import (
	"fmt"
	"testing"

	"peerd.dev/node/decision"
)

func TestTmpHorizon(t *testing.T) {
	x := keeping(false)
	x.horizon = 2
	r := newRig(t, x)
	r.start()
	r.rounds(14)
	for n := range 30 {
		given, late := 0, 0
		for i := range 5 {
			d := r.ask(decision.Ask{ID: fmt.Sprint(n, "-", i)})
			if !d.Kept {
				given++
				v, _ := r.s.stored([]byte(d.ID))
				if v.late {
					late++
				}
			}
		}
		t.Log(n, given, late, r.s.agent.Gives(), r.status().Released)
		r.round()
	}
	t.Log(r.s.isBlocked())
}

func TestTmpBaseline(t *testing.T) {
	x := keeping(false)
	x.rules.Baseline, x.rules.BaselineShare, x.rules.MinExposures = "green", .5, 0
	r := newRig(t, x)
	r.start()
	r.round()
	var given, all counted
	for n := range 3000 {
		d := r.ask(decision.Ask{ID: fmt.Sprint(n)})
		_, fell := r.s.fell(d.ID, &offer{places: r.s.arms, all: true})
		all.add(&d)
		if !d.Kept {
			given.add(&d)
			if fell {
				t.Fatal("fell and given")
			}
		}
		if n%4 == 3 {
			r.round()
		}
	}
	t.Log(given, all)
	all.right(t, "green")
}
