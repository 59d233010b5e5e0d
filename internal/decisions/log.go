// Package decisions reads the decisions of a peer with their rewards, which are raw data, and writes them as rows.
package decisions

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/api"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

// A Log has the decisions of a peer.
type Log struct {
	reader site.DecisionReader
	store  *store.Store
	Names  []string // of the network's actions that can be chosen
	Inputs bandit.Inputs
	At     time.Time
}

// With calls do with the decisions of a peer. A running peer is asked for a backup, which is unpacked in a folder
// of mode 0700 below room and removed in the end.
func With(ctx context.Context, s *config.Settings, room string, do func(l *Log) error) (err error) {
	at := s.Dir
	unlock, err := daemon.LockDir(s.Dir)
	switch {
	case err == nil:
		defer unlock()
	case !errors.Is(err, daemon.ErrInUse):
		return err
	default:
		var remove func() error
		if at, remove, err = terminal.Scratch(room); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
		if err = unpack(ctx, s.Dir, at); err != nil {
			return err
		}
	}
	t, err := daemon.NewDeployment(s)
	if err != nil {
		return err
	}
	l := &Log{At: time.Now()}
	if l.reader, err = reader(t, s); err != nil {
		return err
	}
	if traits := bandit.TraitsOf(t.Spec.Learner); traits.Contextual {
		l.Inputs = traits.Inputs
	}
	names, absent := t.Actions()
	for i, name := range names {
		if !slices.Contains(absent, bandit.Arm(i)) {
			l.Names = append(l.Names, name)
		}
	}
	if l.store, err = daemon.ReadStore(at); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.store.Close()) }()
	return do(l)
}

// reader returns how the decisions of a peer's store are read.
func reader(t *daemon.Deployment, s *config.Settings) (d site.DecisionReader, err error) {
	cadence, err := t.Spec.Cadence()
	if err != nil {
		return d, err
	}
	statistic, err := t.Spec.Statistic()
	if err != nil {
		return d, err
	}
	names, _ := t.Actions()
	d = site.DecisionReader{Arms: names, Streams: cadence.Streams(statistic.Parts), Default: s.API.DefaultReward, Range: s.API.Range()}
	if learner := bandit.TraitsOf(t.Spec.Learner); learner.Contextual {
		d.Features = learner.Inputs.Dim()
		if s.Names().Own() {
			d.Own = learner.Inputs.Action
		}
	}
	return d, nil
}

// Rows yields the decisions whose windows are over, and calls open for every other one. It ends with ctx, so that an interrupted
// command removes what it has unpacked.
func (l *Log) Rows(ctx context.Context, open func()) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for d, err := range until(ctx, l.reader.Decisions(l.store, l.At, open)) {
			if !yield(l.row(&d), err) {
				return
			}
		}
	}
}

// row returns what leaves the store of a decision: no other code makes rows of it.
func (l *Log) row(d *site.Logged) Row {
	r := Row{
		ID: d.ID, Time: d.At, Action: int64(d.Action), Name: d.Name, Reward: float64(d.Reward), Reported: d.Rewarded,
		PScore: d.Propensity, Context: d.Offered.Context, Features: d.Features, Offered: d.Offered.Names, Actions: d.Offered.Features,
		Source: d.Source, Model: d.Model, Counted: d.Counted, Kept: d.Kept, Proposed: d.Proposed, PeerPScore: d.Target, LateBy: d.Late.Seconds(),
	}
	for _, name := range l.Names {
		if len(d.Offered.Excluded) > 0 && !slices.Contains(d.Offered.Excluded, name) {
			r.Offered = append(r.Offered, name)
		}
	}
	return r
}

// until yields all, and the error of ctx when that ends.
func until[T any](ctx context.Context, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for x, err := range all {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// unpack writes the files of a running peer's folder below at, a private folder, where the store is in its usual place.
func unpack(ctx context.Context, dir, at string) error {
	root, err := os.OpenRoot(at)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	r, w := io.Pipe()
	go func() { w.CloseWithError(api.Download(ctx, dir, "/v1/backup", w)) }()
	defer func() { _ = r.Close() }() // ends the download
	packed, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	for archived := tar.NewReader(packed); ; {
		h, err := archived.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(h.Name, "/") // without the folder's own name
		if h.Typeflag == tar.TypeReg {
			var f *os.File
			if f, err = root.Create(name); err == nil {
				_, err = io.Copy(f, archived)
				err = errors.Join(err, f.Close())
			}
		} else if name != "" {
			err = root.Mkdir(strings.TrimSuffix(name, "/"), 0o700)
		}
		if err != nil {
			return err
		}
	}
}
