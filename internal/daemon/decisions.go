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
	"peerd.dev/node/site"
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
	form, ok := map[string]func(io.Writer) decision.RowWriter{
		"parquet": decision.RowsParquet, "jsonl": decision.RowsJSONL, "csv": decision.RowsCSV,
	}[format]
	if !ok {
		return done, config.Failf(config.ErrUsage, "--format %s, want parquet, jsonl or csv", format)
	}
	f, err := renameio.NewPendingFile(file, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return done, err
	}
	defer func() { _ = f.Cleanup() }() // does nothing after success
	done.File = file
	to := form(f)
	if done.Open, err = eachDecision(ctx, s, filepath.Dir(f.Name()), func(d site.Logged) error {
		if d.Propensity == 0 {
			done.NoScore++
		}
		done.Rows++
		return to.Write(row(&d))
	}); err != nil {
		return done, err
	}
	if err = to.Close(); err != nil {
		return done, err
	}
	return done, f.CloseAtomicallyReplace()
}

// row returns what leaves the store of a decision.
func row(d *site.Logged) decision.Row {
	r := decision.Row{
		ID: d.ID, Time: d.At, Action: int64(d.Action), Name: d.Name, Reward: float64(d.Reward), Reported: d.Rewarded,
		PScore: d.Propensity, Context: d.Offered.Context, Features: d.Features, Offered: d.Offered.Names, Actions: d.Offered.Features,
		Source: d.Source, Model: d.Model, Counted: d.Counted, Proposed: d.Proposed, PeerPScore: d.Target, LateBy: d.Late.Seconds(),
	}
	return r
}

// eachDecision calls do for every decision of a peer whose window is over, and returns how many windows are not. A running
// peer is asked for a backup, which is unpacked in a folder of mode 0700 below room and removed in the end.
func eachDecision(ctx context.Context, s *config.Settings, room string, do func(d site.Logged) error) (open uint64, err error) {
	at := s.Dir
	unlock, err := LockDir(s.Dir)
	switch {
	case err == nil:
		defer unlock()
	case !errors.Is(err, errInUse):
		return open, err
	default:
		if at, err = os.MkdirTemp(room, ".peerd-export-"); err != nil {
			return open, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(at)) }()
		if err = unpackBackup(ctx, s.Dir, at); err != nil {
			return open, err
		}
	}
	t, err := NewDeployment(s)
	if err != nil {
		return open, err
	}
	reader, err := t.decisionReader()
	if err != nil {
		return open, err
	}
	st, err := store.Open(filepath.Join(at, StoreDir), store.Options{ReadOnly: true})
	if err != nil {
		return open, withWayOut(s.Dir, err)
	}
	defer func() {
		if e := st.Close(); err == nil {
			err = e
		}
	}()
	for d, err := range reader.Decisions(st, time.Now(), func() { open++ }) {
		if err != nil {
			return open, err
		}
		if err = do(d); err != nil {
			return open, err
		}
	}
	return open, nil
}
