package site

import (
	"errors"
	"fmt"

	"peerd.dev/dp/state"
)

// The first byte of every stored value is the version of its kind. All were 1 in releases
// that wrote some of them with encoding/gob.
const (
	logVersion      = 4 // of log records; 3 had no share of exploration
	choiceVersion   = 5 // of decisions; 3 had neither model nor window, 4 no ids of an ask's own actions
	outboxVersion   = 3
	lifeVersion     = 2
	snapshotVersion = 2
	evidenceVersion = 2
	pinnedVersion   = 2
	witnessVersion  = 2
)

// ErrDamaged is wrapped by the errors that say that a store's contents do not make
// sense.
var ErrDamaged = errors.New("the store is damaged, or another configuration's")

// ErrOlder is wrapped by the errors that refuse a value of an earlier release.
var ErrOlder = errors.New("this folder was begun by an earlier release of peerd, whose format is not read: begin a new folder with `peerd init`")

// checkVersion refuses a value of a version that is not read: all are from oldest to newest.
func checkVersion(what string, b []byte, oldest, newest byte) error {
	switch {
	case len(b) == 0:
		return fmt.Errorf("%w: %s is missing or empty", ErrDamaged, what)
	case 0 < b[0] && b[0] < oldest:
		return fmt.Errorf("%s: %w", what, ErrOlder)
	case b[0] < oldest || b[0] > newest:
		return fmt.Errorf("%w: %s of version %d, want %d: another release of peerd wrote it", ErrDamaged, what, b[0], newest)
	}
	return nil
}

// decode reads a value that was written by a [state.Writer] of a version.
func decode(what string, b []byte, version byte, read func(*state.Reader)) error { //nolint:unparam // kinds change their versions one by one
	if err := checkVersion(what, b, version, version); err != nil {
		return err
	}
	r := state.NewReader(b, version)
	read(r)
	if err := r.End(); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, what, err)
	}
	return nil
}

// readArray reads a part that is as long as to, into it.
func readArray(r *state.Reader, to []byte) {
	if b := r.Bytes(); r.OK() && len(b) != len(to) {
		r.Fail("%d bytes, want %d", len(b), len(to))
	} else {
		copy(to, b)
	}
}

// readFloats reads a list of any length.
func readFloats(r *state.Reader) (x []float64) {
	for range r.Len() {
		x = append(x, r.Float())
	}
	return x
}

// writeStrings writes a list of any length.
func writeStrings(w *state.Writer, all []string) {
	w.Uint(uint64(len(all)))
	for _, x := range all {
		w.String(x)
	}
}

// readStrings reads what writeStrings wrote.
func readStrings(r *state.Reader) (all []string) {
	for range r.Len() {
		all = append(all, r.String())
	}
	return all
}
