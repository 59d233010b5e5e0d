package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// Spec returns what all peers of a network agree on. graph has the neighbours by peer; domain is
// what signatures are bound to.
func (s *Settings) Spec(graph [][]protocol.Peer, domain string) (node.Spec, error) {
	privacy, err := s.Privacy.promise(s.Mode)
	if err != nil {
		return node.Spec{}, err
	}
	spec := node.Spec{
		Arms:     s.places(),
		Absent:   s.Actions(nil).Absent,
		Graph:    graph,
		Learner:  s.LearnerParams(),
		Protocol: s.ProtocolParams(),
		Privacy:  privacy,
		Explore:  s.Learner.Explore,
		Public:   sha256.Sum256([]byte("peerd public/" + domain)),
	}
	if s.Privacy.Answers == Inside {
		spec.Give, spec.Sites, spec.Inside = node.GiveFew, int(s.Give.Sites), s.Privacy.Inside
	}
	if l := s.laboratory(); l != nil {
		l.Amend(s, &spec)
	}
	if p, err := spec.Giving(); err == nil { // the error is a constraint's
		spec.Protocol = p
	}
	return spec, nil
}

// WorldVectors reports whether the learner takes the features of arms from the simulated world.
func (s *Settings) WorldVectors() bool {
	t := bandit.TraitsOf(s.LearnerParams())
	return t.Vectored && len(t.Vectors) == 0 && s.World.Kind != Application
}

// Domain is what signatures are bound to: everything on which peers agree, so that what was
// signed with other settings is not valid here. In lockstep it is a constant, which the simulator
// shares.
func (s *Settings) Domain(policy [sha256.Size]byte) string {
	if s.Mode == Lockstep {
		return SimulatedNetwork
	}
	return hex.EncodeToString(policy[:])
}

// LockstepIdentity returns the key derived from a peer's seed number.
func LockstepIdentity(number uint64) gossip.Identity {
	return gossip.SeedIdentity(node.NewSeed(number).Of("identity"))
}

// Identity returns the peer's key.
func (s *Settings) Identity() (gossip.Identity, error) {
	if s.Mode == Lockstep {
		return LockstepIdentity(s.Seed), nil
	}
	return gossip.LoadIdentity(s.IdentityPath())
}

// LedgerIdentity returns the key that the ledger names, and that signs exports of it: the first
// key of the folder.
func (s *Settings) LedgerIdentity() (gossip.Identity, error) {
	id, err := gossip.LoadIdentity(s.FirstIdentityPath())
	if errors.Is(err, fs.ErrNotExist) {
		return s.Identity()
	}
	return id, err
}

// Neighbours returns the neighbours of each of n peers, ascending.
func Neighbours(n int, links [][2]int) [][]protocol.Peer {
	all := make([][]protocol.Peer, n)
	for _, l := range links {
		all[l[0]] = append(all[l[0]], protocol.Peer(l[1]))
		all[l[1]] = append(all[l[1]], protocol.Peer(l[0]))
	}
	for i := range all {
		slices.Sort(all[i])
	}
	return all
}

// SimulatedNetwork is the name of networks in lockstep and in the simulator; it is
// part of what peers sign.
const SimulatedNetwork = "lockstep"
