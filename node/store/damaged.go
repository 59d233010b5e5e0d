package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// A DamagedError says that a store does not hold what it held, or not all of it.
type DamagedError struct {
	Path string // of the file or folder
	What string // is wrong with it
	// Usable is whether [Options.Accept] can go on with what is left: it is a state in which
	// the store once was.
	Usable bool
	Err    error // of the database; may be nil
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the store is damaged: %s %s", e.Path, e.What)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// damagedBy returns what an error of the database says about the store in dir: damage, or
// something else.
func damagedBy(dir string, err error) error {
	var known *DamagedError
	switch {
	case err == nil || errors.As(err, &known):
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

// openedBy does the same for an error of opening, which the database does not call
// corruption where a file has another form, or is not there.
func openedBy(dir string, err error) error {
	var path *fs.PathError
	if err = damagedBy(dir, err); err == nil || errors.As(err, new(*DamagedError)) || errors.As(err, &path) {
		return err
	}
	return unreadable(dir, errors.Unwrap(err))
}

func unreadable(path string, err error) *DamagedError {
	if errors.Is(err, pebble.ErrDBDoesNotExist) || errors.Is(err, pebble.ErrDBNotPristine) {
		return &DamagedError{Path: path, What: "lacks the files that say what is in it: a marker, or the manifest", Err: err}
	}
	return &DamagedError{Path: path, What: "cannot be read: " + oneLine{err}.Error(), Err: err}
}

// errPanic is for a panic of the database.
var errPanic = errors.New("the database gave up")

// guard makes an error of a panic of the database, which has many where a file makes no sense.
func guard(err *error) {
	switch p := recover(); p {
	case nil:
	case pebble.ErrClosed: // it is thrown bare
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

// corruption is called by the database, from any goroutine, when it finds that a table is
// damaged.
func (s *Store) corruption(info pebble.DataCorruptionInfo) {
	s.damage(unreadable(info.Path, info.Details))
}

// background is called by the database for an error of work that nobody waits for.
func (s *Store) background(err error) {
	if pebble.IsCorruptionError(err) {
		s.damage(damagedBy(s.dir, err))
		return
	}
	s.log.Error("store", "err", oneLine{err})
}

// damage notes the first damage that is found while the store is open.
func (s *Store) damage(err error) {
	if s.damaged.CompareAndSwap(nil, &err) {
		if s.report != nil {
			go s.report(err)
		}
	}
}

// failed makes an error of a read one of this package, and notes damage.
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
