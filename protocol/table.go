package protocol

import (
	"fmt"
	"slices"
	"strings"
)

// Table lists every protocol a peer can speak with its defaults, the default one first. A protocol is
// here only when its conformance tests pass.
func Table() []Params {
	return []Params{
		PhasesParams{Growth: .5, Limit: 100_000, Pull: 20, Merge: MergeMean, F: 1},
		AverageParams{Consistency: Capped, F: 1, Rate: .2, Patience: 8},
		RowsParams{Every: 20, Pull: 20, Merge: MergeMean, F: 1},
		ConsensusParams{Weights: Metropolis, Kappa: .5, Patience: 8},
		CoordinatorParams{Schedule: Doubling, Coordinator: 1, Epochs: 1000, Deadline: 50, Patience: 10, Participation: 1},
		GISParams{Epochs: 1 << 20, Patience: 4, Renew: 20, Participation: 1},
		SinkParams{Server: 1, Epochs: 1 << 20, Deadline: 50, Patience: 10},
		BatchParams{First: 50, Growth: .25, DecideFrom: FromReleases, Schedule: FixedSchedule, Threshold: 50, Draws: 5, Pull: 20},
		LocalParams{Hops: 2, Neighbourhood: Ball, Estimators: OneEstimator, First: 100, Growth: .5, Schedule: FixedSchedule, Threshold: 50, Pull: 20},
	}
}

// Lookup returns the parameters of a name in a table, or an error that lists the names there are.
func Lookup(table []Params, name string) (Params, error) {
	var names []string
	for _, p := range table {
		if p.Words().Name == name {
			return p, nil
		}
		names = append(names, p.Words().Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("unknown protocol %q, want one of %s", name, strings.Join(names, ", "))
}
