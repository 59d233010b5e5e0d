package site

import (
	"fmt"

	"peerd.dev/dp/state"
	"peerd.dev/node/store"
)

// Pinned is a setting that a store keeps from its beginning.
type Pinned struct{ Key, Value string }

// A ChangedError reports that a store was begun with another value of a setting; Was is empty if
// it was begun without the setting.
type ChangedError struct{ Key, Was, Is string }

func (e *ChangedError) Error() string {
	if e.Was == "" {
		return fmt.Sprintf("%s is %s, but this folder was begun without it: set what was there back, or begin with a new folder (`peerd init`)", e.Key, e.Is)
	}
	return fmt.Sprintf("%s is %s, but this folder was begun with %s: set it back, or begin with a new folder (`peerd init`)", e.Key, e.Is, e.Was)
}

func pinnedBytes(all []Pinned) []byte {
	return state.Save(pinnedVersion, func(v *state.Visitor) { pinnedFields(v, &all) })
}

func parsePinned(b []byte) (all []Pinned, err error) {
	err = decode("pinned settings", b, pinnedVersion, pinnedVersion, func(v *state.Visitor) { pinnedFields(v, &all) })
	return all, err
}

func pinnedFields(v *state.Visitor, all *[]Pinned) {
	state.List(v, all, func(p *Pinned) {
		v.String(&p.Key)
		v.String(&p.Value)
	})
}

// checkPinned compares the settings with those that the store was begun with.
func (s *Site) checkPinned() error {
	v, err := s.store.Get(store.Meta, []byte(pinnedKey))
	if err != nil {
		return err
	}
	was, err := parsePinned(v)
	if err != nil {
		return err
	}
	before := make(map[string]string, len(was))
	for _, p := range was {
		before[p.Key] = p.Value
	}
	for _, p := range s.c.Pinned {
		if value, ok := before[p.Key]; !ok || value != p.Value {
			return &ChangedError{p.Key, value, p.Value}
		}
	}
	return nil
}
