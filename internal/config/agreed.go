package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
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

// Domain is what signatures are bound to: everything on which peers agree, so that what was
// signed with other settings is not valid here. In lockstep it is a constant, which the simulator
// shares.
func (s *Settings) Domain(policy [sha256.Size]byte) string {
	if s.Mode == Lockstep {
		return SimulatedNetwork
	}
	return hex.EncodeToString(policy[:])
}

// SimulatedNetwork is the name of networks in lockstep and in the simulator; it is
// part of what peers sign.
const SimulatedNetwork = "lockstep"

// Actions are the actions of a version of a network. Every arm that ever existed keeps its place;
// spare places have the empty name, and come last.
type Actions struct {
	Names  []string     // by place
	Absent []bandit.Arm // places that are not chosen: retired and spare
}

// places returns how many arms there is room for.
func (s *Settings) places() int { return len(s.Arms) + int(s.SpareArms) }

// Actions returns the actions of a network; nil means one in which none were added or retired.
func (s *Settings) Actions(n *Network) (a Actions) {
	var retired []string
	a.Names = slices.Clone(s.Arms)
	if n != nil {
		a.Names, retired = append(a.Names, n.Added...), n.Retired
	}
	for i, name := range a.Names {
		if slices.Contains(retired, name) {
			a.Absent = append(a.Absent, bandit.Arm(i))
		}
	}
	for i := len(a.Names); i < s.places(); i++ {
		a.Names, a.Absent = append(a.Names, ""), append(a.Absent, bandit.Arm(i))
	}
	return a
}

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

// learner makes the chosen learner, of which nothing is kept.
func (s *Settings) learner() (bandit.Learner, error) {
	return bandit.New(s.LearnerParams(), bandit.Config{Arms: max(1, len(s.Arms)), Peers: 1, Horizon: s.Privacy.Rounds(), Epsilon: 1})
}

// weighsSites reports whether the chosen learner needs the mean of each site.
func (s *Settings) weighsSites() bool {
	l, err := s.learner()
	by, ok := l.(bandit.BySite)
	return err == nil && ok && by.NeedsSites()
}

// Statistic returns what the chosen learner adds up.
func (s *Settings) Statistic() (bandit.Statistic, error) {
	l, err := s.learner()
	if err != nil {
		return bandit.Statistic{}, err
	}
	return l.Statistic(), nil
}

// checkGive returns why no site can keep decisions. Settings of which no agent can be made are refused elsewhere.
func (s *Settings) checkGive() error {
	spec, err := s.Spec(make([][]protocol.Peer, max(2, s.Simulated().Peers)), "")
	if err != nil {
		return nil
	}
	return spec.CheckGive()
}

// running reports whether the mechanism needs a horizon.
func (s *Settings) running() bool {
	m, err := dp.ParseMechanism(s.Privacy.Mechanism)
	return err == nil && m.Running()
}
