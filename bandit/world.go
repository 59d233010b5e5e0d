package bandit

// A World offers turns and pays for arms, at one site, where no application is attached.
type World interface {
	// Turn returns what is offered in a round, before anything is chosen in it. It is good
	// until the next Turn. One of None is not played.
	Turn(round uint64) Turn
	// Play pays for an arm of the newest turn.
	Play(a Arm) (Reward, error)
	// Regret returns what the network loses on average when an arm of the newest turn is
	// chosen instead of the best one, ≥ 0. It is for the referee.
	Regret(a Arm) float64
	// Save returns how far the world is, which is private: a world made with the same
	// parameters and seed that Loads it goes on where this one stands.
	Save() []byte
	Load(state []byte) error
}

// A Finite world holds records of people and hands each of them out once.
type Finite interface {
	World
	// Left returns how many records of an arm have not been played.
	Left(a Arm) int
}

// Actions are those of a turn of a simulated world that draws them while a learner looks for the
// one with the greatest index, and leaves out those that cannot have it. The law of what is
// chosen is that of features which are all drawn before; see docs/proofs/actions.md.
type Actions interface {
	// Aim begins to look for actions whose product with θ is great. It is called once in a turn, or
	// not at all.
	Aim(theta []float64)
	// Next returns an action that it has not returned yet and its features x, with ⟨x, θ⟩ ≥ least
	// but for rounding; false if there is none. In later calls of the turn least may be greater,
	// and not less.
	Next(least float64) (Arm, Features, bool)
	// Of returns the features of an action.
	Of(a Arm) Features
}
