package evaluation

import (
	"iter"
	"math"
	"slices"
	"time"

	"peerd.dev/node/decision"
)

// survey is what the first reading of a log finds.
type survey struct {
	model    model
	names    map[string]int    // numbers of actions in the model of means
	offered  map[string]uint64 // decisions that could choose an action
	proposed bool              // the peer proposed actions
	unknown  uint64            // decisions by features of which it is not known what was on offer
}

func (f *survey) arm(name string) int {
	n, ok := f.names[name]
	if !ok {
		n = len(f.names)
		f.names[name] = n
	}
	return n
}

// survey reads a log, counts, and adds up what predicts rewards.
func (r *Report) survey(log iter.Seq2[decision.Row, error], o Options) (*survey, error) {
	f := &survey{model: model{features: o.Inputs.Dim()}, names: make(map[string]int), offered: make(map[string]uint64)}
	for _, name := range o.Actions {
		f.arm(name)
	}
	var late []float64
	place := 0
	for row, err := range log {
		if err != nil {
			return nil, err
		}
		r.Decisions++
		r.Application = r.Application || row.Source == decision.Application
		if !row.Reported {
			r.Unreported++
		}
		if row.LateBy > 0 {
			late = append(late, row.LateBy)
		}
		d, ok := f.weighed(&row, o)
		if d != nil && !ok && row.Kept {
			r.KeptCertain++
		}
		switch {
		case !(row.PScore > 0):
			r.Unscored++
		case d == nil:
			f.unknown++
		case !ok && (row.Source == decision.Exposure || row.Source == decision.Fallback || row.Source == decision.Baseline):
			r.Ruled++
		case !ok:
			r.Certain++
		default:
			r.Weighted++
			f.model.add(place%folds, d)
			place++
			for _, name := range d.names {
				f.offered[name]++
			}
			f.proposed = f.proposed || d.proposed >= 0
		}
	}
	if len(late) > 0 {
		slices.Sort(late)
		q := late[int(math.Ceil(.9*float64(len(late))))-1]
		r.Late = &Late{uint64(len(late)), (o.Window + time.Duration(math.Ceil(q))*time.Second).String()}
	}
	return f, nil
}
