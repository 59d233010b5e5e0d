package main

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/lab/plan"
)

// TestShuffledSitesLearn: six processes with each configuration of protocol shuffle. After a third of the rounds sites lose a tenth of what
// they lost before, at most, and over all rounds a tenth of what choices by chance lose.
func TestShuffledSitesLearn(t *testing.T) {
	if os.Getenv("PEERD_LONG") == "" {
		t.Skip("scripts/show.sh shuffle runs it")
	}
	progress := regexp.MustCompile(`round (\d+)(?:/| of )\d+ +regret (?:a site: )?together ([0-9.]+),? +alone ([0-9.]+)`)
	for _, name := range []string{"sdp-fedlinucb", "sdp-fedlinucb-vector"} {
		t.Run(name, func(t *testing.T) {
			file := "../../configs/" + name + ".yaml"
			c, stdout, stderr := peerd(t, "testnet", "-c", file)
			t.Logf("\n%s%s", stdout, stderr)
			if c != exitOK {
				t.Fatalf("code %d", c)
			}
			type point struct{ round, together, alone float64 }
			var at []point
			for _, m := range progress.FindAllStringSubmatch(stdout+stderr, -1) {
				var x [3]float64
				for i := range x {
					x[i], _ = strconv.ParseFloat(m[i+1], 64)
				}
				at = append(at, point{x[0], x[1], x[2]})
			}
			loaded, err := plan.Schema().Load(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := &loaded.Settings
			chance := 0.
			world := simulated(t, s, s.Seed).Worlds[plan.TestnetOf(s).Nodes-1]
			for round := range s.RoundCount() {
				arms := len(world.Turn(round).Features)
				for arm := range arms {
					chance += world.Regret(bandit.Arm(arm)) / float64(arms)
				}
			}
			var early point
			for _, x := range at {
				if early.round == 0 && x.round >= float64(s.RoundCount())/3 {
					early = x
				}
			}
			if early.round == 0 || len(at) < 2 {
				t.Fatal("no regret was printed after a third of the rounds")
			}
			last := at[len(at)-1]
			together, alone := last.together-early.together, last.alone-early.alone
			if 10*together > early.together || 10*last.together > chance { // alone, without noise, a site loses less
				t.Errorf("too much regret")
			}
			t.Logf("regret of a site: together %.1f, alone %.1f, by chance %.0f; after round %.0f together %.1f, alone %.1f", last.together, last.alone, chance, early.round, together, alone)
		})
	}
}
