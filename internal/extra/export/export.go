package export

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"peerd.dev/internal/config"
	"peerd.dev/internal/decisions"
	"peerd.dev/internal/terminal/output"
)

// exported describes what was written of a peer's decisions.
type exported struct {
	File    string `json:"file"`
	Rows    uint64 `json:"rows"`
	Open    uint64 `json:"open"`     // omitted: their windows have not ended
	NoScore uint64 `json:"no_score"` // rows for which the learner computed no propensity
}

// String returns how much was written and omitted.
func (e exported) String() string {
	return fmt.Sprintf("wrote %s: %s; left out, since their windows are not over: %d", e.File, config.Counted(e.Rows, "decision"), e.Open)
}

// Warning describes the file.
func (e exported) Warning() string {
	text := e.File + " is RAW DATA: rewards as they were reported, without noise. No privacy budget covers it; keep it as you keep the records that it comes from."
	if e.NoScore > 0 {
		text += fmt.Sprintf(" It has %s without a propensity (pscore 0): do not weight them. learner.explore above 0 gives every decision one.", config.Counted(e.NoScore, "row"))
	}
	return text
}

// exportDecisions writes the decisions of a peer, which may run, with their rewards, to a file of mode 0600.
func exportDecisions(ctx context.Context, s *config.Settings, file, format string) (done exported, err error) {
	form, ok := decisions.Formats[format]
	if !ok {
		return done, config.Failf(config.ErrUsage, "--format %q, want %s", format, formats())
	}
	done.File = file
	err = output.WriteFile(ctx, file, 0o600, func(f *os.File) error {
		to := form(f)
		if err = decisions.With(ctx, s, filepath.Dir(f.Name()), func(l *decisions.Log) error {
			for r, err := range l.Rows(ctx, func() { done.Open++ }) {
				if err != nil {
					return err
				}
				if r.PScore == 0 {
					done.NoScore++
				}
				done.Rows++
				if err = to.Write(r); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		return to.Close()
	})
	return done, err
}

// usual returns the format of an export that names none. A program that does not write it asks for another one.
func usual() string {
	if _, ok := decisions.Formats["parquet"]; ok {
		return "parquet"
	}
	return ""
}

// formats lists the formats that this program writes.
func formats() string {
	names := slices.Sorted(maps.Keys(decisions.Formats))
	slices.Reverse(names)
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
