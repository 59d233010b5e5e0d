package evaluation

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"peerd.dev/internal/decisions"
	"peerd.dev/node/decision"
)

// survey is what the first reading of a log finds.
type survey struct {
	model   model
	names   map[string]int     // numbers of actions in the model of means
	tried   map[int]bool       // numbers of the actions that weighted decisions took
	offered map[string]uint64  // decisions that could choose an action
	chances map[string]float64 // of the peer in what was taken last, by that and what was on offer
	learned bool               // a proposal follows from rewards: of the site, or of others, so that chances change
	unknown uint64             // decisions by features of which it is not known what was on offer
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
func (r *Report) survey(log iter.Seq2[decisions.Row, error], o Options) (*survey, error) {
	f := &survey{model: model{features: o.Inputs.Dim()}, names: make(map[string]int), tried: make(map[int]bool)}
	f.offered, f.chances = make(map[string]uint64), make(map[string]float64)
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
		f.arm(row.Name)
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
			f.tried[d.arms[d.taken]] = true
			if d.proposed >= 0 && !f.learned {
				of := fmt.Sprintf("%q of %q", row.Name, row.Offered)
				was, known := f.chances[of]
				f.chances[of] = row.PeerPScore
				f.learned = row.Kept || !strings.HasSuffix(row.Model, "-0") || known && was != row.PeerPScore
			}
		}
	}
	if len(late) > 0 {
		slices.Sort(late)
		q := late[int(math.Ceil(.9*float64(len(late))))-1]
		r.Late = &Late{uint64(len(late)), (o.Window + time.Duration(math.Ceil(q))*time.Second).String()}
	}
	return f, nil
}
