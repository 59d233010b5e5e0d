package protocol

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"

	"peerd.dev/dp"
)

// stateVersion is the first byte of a saved state.
const stateVersion = 1

// ErrState is wrapped by the errors of Load: the state is damaged, or another
// configuration's.
var ErrState = errors.New("protocol: saved state does not fit")

// saveState encodes the exported fields of a struct.
func saveState(state any) ([]byte, error) {
	b := bytes.NewBuffer([]byte{stateVersion})
	err := gob.NewEncoder(b).Encode(state)
	return b.Bytes(), err
}

// loadState decodes what saveState made.
func loadState(b []byte, state any) error {
	if len(b) == 0 || b[0] != stateVersion {
		return fmt.Errorf("%w: want version %d", ErrState, stateVersion)
	}
	if err := gob.NewDecoder(bytes.NewReader(b[1:])).Decode(state); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	return nil
}

// savedMessages and savedReleases stand in saved states; an empty one is nil.
func savedMessages(ms []Message) [][]byte {
	all := make([][]byte, len(ms))
	for i := range ms {
		if ms[i].kind != 0 {
			all[i] = Encode(nil, ms[i])
		}
	}
	return all
}

func loadMessages(to []Message, saved [][]byte) (err error) {
	if len(saved) != len(to) {
		return fmt.Errorf("%w: %d messages, want %d", ErrState, len(saved), len(to))
	}
	for i, b := range saved {
		if len(b) == 0 {
			continue
		}
		if to[i], err = Decode(b); err != nil {
			return fmt.Errorf("%w: %w", ErrState, err)
		}
	}
	return nil
}

func savedReleases(rs []dp.Release) [][]byte {
	all := make([][]byte, len(rs))
	for i := range rs {
		if !rs[i].Empty() {
			all[i] = AppendRelease(nil, rs[i])
		}
	}
	return all
}

func loadReleases(to []dp.Release, saved [][]byte) (err error) {
	if len(saved) != len(to) {
		return fmt.Errorf("%w: %d releases, want %d", ErrState, len(saved), len(to))
	}
	for i, b := range saved {
		if len(b) == 0 {
			continue
		}
		if to[i], err = ParseRelease(b); err != nil {
			return fmt.Errorf("%w: %w", ErrState, err)
		}
	}
	return nil
}

// loadNumbers copies saved numbers, which gob leaves out where all are 0.
func loadNumbers[T any](to, saved []T) error {
	if len(saved) != len(to) {
		return fmt.Errorf("%w: %d numbers, want %d", ErrState, len(saved), len(to))
	}
	copy(to, saved)
	return nil
}
