package dp

import "peerd.dev/dp/state"

// ErrState is wrapped by the errors of Load: the state is damaged, or belongs to something else.
var ErrState = state.ErrState

// stateVersion is the first byte of a saved state.
const stateVersion = 4
