package config

import (
	"path/filepath"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/protocol"
)

// RoundCount returns how many rounds a run plays.
func (s *Settings) RoundCount() uint64 {
	if s.Rounds.Count == 0 {
		return s.Privacy.Rounds()
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

// FileName is the name of a configuration in a peer's folder.
const FileName = "peerd.yaml"

// IdentityPath returns where the peer's private key is.
func (s *Settings) IdentityPath() string { return filepath.Join(s.Dir, "identity.key") }

// Charge returns what an agent with these settings and arms is charged when it starts. It
// fails where the agent would.
func (s *Settings) Charge() (dp.Charge, error) {
	spec, err := s.Spec(make([][]protocol.Peer, s.Testnet.Nodes), "")
	if err != nil {
		return dp.Charge{}, err
	}
	streams, err := spec.Streams()
	if err != nil {
		return dp.Charge{}, err
	}
	curator, err := dp.NewCurator(dp.Lockstep, account.Unlimited, nil) // it draws nothing
	if err != nil {
		return dp.Charge{}, err
	}
	if _, err = curator.Open(streams); err != nil {
		return dp.Charge{}, err
	}
	return curator.TakeCharges()[0], nil
}

// Cadence returns when the leaves of a peer's streams close.
func (s *Settings) Cadence() protocol.Cadence {
	e, err := protocol.Lookup(s.Protocol.Name)
	if err != nil {
		return protocol.Cadence{}
	}
	return e.Cadence(s.ProtocolParams())
}
