package config

import "strings"

// An endedKey is a setting of earlier builds of which one value is left. Files and network documents may
// go on having that value. Peers and folders go on comparing it, so that builds of both kinds take part in
// one network, and what was signed before an upgrade stays valid.
type endedKey struct {
	Key
	value   string // that is left
	after   string // the key after which it is compared
	instead string // what to do with another value
}

func endedKeys() []endedKey {
	return []endedKey{
		{Key{Name: "privacy.calibration", Shared: true, Fixed: true}, "tight", "privacy.mechanism", "the noise that papers print has experiment.noise: printed"},
		{Key{Name: "learner.ucb.confidence", Shared: true}, "calibrated", "learner.name", "the radius that paper 004 prints has learner.name: ucb-printed"},
		{Key{Name: "learner.elimination.radii", Shared: true}, "calibrated", "learner.name", "the radius that paper 003 prints has learner.name: elimination-printed"},
	}
}

// reason says why another value is refused.
func (e *endedKey) reason() string { return "no longer a setting: leave it out; " + e.instead }

// applies reports whether the key is not a parameter of a learner that is not chosen.
func (e *endedKey) applies(s *Settings) bool {
	return !strings.HasPrefix(e.Name, "learner.") || strings.HasPrefix(e.Name, "learner."+s.Learner.Name+".")
}

// ended returns the key that has ended with a name.
func ended(name string) (endedKey, bool) {
	for _, e := range endedKeys() {
		if e.Name == name {
			return e, true
		}
	}
	return endedKey{}, false
}
