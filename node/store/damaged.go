package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// A DamagedError reports that a store has lost or damaged data.
type DamagedError struct {
	Path string // of the file or folder
	What string // what is wrong with it
	// Usable reports whether [Options.Accept] can continue with the rest, which is then an
	// earlier state of the store.
	Usable bool
	Err    error // of the database; may be nil
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the store is damaged: %s %s", e.Path, e.What)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// damagedBy returns a [DamagedError] if an error of the database in dir means damage, and
// otherwise the error itself.
func damagedBy(dir string, err error) error {
	var known *DamagedError
	switch {
	case err == nil || errors.As(err, &known) || errors.Is(err, ErrNewer):
		return err
	case !pebble.IsCorruptionError(err) && !errors.Is(err, errPanic) && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("store %s: %w", dir, oneLine{err})
	}
	path := dir
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		path = info.Path
	}
	return unreadable(path, err)
}

// openedBy does the same for an error of opening. The database does not report a file of another
// format, or a missing one, as corruption.
func openedBy(dir string, err error) error {
	var path *fs.PathError
	if err = damagedBy(dir, err); err == nil || errors.As(err, new(*DamagedError)) || errors.As(err, &path) || errors.Is(err, ErrNewer) {
		return err
	}
	if strings.Contains(err.Error(), "unknown format major version") {
		return Newer("store "+dir, "of another database", int(pebble.FormatNewest))
	}
	return unreadable(dir, errors.Unwrap(err))
}

func unreadable(path string, err error) *DamagedError {
	if errors.Is(err, pebble.ErrDBDoesNotExist) || errors.Is(err, pebble.ErrDBNotPristine) {
		return &DamagedError{Path: path, What: "lacks the files that say what is in it: a marker, or the manifest", Err: err}
	}
	return &DamagedError{Path: path, What: "cannot be read: " + oneLine{err}.Error(), Err: err}
}

// errPanic is wrapped by errors made of a panic of the database.
var errPanic = errors.New("the database gave up")

// guard turns a panic of the database into an error. The database has many panics for invalid
// files.
func guard(err *error) {
	switch p := recover(); p {
	case nil:
	case pebble.ErrClosed: // it is thrown unwrapped
		*err = pebble.ErrClosed
	default:
		text, _, _ := strings.Cut(fmt.Sprint(p), "\n")
		*err = fmt.Errorf("%w: %s", errPanic, text)
	}
}

// oneLine is an error whose text is one line.
type oneLine struct{ error }

const maxText = 300 // bytes

func (e oneLine) Error() string {
	var kept []string
	for line := range strings.Lines(e.error.Error()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "<") {
			kept = append(kept, line)
		}
	}
	text := strings.Join(kept, "; ")
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

func (e oneLine) Unwrap() error { return e.error }

// corruption is called by the database, from any goroutine, when it finds a damaged table.
func (s *Store) corruption(info pebble.DataCorruptionInfo) {
	s.damage(unreadable(info.Path, info.Details))
}

// background is called by the database for an error in background work.
func (s *Store) background(err error) {
	if pebble.IsCorruptionError(err) {
		s.damage(damagedBy(s.dir, err))
		return
	}
	s.log.Error("store", "err", oneLine{err})
}

// damage records the first damage found while the store is open.
func (s *Store) damage(err error) {
	if s.damaged.CompareAndSwap(nil, &err) {
		if s.report != nil {
			go s.report(err)
		}
	}
}

// failed turns an error of a read into one of this package, and records damage.
func (s *Store) failed(err error) error {
	if err = damagedBy(s.dir, err); err != nil {
		var d *DamagedError
		if errors.As(err, &d) {
			s.damage(err)
		}
	}
	return err
}

// Damaged returns the damage that was found while the store was open, or nil.
func (s *Store) Damaged() error {
	if err := s.damaged.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *Store) watermarkName() string { return filepath.Clean(s.dir) + watermarkSuffix }
