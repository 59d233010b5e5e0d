package config

import "slices"

// suiting returns settings that have to suit each other: with one of chosen given, a new folder takes the
// recommendation for none of left.
func suiting() (chosen, left []string) {
	chosen = []string{"mode", "world.kind", "learner.name", "protocol.name", "privacy.mechanism", "privacy.counts"}
	return chosen, append(chosen, "privacy.horizon", "spare_arms")
}

// Beginning returns what the file of a new folder holds beside set, in the form of set. It is written down
// and not a default, so that a later recommendation changes no folder.
func Beginning(set []string) (all []string) {
	given, err := parseSet(set)
	if err != nil {
		return nil // whoever reads set says so
	}
	has := func(name string) bool { return given[name] != nil }
	chosen, left := suiting()
	own := slices.ContainsFunc(chosen, has)
	for _, k := range Schema() {
		if k.Begin == "" || has(k.Name) || own && slices.Contains(left, k.Name) {
			continue
		}
		all = append(all, k.Name+"="+k.Begin)
	}
	return all
}
