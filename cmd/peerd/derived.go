package main

import (
	"path/filepath"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// RoundCount returns how many rounds a run plays.
func (s *Settings) RoundCount() uint64 {
	if s.Rounds.Count == 0 {
		return s.Privacy.Horizon
	}
	return s.Rounds.Count
}

// NetworkPath returns where the network file is: in Dir, unless it is absolute.
func (s *Settings) NetworkPath() string {
	if filepath.IsAbs(s.Network) {
		return s.Network
	}
	return filepath.Join(s.Dir, s.Network)
}

// IdentityPath returns where the peer's private key is.
func (s *Settings) IdentityPath() string { return filepath.Join(s.Dir, "identity.key") }

// Charge returns what an agent with these settings is charged when it starts. It
// fails where the agent would.
func (s *Settings) Charge() (dp.Charge, error) {
	entry, err := protocol.Lookup(s.Protocol.Name)
	if err != nil {
		return dp.Charge{}, err
	}
	cost, err := s.Privacy.Epsilon.Cost()
	if err != nil {
		return dp.Charge{}, err
	}
	door, err := dp.NewDoor(dp.Lockstep, dp.Infinite, nil) // it draws nothing
	if err != nil {
		return dp.Charge{}, err
	}
	_, err = door.Open(dp.Spec{
		What:    "the rewards",
		Streams: len(s.Arms), Dim: 1, Lo: 0, Hi: 1,
		Leaves:         entry.Leaves(s.Protocol.Params(), s.Privacy.Horizon),
		RecordsPerUser: s.Privacy.RecordsPerUser,
		Mechanism:      s.Privacy.Noise(),
		Epsilon:        cost,
	})
	if err != nil {
		return dp.Charge{}, err
	}
	return door.Charges()[0], nil
}
