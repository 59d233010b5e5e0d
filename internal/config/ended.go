package config

import (
	"strings"

	"peerd.dev/node/network"
)

// An endedKey is a shared setting of earlier builds of which one value is left. Files and network
// documents may go on having that value. Peers go on comparing it, so that builds of both kinds take
// part in one network, and what was signed before an upgrade stays valid.
type endedKey struct {
	network.Setting        // with the value that is left
	after           string // the shared setting after which peers compare it
	instead         string // what to do with another value
}

func endedKeys() []endedKey {
	return []endedKey{
		{network.Setting{Key: "learner.ucb.confidence", Value: "calibrated"}, "learner.name", "the radius that paper 004 prints has learner.name: ucb-printed"},
		{network.Setting{Key: "learner.elimination.radii", Value: "calibrated"}, "learner.name", "the radius that paper 003 prints has learner.name: elimination-printed"},
	}
}

// reason says why another value is refused.
func (e *endedKey) reason() string { return "no longer a setting: leave it out; " + e.instead }

// endedAfter returns the settings that have ended and that peers compare after a key. Parameters of learners
// that are not chosen do not count.
func (s *Settings) endedAfter(key string) (all []network.Setting) {
	for _, e := range endedKeys() {
		if e.after == key && (!strings.HasPrefix(e.Key, "learner.") || strings.HasPrefix(e.Key, "learner."+s.Learner.Name+".")) {
			all = append(all, e.Setting)
		}
	}
	return all
}

// ended returns the key that has ended with a name.
func ended(name string) (endedKey, bool) {
	for _, e := range endedKeys() {
		if e.Key == name {
			return e, true
		}
	}
	return endedKey{}, false
}
