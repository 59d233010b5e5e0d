// Package form reads stored values, each of which begins with the version of its kind.
package form

import (
	"errors"
	"fmt"

	"peerd.dev/dp/state"
	"peerd.dev/node/store"
)

// ErrDamaged is wrapped by errors that report that a store's contents make no sense.
var ErrDamaged = errors.New("the store is damaged, or another configuration's")

// ErrOlder is wrapped by errors that refuse a value of an earlier release.
var ErrOlder = errors.New("this folder was begun by an earlier release of peerd, whose format is not read: begin a new folder with `peerd init`")

// checkVersion refuses a value of a version that cannot be read. Versions from oldest to newest
// can.
func checkVersion(what string, b []byte, oldest, newest byte) error {
	switch err := Newer(what, b, newest); {
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

// Newer refuses a value of a later release.
func Newer(what string, b []byte, newest byte) error {
	if len(b) == 0 || b[0] <= newest {
		return nil
	}
	return store.Newer(what, b[0], int(newest))
}

// Decode reads a value of a version from oldest to newest.
func Decode(what string, b []byte, oldest, newest byte, fields func(*state.Visitor)) error {
	if err := checkVersion(what, b, oldest, newest); err != nil {
		return err
	}
	if err := state.Load(b, b[0], fields); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, what, err)
	}
	return nil
}

// Array visits bytes in place, with their number.
func Array(v *state.Visitor, x []byte) {
	n := v.Len(len(x))
	v.Check(n == len(x), "%d bytes, want %d", n, len(x))
	v.Array(x)
}
