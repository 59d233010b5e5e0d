package bandit

// A World offers turns and pays for arms, at one site without an application.
type World interface {
	// Turn returns what is offered in a round, before anything is chosen in it. It is valid until
	// the next Turn. A turn with None is not played.
	Turn(round uint64) Turn
	// Play pays for an arm of the newest turn.
	Play(a Arm) (Reward, error)
	// Regret returns the network's average loss if an arm of the newest turn is chosen instead of
	// the best one, ≥ 0. It is for the referee.
	Regret(a Arm) float64
	// Save returns the state of the world, which is private: a world made with the same
	// parameters and seed that Loads it continues like this one.
	Save() []byte
	Load(state []byte) error
}

// A Finite world has records of people and hands each of them out once.
type Finite interface {
	World
	// Left returns how many records of an arm have not been played.
	Left(a Arm) int
}
