package evaluation

import (
	"context"
	"iter"
	"os"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/decisions"
)

// evaluateDecisions estimates what policies would have paid from the decisions of a peer, which may run: also of the table
// in a file, unless that is "". Decisions that were made more than since ago are left out, unless it is 0.
func evaluateDecisions(ctx context.Context, s *config.Settings, file string, since time.Duration) (r *Report, err error) {
	o := Options{Explore: s.Learner.Explore, Window: s.API.Window}
	if file != "" {
		var b []byte
		if b, err = os.ReadFile(file); err != nil {
			return nil, config.Failf(config.ErrUsage, "--policy: %w", err)
		}
		if o.Table, err = ParseTable(b); err != nil {
			return nil, config.Failf(config.ErrUsage, "--policy %s: %w", file, err)
		}
	}
	err = decisions.With(ctx, s, s.Dir, func(l *decisions.Log) error {
		o.Actions, o.Inputs = l.Names, l.Inputs
		open := uint64(0)
		rows := l.Rows(ctx, func() { open++ })
		if since > 0 {
			rows = after(l.At.Add(-since), rows)
		}
		if r, err = Evaluate(rows, o); err != nil {
			return err
		}
		r.Open = open / 2 // the log is read twice
		return nothingOver(s, r)
	})
	return r, err
}

// after leaves out the decisions that were made before a time.
func after(begin time.Time, rows iter.Seq2[decisions.Row, error]) iter.Seq2[decisions.Row, error] {
	return func(yield func(decisions.Row, error) bool) {
		for r, err := range rows {
			if err == nil && r.Time.Before(begin) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// nothingOver returns why there is nothing to estimate from.
func nothingOver(s *config.Settings, r *Report) error {
	switch {
	case r.Decisions > 1:
		return nil
	case r.Open > 0:
		return config.Failf(config.ErrUnexpected, "%s: the windows of %s are not over: ask again when they are, api.window (%s) after the last", s.Dir, config.Counted(r.Open, "decision"), config.DurationText(s.API.Window))
	}
	return config.Failf(config.ErrUnexpected, "%s: there are too few decisions to estimate from (%d): the application has to ask for decisions first, or --since is too short; the peer remembers each for api.keep (%s) after its window",
		s.Dir, r.Decisions, config.DurationText(s.API.Keep))
}
