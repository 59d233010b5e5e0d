package config

// featureConstraints are the rules of named features.
func featureConstraints() []Constraint {
	var all []Constraint
	for _, key := range []string{contextKey, actionKey} {
		all = append(all,
			Constraint{[]string{key, "learner.name"}, func(s *Settings) string { // Features are for learners that choose by them.
				_, _, _, ok := s.inputKeys()
				by := "this program has no learner that does"
				if l := byFeatures(false); l != nil {
					by = "or learner.name: " + l.Words().Name
				}
				return When(s.Value(key).Len() > 0 && !ok, "want [] with %s, which takes no features; %s", s.With("learner.name"), by)
			}},
			Constraint{[]string{key, "world.kind"}, func(s *Settings) string { // Features have names for an application.
				return When(s.Value(key).Len() > 0 && s.World.Kind != Application, "want [] with %s, which offers numbers", s.With("world.kind"))
			}},
		)
	}
	return all
}
