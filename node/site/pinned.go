package site

import (
	"fmt"
	"strings"

	"peerd.dev/dp/state"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
)

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
	err = form.Decode("pinned settings", b, pinnedVersion, pinnedVersion, func(v *state.Visitor) { pinnedFields(v, &all) })
	return all, err
}

func pinnedFields(v *state.Visitor, all *[]Pinned) {
	state.List(v, all, func(p *Pinned) {
		v.String(&p.Key)
		v.String(&p.Value)
	})
}

// changes returns the settings whose values differ from what the store has under a key.
func (s *Site) changes(key string, is []Pinned) (all []*ChangedError, err error) {
	v, err := s.store.Get(store.Meta, []byte(key))
	if err != nil {
		return nil, err
	}
	was, err := parsePinned(v)
	before := make(map[string]string, len(was))
	for _, p := range was {
		before[p.Key] = p.Value
	}
	for _, p := range is {
		if value, ok := before[p.Key]; !ok || value != p.Value {
			all = append(all, &ChangedError{p.Key, value, p.Value})
		}
	}
	return all, err
}

// checkPinned compares the settings with those that the store was begun with.
func (s *Site) checkPinned() error {
	all, err := s.changes(pinnedKey, s.c.Pinned)
	if err == nil && len(all) > 0 {
		return all[0]
	}
	return err
}

// noteSettings says which settings have changed since the last start, and keeps them: half of a file can be a valid file.
func (s *Site) noteSettings() error {
	all, err := s.changes(settingsKey, s.c.Settings)
	if len(s.c.Settings) == 0 || err == nil && len(all) == 0 {
		return nil
	}
	var texts []string
	for _, x := range all {
		if x.Was != "" {
			texts = append(texts, fmt.Sprintf("%s %s -> %s", x.Key, x.Was, x.Is))
		}
	}
	if texts != nil {
		s.log.Warn("since the last start: " + strings.Join(texts, ", "))
	}
	b := s.store.Batch()
	b.Set(store.Meta, []byte(settingsKey), pinnedBytes(s.c.Settings))
	return b.Commit()
}
