package config

import (
	"fmt"
	"slices"
	"strconv"
)

// suiting returns settings that must suit each other: if one of chosen is given, a new folder
// takes no recommendation for left.
func suiting() (chosen, left []string) {
	chosen = []string{"mode", "world.kind", "learner.name", "protocol.name", "privacy.mechanism", "privacy.counts"}
	return chosen, append(chosen, "privacy.horizon", "spare_arms")
}

// kept returns the settings that a new folder writes to its file although they are defaults, so that a
// later default changes no folder.
func kept() []string {
	return []string{"privacy.mechanism", "privacy.horizon", "learner.name", "protocol.name", "api.window"}
}

// Beginning returns the settings for the file of a new folder, in addition to set and in its form, and a note about
// one for which there is less room than a new folder takes; "" for none.
func (s *Schema) Beginning(set []string) (all []string, note string) {
	given, err := parseSet(set)
	if err != nil {
		return nil, "" // the reader of set reports it
	}
	c, _, err := s.Read("", set)
	if err != nil {
		return nil, ""
	}
	has := func(name string) bool { return given[name] != nil }
	chosen, left := suiting()
	own := slices.ContainsFunc(chosen, has)
	for _, k := range s.keys {
		value := k.Begin
		if slices.Contains(kept(), k.Name) {
			value = ValueText(c.Value(k.Name).Interface()) // a default that suits the protocol
		}
		if value == "" || has(k.Name) || own && slices.Contains(left, k.Name) {
			continue
		}
		if begin, err := strconv.Atoi(value); k.Name == "spare_arms" && err == nil && begin > mostArms-len(c.Arms) {
			room := max(0, mostArms-len(c.Arms))
			note = fmt.Sprintf("spare_arms is %d instead of %d: with %d arms there is no room for more", room, begin, len(c.Arms))
			value = strconv.Itoa(room)
		}
		all = append(all, k.Name+"="+value)
	}
	return all, note
}
