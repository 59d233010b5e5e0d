package site

import (
	"cmp"
	"errors"
	"fmt"

	"peerd.dev/dp/state"
	"peerd.dev/node/store"
)

// The first byte of every stored value is the version of its kind. All were 1 in releases
// that wrote some of them with encoding/gob.
const (
	logVersion      = 6 // of log records; 5 did not have kept rounds of simulated worlds, and 4 choices of the learner that others replaced
	choiceVersion   = 7 // of decisions; 6 had no kept ones, and 5 not what applications took, and reports in parts
	lateVersion     = 1 // of notes of late reports
	offeredVersion  = 1 // of what decisions could choose from
	outboxVersion   = 3
	lifeVersion     = 2
	snapshotVersion = 4 // 3 had how many decisions waited at once, 2 and 4 have not
	evidenceVersion = 2
	pinnedVersion   = 2
	witnessVersion  = 2
	tableVersion    = 1
)

// ErrDamaged is wrapped by errors that report that a store's contents make no sense.
var ErrDamaged = errors.New("the store is damaged, or another configuration's")

// ErrOlder is wrapped by errors that refuse a value of an earlier release.
var ErrOlder = errors.New("this folder was begun by an earlier release of peerd, whose format is not read: begin a new folder with `peerd init`")

// checkVersion refuses a value of a version that cannot be read. Versions from oldest to newest
// can.
func checkVersion(what string, b []byte, oldest, newest byte) error {
	switch err := newer(what, b, newest); {
	case err != nil:
		return err
	case len(b) == 0:
		return fmt.Errorf("%w: %s is missing or empty", ErrDamaged, what)
	case 0 < b[0] && b[0] < oldest:
		return fmt.Errorf("%s: %w", what, ErrOlder)
	case b[0] < oldest:
		return fmt.Errorf("%w: %s of version %d, want %d", ErrDamaged, what, b[0], newest)
	}
	return nil
}

// newer refuses a value of a later release.
func newer(what string, b []byte, newest byte) error {
	if len(b) == 0 || b[0] <= newest {
		return nil
	}
	return store.Newer(what, b[0], int(newest))
}

// CheckNewer refuses a store in which a later release has written. What cannot be read is found by those who need it.
func CheckNewer(st *store.Store) error {
	life, _ := st.Get(store.Meta, []byte(lifeKey))
	snap, _ := st.Get(store.Snapshot, nil)
	step, _, _ := st.Last(store.Log)
	return cmp.Or(newer("life", life, lifeVersion), newer("snapshot", snap, snapshotVersion), newer("log record", step.Value, logVersion))
}

// decode reads a value of a version from oldest to newest.
func decode(what string, b []byte, oldest, newest byte, fields func(*state.Visitor)) error {
	if err := checkVersion(what, b, oldest, newest); err != nil {
		return err
	}
	if err := state.Load(b, b[0], fields); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, what, err)
	}
	return nil
}

// array visits bytes in place, with their number.
func array(v *state.Visitor, x []byte) {
	n := v.Len(len(x))
	v.Check(n == len(x), "%d bytes, want %d", n, len(x))
	v.Array(x)
}
