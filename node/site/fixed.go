package site

import (
	"fmt"

	"peerd.dev/node/store"
)

const fixedKey = "fixed"

// Fixed is a setting that a store is begun with and keeps.
type Fixed struct{ Key, Value string }

// A ChangedError says that a store was begun with another setting.
type ChangedError struct{ Key, Was, Is string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s is %s, but this folder was begun with %s: set it back, or begin with a new folder (`peerd init`)", e.Key, e.Is, e.Was)
}

// checkFixed compares the settings with those that the store was begun with.
func (s *Site) checkFixed() error {
	v, err := s.store.Get(store.Meta, []byte(fixedKey))
	if err != nil {
		return err
	}
	var was []Fixed
	if err = decode(v, &was); err != nil {
		return err
	}
	before := make(map[string]string, len(was))
	for _, f := range was {
		before[f.Key] = f.Value
	}
	for _, f := range s.c.Fixed {
		if value, ok := before[f.Key]; !ok || value != f.Value {
			return &ChangedError{f.Key, value, f.Value}
		}
	}
	return nil
}
