package audit

import (
	"fmt"
	"math"
	"os"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
)

// No peer has streams of linear records yet, so these are audited at the curator, with a stream
// instead of a network, and only by the checks that are about nodes.

// A records is what is played at a curator: a mechanism, and a kind of records with a pair that
// is as far apart as the adjacency allows: √4.5 and √8 if one replaces the other, √2 and 2 if it
// is omitted (dp/shape.go).
type records struct {
	mechanism dp.Mechanism
	shape     dp.Shape
	adjacency dp.Adjacency
	pair      [2][]float64 // of the user, in both histories: features followed by the reward
}

const (
	recordLeaves = 8 // the user's record is in nodes of all levels
	recordUser   = 2 // records of the user, in the first leaf
)

// String returns a name of the case.
func (r *records) String() string {
	return fmt.Sprintf("%v %v %v", r.mechanism, r.shape, r.adjacency)
}

// allRecords returns every mechanism with Gaussian noise, which these records need, with every
// kind of records and either adjacency.
func allRecords() (all []records) {
	x := []float64{.6, .8, 0, 1}
	away := []float64{-.6, -.8, 0, 1}                 // with the reward, orthogonal to x
	aside := []float64{-.3, -.4, math.Sqrt(3) / 2, 1} // at 120 degrees to x, with the same reward
	far := []float64{600, 800, 0, 1e6}                // equals x once it is clipped
	none := []float64{0, 0, 0, 0}                     // adds nothing
	for _, m := range dp.Mechanisms() {
		if m.Law() != dp.Gaussian {
			continue
		}
		all = append(all,
			records{m, dp.Linear, dp.ReplaceOne, [2][]float64{x, aside}},
			records{m, dp.Corner, dp.ReplaceOne, [2][]float64{far, away}},
			records{m, dp.Linear, dp.ZeroOut, [2][]float64{none, far}},
			records{m, dp.Corner, dp.ZeroOut, [2][]float64{none, x}},
		)
	}
	return all
}

// spec is a stream with the ε = 5 at which few plays show most.
func (r *records) spec() dp.Spec {
	return dp.Spec{
		What: "linear records", Streams: 1, Shape: r.shape, Dim: len(r.pair[0]) - 1, Lo: 0, Hi: 1,
		Leaves: recordLeaves, RecordsPerUser: recordUser, Adjacency: r.adjacency, Mechanism: r.mechanism,
		Epsilon: 5 * dp.Nano, Delta: 1e-6,
	}
}

// play plays one history. Another user has a record in every leaf.
func (r *records) play(side int, noise *dp.Source, streams blank) (*transcript, error) {
	d, err := dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), noise)
	if err != nil {
		return nil, err
	}
	if _, err = d.Open(r.spec()); err != nil {
		return nil, err
	}
	t := &transcript{canary: &Canary{Name: r.String()}, side: side, charge: d.TakeCharges()[0]}
	b, err := newNotes(0, t.charge, streams, &setting{})
	if err != nil {
		return nil, err
	}
	for leaf := uint64(1); leaf <= recordLeaves; leaf++ {
		come := [][2][]float64{{{.3, -.2, .9, .5}, {.3, -.2, .9, .5}}}
		for range recordUser {
			if leaf == 1 {
				come = append(come, r.pair)
			}
		}
		for _, x := range come {
			if err := d.Add(0, x[side]); err != nil {
				return nil, err
			}
			if err := b.shadow.add(0, func(side int) []float64 { return x[side] }); err != nil {
				return nil, err
			}
		}
		l, err := d.Leaf(0, leaf)
		if err != nil {
			return nil, err
		}
		nodes, err := b.draw(l.Node, side)
		if err != nil {
			t.unpaid = err.Error()
			return t, nil
		}
		t.nodes = append(t.nodes, nodes...)
	}
	return t, nil
}

// audit makes the checks that a report makes on nodes, over a number of plays of each history,
// and returns what is broken, in words, and the bound. tests is the number of cases that are
// evaluated together.
func (r *records) audit(t *testing.T, runs, tests int, seed uint64) (broken []string, b Bound) {
	t.Helper()
	streams := require.Value(newBlank(r.spec()))(t)
	e, noise := newExact(false), conformance{}
	var sides [2][]playScores
	for i := range 2 * runs {
		play := require.Value(r.play(i%2, node.Seed(node.NewSeed(seed).Of(fmt.Sprint(r, i))).Noise(), streams))(t)
		e.ask(checkPaid, play.unpaid)
		e.ask(checkSensitivity, play.shiftFault())
		noise.add(play)
		sides[i%2] = append(sides[i%2], play.scores())
		b.Charged, b.Reach = play.measure().charged(&play.charge), max(b.Reach, play.reach())
	}
	for _, c := range e.checks {
		if c.Broken > 0 {
			broken = append(broken, c.Name+": "+c.Example)
		}
	}
	if b.find(sides, measure(dp.Gaussian), tests); b.Low99 > b.Charged {
		broken = append(broken, fmt.Sprintf("bound: μ is at least %.3f; %.3f was charged", b.Low99, b.Charged))
	}
	all := noise.tests(false)
	for _, test := range all {
		if test.P < alarm/float64(tests*len(all)) {
			broken = append(broken, fmt.Sprintf("noise: %s: p = %.2g%s", test.Name, test.P, paren(test.Detail)))
		}
	}
	return broken, b
}

// recordRuns returns how many plays of each history these audits make.
func recordRuns() int {
	if os.Getenv("PEERD_LONG") != "" {
		return 400
	}
	return 20
}

// auditSeeds returns how many audits these tests make of each case: as many as mutants of one case need with -short, five, or
// with PEERD_LONG the twenty of docs/audit.md.
func auditSeeds(short uint64) uint64 {
	switch {
	case testing.Short():
		return short
	case os.Getenv("PEERD_LONG") != "":
		return 20
	}
	return 5
}

// TestLinearRecordsPass audits correct curators over fixed seeds, so that it passes always or
// never; with other seeds all cases together alarm with probability .011 at most. Every pair
// moves the whole charge, up to rounding.
func TestLinearRecordsPass(t *testing.T) {
	all := allRecords()
	if len(all) != 16 {
		t.Fatalf("%d cases, want 16", len(all))
	}
	seeds := auditSeeds(3)
	for _, r := range all {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			var last Bound
			for seed := range seeds {
				t.Run(fmt.Sprintf("seed=%d", seed+1), func(t *testing.T) {
					broken, b := r.audit(t, recordRuns(), len(all), seed+1)
					if len(broken) > 0 {
						t.Error(broken)
					}
					last = b
				})
			}
			if last.Reach < .999*last.Charged {
				t.Errorf("moves %v of %v that is charged", last.Reach, last.Charged)
			}
			t.Logf("0 of %d audits alarm; μ %.4f of %.4f charged, at least %.3f by %s", seeds, last.Reach, last.Charged, last.Low99, last.Statistic)
		})
	}
}
