package site

import (
	"context"
	"errors"
	"slices"

	"peerd.dev/node"
)

// newest returns the status after the newest step, to be shown once that is durable.
func (s *Site) newest() *durableStatus {
	return &durableStatus{
		s.step, s.belief, s.state.Round, slices.Clone(s.state.Pulls), s.state.Released, s.checkpoint(), s.state.Left, s.state.Regret, s.state.Pending, s.aloneReason(),
	}
}

// Status returns what the site has done so far. Everything in it is public, and a crash undoes
// nothing of it.
func (s *Site) Status(context.Context) (node.Status, error) {
	d := s.durable.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.world != nil:
	case s.agent.NoisedCounts():
		d = d.withoutCounts()
	case s.c.Inputs.Dim() > 0: // from which they follow
		d = d.withoutPulls()
	}
	status := node.Status{
		Round: min(d.round, s.c.Rounds), Rounds: s.c.Rounds,
		Pulls: slices.Clone(d.pulls), Means: d.belief.Means, Samples: d.belief.Samples, Noise: d.belief.Noise, Parameter: d.belief.parameter, Support: d.belief.support, Best: d.belief.best, Drifted: d.belief.drifted,
		Spent: s.c.Genesis.Budget.Epsilon.Float() - d.left, Left: d.left, Regret: d.regret,
		Released: d.released, Refused: s.counts.refused, Skipped: s.counts.skipped, Flooded: s.counts.flooded,
		LastErr: s.counts.lastFault, Pending: d.pending, Records: d.ledger.Records, Confirmed: s.confirmed.round,
		BlockedReason: s.blockedReason(), AloneReason: d.alone, Full: s.logged.full,
	}
	s.learning(&status)
	status.Policy = s.policyNotice(&d.belief)
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
