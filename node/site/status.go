package site

import (
	"context"
	"errors"
	"slices"

	"peerd.dev/node"
)

// newest returns the status after the newest step, to be shown once that is durable.
func (s *Site) newest() *durableStatus {
	d := &durableStatus{s.step, s.belief, s.state, s.checkpoint(), s.aloneReason()}
	d.state.Pulls = slices.Clone(s.state.Pulls)
	return d
}

// Status returns what the site has done so far. Everything in it is public, and but for Users a crash undoes
// nothing of it.
func (s *Site) Status(context.Context) (node.Status, error) {
	d := s.durable.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	x, b := d.state, &d.belief
	if s.world == nil && s.agent.NoisedCounts() {
		x.Pulls, x.Pending = nil, 0
	} else if s.world == nil && s.c.Inputs.Dim() > 0 { // from which they follow
		x.Pulls = nil
	}
	status := node.Status{
		Round: min(x.Round, s.c.Rounds), Rounds: s.c.Rounds,
		Pulls: slices.Clone(x.Pulls), Means: b.Means, Samples: b.Samples, Noise: b.Noise, Parameter: b.parameter, Support: b.support, Best: b.best, Drifted: b.drifted,
		Spent: s.c.Genesis.Budget.Epsilon.Float() - x.Left, Left: x.Left, Regret: x.Regret,
		Released: x.Released, Refused: s.counts.refused, Skipped: s.counts.skipped, Flooded: s.counts.flooded,
		LastErr: s.counts.lastFault, Pending: x.Pending, Records: d.ledger.Records, Confirmed: s.confirmed.round,
		BlockedReason: s.blockedReason(), AloneReason: d.alone, Full: s.logged.full,
	}
	s.learning(&status)
	status.Policy, status.Users = s.policyNotice(b), s.usersNotice()
	return status, nil
}

// blockedReason returns why nothing is released, or "".
func (s *Site) blockedReason() string {
	var status node.Status
	if s.learning(&status); status.Learning == node.Waits {
		return status.Notice
	}
	return s.standing.Reason()
}

// StoreMemory returns how many bytes of memory the store uses.
func (s *Site) StoreMemory() uint64 { return s.store.MemoryBytes() }

// CopyStore makes a folder, which must not exist, with a copy of the store; see [store.Store.Copy].
func (s *Site) CopyStore(to string) error { return s.store.Copy(to) }

// Ready returns nil if the site learns from choices and releases, or else the reason why it does
// not.
func (s *Site) Ready(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store.Low() {
		return s.store.Lack()
	}
	if why := s.blockedReason(); why != "" {
		return errors.New(why)
	}
	return nil
}
