package config

import (
	"fmt"
	"os"
	"path/filepath"

	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// RoundCount returns how many rounds a run plays.
func (s *Settings) RoundCount() uint64 {
	if s.Rounds.Count == 0 {
		return s.Privacy.Rounds()
	}
	return s.Rounds.Count
}

// DocumentName is the name of the record of a signed network document in a peer's folder.
const DocumentName = "network.json"

// NetworkPath returns where the network file is: in Dir, unless it is absolute. If the setting has
// its default, and the folder holds a signed document, that is it.
func (s *Settings) NetworkPath() string {
	if filepath.IsAbs(s.Network) {
		return s.Network
	}
	if k, ok := s.Schema().Find("network"); ok && s.Network == k.Default {
		path := filepath.Join(s.Dir, DocumentName)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return filepath.Join(s.Dir, s.Network)
}

// FileName is the name of a configuration in a peer's folder.
const FileName = "peerd.yaml"

// IdentityPath returns where the peer's private key is.
func (s *Settings) IdentityPath() string { return filepath.Join(s.Dir, "identity.key") }

// FirstIdentityPath returns where the key is that the folder had before its key was replaced.
func (s *Settings) FirstIdentityPath() string { return filepath.Join(s.Dir, "identity.first.key") }

// Charge returns what an agent with these settings and arms is charged when it starts. It
// fails where the agent would, above all if the budget does not pay.
func (s *Settings) Charge() (dp.Charge, error) {
	spec, err := s.charged()
	if err != nil {
		return dp.Charge{}, err
	}
	return spec.Charge()
}

// Asked is Charge for any budget: what the same streams and their noise cost.
func (s *Settings) Asked() (dp.Charge, error) {
	spec, err := s.charged()
	if err != nil {
		return dp.Charge{}, err
	}
	streams, err := spec.Streams()
	if err != nil {
		return dp.Charge{}, err
	}
	return streams.Charge()
}

// charged returns what an agent with arms is charged for.
func (s *Settings) charged() (node.Spec, error) {
	return s.Spec(make([][]protocol.Peer, max(1, s.Simulated().Peers)), "")
}

// Cadence returns when the leaves of a peer's streams close.
func (s *Settings) Cadence() protocol.Cadence {
	if spec, err := s.charged(); err == nil {
		return spec.Protocol.Cadence()
	}
	return s.ProtocolParams().Cadence()
}

// NothingGiven returns why a site that keeps decisions gives none; "" if it gives some, or keeps none.
func (s *Settings) NothingGiven() string {
	spec, err := s.charged()
	if err != nil || s.Privacy.Answers != Inside || s.Give.Sites == 0 {
		return ""
	}
	text := fmt.Sprintf("with %s and %s, spare ones included, no decision is given, and joining cannot pay", s.With("give.sites"), Counted(uint64(spec.Arms), "action"))
	switch least, ok := spec.LeastSites(); {
	case !ok:
		return text + "; take fewer actions"
	case least > spec.Sites:
		return text + fmt.Sprintf("; some are given from %d sites on", least)
	}
	return ""
}

// SitesOf returns how many of the first peers of a network have arms. Each of them has a site
// of the world, in the order of peers.
func (s *Settings) SitesOf(peers int) int {
	return protocol.Learners(s.ProtocolParams(), peers)
}
