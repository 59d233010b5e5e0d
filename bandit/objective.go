package bandit

// Selfish parameters are of a learner that chooses for the users of its own site. Others choose one arm
// for all sites.
type Selfish interface {
	// Common returns parameters of a learner that is alike, but chooses one arm for all sites.
	Common() Params
}

// Common returns the parameters of the learner that chooses one arm for all sites as p chooses for its
// own; ok is false if p chooses one for all sites itself.
func Common(p Params) (common Params, ok bool) {
	if s, ok := p.(Selfish); ok {
		return s.Common(), true
	}
	return nil, false
}
