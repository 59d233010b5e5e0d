package audit_test

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/node/lab/audit"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/stats"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// TestMain lets garbage accumulate longer, as peerd audit does.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// promise returns a budget and a mechanism that keeps it: ε = 1 or, for Gaussian noise, the ε = 5
// at which few plays show most.
func promise(m dp.Mechanism) node.Privacy {
	p := node.Privacy{Mode: dp.Private, Budget: account.Budget{Epsilon: dp.Nano}, Mechanism: m, RecordsPerUser: 1, Horizon: 400}
	if m.Law() == dp.Gaussian {
		p.Budget = account.Budget{Epsilon: 5 * dp.Nano, Delta: 1e12}
	}
	return p
}

// config is an audit of a protocol with a mechanism.
func config(params protocol.Params, m dp.Mechanism, runs int, seed uint64) audit.Config {
	return audit.Config{
		Spec: node.Spec{
			Arms: 3, Learner: learner.UCBParams{}, Protocol: params,
			Privacy: promise(m),
		},
		Topic: true, Runs: runs, Seed: seed,
	}
}

// batches is the protocol for mechanisms that release every leaf once.
func batchParams() protocol.Params {
	return rows.PhasesParams{First: 10, Growth: .5, Limit: 200, Pull: 25, Merge: rows.MergeMean, F: 1}
}

func protocols() []protocol.Params {
	return []protocol.Params{
		running.Params{Every: 50, Pull: 25, Merge: rows.MergeMean, F: 1},
		averaging.AverageParams{Consistency: averaging.Capped, Rate: .2, Patience: 50, F: 1},
	}
}

// runs returns how many plays of each history an audit of these tests makes: few or, with
// PEERD_LONG, as many as the command makes.
func runs() int {
	if os.Getenv("PEERD_LONG") != "" {
		return 200
	}
	return 20
}

// audits audits peers with a mechanism over seeds from 1 on, with as many concurrent audits as
// there are processors.
func audits(t *testing.T, m dp.Mechanism, seeds uint64) []*audit.Report {
	t.Helper()
	reports := make([]*audit.Report, seeds)
	err := stats.Each(t.Context(), len(reports), func(ctx context.Context, i int) (err error) {
		params := protocols()[i%2]
		if !m.Running() {
			params = batchParams()
		}
		reports[i], err = audit.Run(ctx, config(params, m, runs(), uint64(i)+1))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

// seeds returns over how many seeds correct peers are audited.
func seeds() uint64 {
	if os.Getenv("PEERD_LONG") != "" {
		return 20
	}
	return uint64(len(protocols()))
}

// TestSpareArmsAreNoFault: places for later arms, as init makes them, are beyond the arms that an audit plays.
func TestSpareArmsAreNoFault(t *testing.T) {
	c := config(batchParams(), dp.EachLaplace, 20, 1)
	c.Spec.Give, c.Spec.Learner, c.Spec.Sites = node.GiveFew, bandit.PersonalizedParams{Price: 20}, 20
	c.Spec.Arms, c.Spec.Absent = 6, []bandit.Arm{3, 4, 5}
	if r, err := audit.Run(t.Context(), c); err != nil || !r.Passed {
		t.Error(r, err)
	}
}

// TestCorrectPeersPass audits correct peers over fixed seeds, so that it passes always or never:
// none may alarm. With fresh seeds, at most 11 of 1,000 audits would. With each fault of
// scripts/mutants/faults.txt, all must.
func TestCorrectPeersPass(t *testing.T) {
	for _, m := range dp.Mechanisms() {
		if m == dp.None {
			continue // promises nothing
		}
		t.Run(m.String(), func(t *testing.T) {
			for i, r := range audits(t, m, seeds()) {
				t.Run(fmt.Sprintf("seed=%d", i+1), func(t *testing.T) {
					if !r.Passed {
						t.Error(r.Broken)
					}
				})
			}
		})
	}
}
