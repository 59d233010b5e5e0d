package node

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"peerd.dev/dp"
)

// agentStateVersion is the first byte of a saved Agent.
const agentStateVersion = 1

// agentState is all that an Agent remembers.
type agentState struct {
	Door     []byte // private
	Learner  []byte
	Protocol []byte // empty for one that begins anew
	Coins    [2][]byte
}

// Save returns the agent's state between two steps, after Ready. An agent made with
// the same config that Loads it goes on bit for bit where this one stands.
func (a *Agent) Save() (dp.Secret, error) {
	state, err := a.state()
	if err != nil {
		return dp.Secret{}, err
	}
	return state.encode()
}

func (a *Agent) state() (*agentState, error) {
	door, err := a.door.Save()
	if err != nil {
		return nil, err
	}
	s := &agentState{Door: door.Bytes(), Learner: a.learner.Save()}
	if s.Protocol, err = a.protocol.Save(); err != nil {
		return nil, err
	}
	for i, c := range a.coins {
		if s.Coins[i], err = c.source.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *agentState) encode() (dp.Secret, error) {
	b := bytes.NewBuffer([]byte{agentStateVersion})
	if err := gob.NewEncoder(b).Encode(s); err != nil {
		return dp.Secret{}, err
	}
	return dp.NewSecret(b.Bytes()), nil
}

// Load takes over a saved state. After an error the agent is of no use.
func (a *Agent) Load(saved dp.Secret) error {
	b := saved.Bytes()
	if len(b) == 0 || b[0] != agentStateVersion {
		return fmt.Errorf("node: saved state of another version than %d", agentStateVersion)
	}
	var s agentState
	if err := gob.NewDecoder(bytes.NewReader(b[1:])).Decode(&s); err != nil {
		return fmt.Errorf("node: saved state: %w", err)
	}
	a.Ready() // what NewAgent charged is in the state
	errs := []error{a.door.Load(dp.NewSecret(s.Door)), a.learner.Load(s.Learner)}
	if len(s.Protocol) > 0 {
		errs = append(errs, a.protocol.Load(s.Protocol))
	}
	for i, c := range a.coins {
		errs = append(errs, c.source.UnmarshalBinary(s.Coins[i]))
	}
	return errors.Join(errs...)
}

// Hidden returns the noise that was drawn with the nodes of the last [Agent.Ready] and that
// none of them shows; see [dp.Door.Hidden]. It is private, and must be as durable as they are.
func (a *Agent) Hidden() dp.Secret { return a.door.Hidden() }

// Replay makes the next step take its noise from what was drawn when it was first
// made, and hidden then.
func (a *Agent) Replay(drawn []dp.Release, hidden dp.Secret) { a.door.Replay(drawn, hidden) }

// Replayed reports whether all of it was taken.
func (a *Agent) Replayed() error { return a.door.Replayed() }

// Closed returns how many leaves of every stream are closed or given up.
func (a *Agent) Closed() ([]uint64, error) {
	parts, _ := a.learner.Shape()
	closed := make([]uint64, parts)
	for k := range closed {
		var err error
		if closed[k], err = a.door.Closed(dp.StreamID(k)); err != nil {
			return nil, err
		}
	}
	return closed, nil
}

// Forsake gives up the leaves of every stream that a lost life may have closed: up to
// lost of them after those that this one closed. It returns the state of the agent
// of a new incarnation, with its protocol at the beginning, and its first leaves; see
// docs/proofs/skip.md.
func (a *Agent) Forsake(lost uint64) (state dp.Secret, next []uint64, err error) {
	next, err = a.Closed()
	if err != nil {
		return dp.Secret{}, nil, err
	}
	for k, closed := range next {
		if next[k], err = a.door.Skip(dp.StreamID(k), closed+min(lost, math.MaxUint64-closed)); err != nil {
			return dp.Secret{}, nil, err
		}
	}
	s, err := a.state()
	if err != nil {
		return dp.Secret{}, nil, err
	}
	s.Protocol = nil
	state, err = s.encode()
	return state, next, err
}
