package node

import (
	"fmt"
	"math"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// agentVersion is the version of a saved Agent.
const agentVersion = 3

// Save returns the agent's state between two steps, after Ready. An agent with the same config
// that Loads it continues bit for bit like this one.
func (a *Agent) Save() (dp.Secret, error) {
	saved, err := a.protocol.Save()
	if err != nil {
		return dp.Secret{}, err
	}
	return a.save(saved.Encode())
}

// save saves the agent with a state of its protocol; nil for a protocol that begins again.
func (a *Agent) save(saved []byte) (dp.Secret, error) {
	curator, err := a.curator.Save()
	if err != nil {
		return dp.Secret{}, err
	}
	return dp.NewSecret(vouch.For(state.Save(agentVersion, func(v *state.Visitor) { a.fields(v, curator, saved) }))), nil
}

// Load restores a saved state. After an error the agent must not be used.
func (a *Agent) Load(saved dp.Secret) error {
	a.Ready() // what Agent charged is in the state
	err := state.Load(saved.Bytes(), agentVersion, func(v *state.Visitor) { a.fields(v, dp.Secret{}, nil) })
	if err != nil {
		return fmt.Errorf("node: agent: %w", err)
	}
	if a.keeps {
		a.rows.copy(a.Belief())
	}
	return nil
}

// fields visits the state, of which curator and protocol are parts when saving.
func (a *Agent) fields(v *state.Visitor, curator dp.Secret, saved []byte) {
	v.Part(curator.Bytes, func(b []byte) error { return a.curator.Load(dp.NewSecret(vouch.For(b))) })
	idle := a.Idle()
	v.Bool(&idle)
	v.Check(idle == a.Idle(), "a peer with arms, or one without, that is the other now")
	if !a.Idle() {
		v.Part(a.learner.Save, a.learner.Load)
		a.closing.fields(v)
	}
	v.Part(func() []byte { return saved }, func(b []byte) error {
		if len(b) == 0 {
			return nil
		}
		s, err := protocol.DecodeState(vouch.For(b))
		if err != nil {
			return err
		}
		return a.protocol.Load(s)
	})
	for _, c := range a.coins {
		v.Part(c.save, c.source.UnmarshalBinary)
	}
	if a.keeps {
		v.Bool(&a.gives)
	}
}

// Replay makes the next step take its noise from drawn and hidden, which were drawn when the step
// was first made.
func (a *Agent) Replay(drawn []dp.Release, hidden dp.Secret) { a.curator.Replay(drawn, hidden) }

// Replayed returns an error unless all of it was taken.
func (a *Agent) Replayed() error { return a.curator.Replayed() }

// Closed returns how many leaves of every stream are closed or abandoned.
func (a *Agent) Closed() ([]uint64, error) {
	closed := make([]uint64, len(a.closing.open))
	for k := range closed {
		var err error
		if closed[k], err = a.curator.Closed(dp.StreamID(k)); err != nil {
			return nil, err
		}
	}
	return closed, nil
}

// AbandonLeaves abandons the leaves of every stream that a lost life may have closed: up to lost
// of them after those that this one closed. It returns the state of the agent of a new
// incarnation, with its protocol at the beginning, and its first leaves; see docs/proofs/skip.md.
func (a *Agent) AbandonLeaves(lost uint64) (state dp.Secret, next []uint64, err error) {
	next, err = a.Closed()
	if err != nil {
		return dp.Secret{}, nil, err
	}
	for k, closed := range next {
		if next[k], err = a.curator.Skip(dp.StreamID(k), closed+min(lost, math.MaxUint64-closed)); err != nil {
			return dp.Secret{}, nil, err
		}
	}
	a.closing.begin()
	state, err = a.save(nil)
	return state, next, err
}
