package daemon

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"peerd.dev/internal/config"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// Exported describes what was written of a peer's decisions.
type Exported struct {
	File    string `json:"file"`
	Rows    uint64 `json:"rows"`
	Open    uint64 `json:"open"`     // omitted: their windows have not ended
	NoScore uint64 `json:"no_score"` // rows for which the learner computed no propensity
}

// String returns how much was written and omitted.
func (e Exported) String() string {
	return fmt.Sprintf("wrote %s: %s; left out, since their windows are not over: %d", e.File, config.Counted(e.Rows, "decision"), e.Open)
}

// Warning describes the file.
func (e Exported) Warning() string {
	text := e.File + " is RAW DATA: rewards as they were reported, without noise. No privacy budget covers it; keep it as you keep the records that it comes from."
	if e.NoScore > 0 {
		text += fmt.Sprintf(" It has %s without a propensity (pscore 0): do not weight them. learner.explore above 0 gives every decision one.", config.Counted(e.NoScore, "row"))
	}
	return text
}

// ExportDecisions writes the decisions of a stopped peer, with their rewards, to a file of mode 0600.
func ExportDecisions(s *config.Settings, file, format string) (done Exported, err error) {
	form, ok := map[string]func(io.Writer) decision.RowWriter{"parquet": decision.RowsParquet, "jsonl": decision.RowsJSONL}[format]
	if !ok {
		return done, config.Failf(config.ErrUsage, "--format %s, want parquet or jsonl", format)
	}
	f, err := renameio.NewPendingFile(file, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return done, err
	}
	defer func() { _ = f.Cleanup() }() // does nothing after success
	if done, err = writeDecisions(s, form(f)); err != nil {
		return done, err
	}
	done.File = file
	return done, f.CloseAtomicallyReplace()
}

func writeDecisions(s *config.Settings, to decision.RowWriter) (done Exported, err error) {
	unlock, err := LockDir(s.Dir)
	if err != nil {
		return done, config.Failf(config.ErrUnexpected, "%w: stop the peer, then export; it forgets decisions %v after their windows (api.keep)", err, s.API.Keep)
	}
	defer unlock()
	t, err := NewDeployment(s)
	if err != nil {
		return done, err
	}
	reader, err := t.decisionReader()
	if err != nil {
		return done, err
	}
	st, err := store.Open(filepath.Join(s.Dir, StoreDir), store.Options{ReadOnly: true})
	if err != nil {
		return done, withWayOut(s.Dir, err)
	}
	defer func() {
		if e := st.Close(); err == nil {
			err = e
		}
	}()
	for d, err := range reader.Decisions(st, time.Now(), func() { done.Open++ }) {
		if err != nil {
			return done, err
		}
		if d.Propensity == 0 {
			done.NoScore++
		}
		done.Rows++
		if err = to.Write(decision.Row{
			ID: d.ID, Time: d.At, Action: int64(d.Action), Name: d.Name, Reward: float64(d.Reward), Reported: d.Rewarded,
			PScore: d.Propensity, Context: d.Features, Source: d.Source, Model: d.Model, Counted: d.Counted,
		}); err != nil {
			return done, err
		}
	}
	return done, to.Close()
}
