package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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

// ExportDecisions writes the decisions of a peer, which may run, with their rewards, to a file of mode 0600.
func ExportDecisions(ctx context.Context, s *config.Settings, file, format string) (done Exported, err error) {
	form, ok := map[string]func(io.Writer) decision.RowWriter{"parquet": decision.RowsParquet, "jsonl": decision.RowsJSONL}[format]
	if !ok {
		return done, config.Failf(config.ErrUsage, "--format %s, want parquet or jsonl", format)
	}
	f, err := renameio.NewPendingFile(file, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return done, err
	}
	defer func() { _ = f.Cleanup() }() // does nothing after success
	if done, err = writeDecisions(ctx, s, filepath.Dir(f.Name()), form(f)); err != nil {
		return done, err
	}
	done.File = file
	return done, f.CloseAtomicallyReplace()
}

// writeDecisions writes the decisions of a peer. A running peer is asked for a backup, which is unpacked in a folder of mode
// 0700 below room and removed in the end.
func writeDecisions(ctx context.Context, s *config.Settings, room string, to decision.RowWriter) (done Exported, err error) {
	at := s.Dir
	unlock, err := LockDir(s.Dir)
	switch {
	case err == nil:
		defer unlock()
	case !errors.Is(err, errInUse):
		return done, err
	default:
		if at, err = os.MkdirTemp(room, ".peerd-export-"); err != nil {
			return done, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(at)) }()
		if err = unpackBackup(ctx, s.Dir, at); err != nil {
			return done, err
		}
	}
	t, err := NewDeployment(s)
	if err != nil {
		return done, err
	}
	reader, err := t.decisionReader()
	if err != nil {
		return done, err
	}
	st, err := store.Open(filepath.Join(at, StoreDir), store.Options{ReadOnly: true})
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
