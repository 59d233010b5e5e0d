package site

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"peerd.dev/node"
	"peerd.dev/protocol"
)

// durableStatus is a site's status after a step that is durable. A crash could undo a later step,
// and its noise would be drawn a second time.
type durableStatus struct {
	step     uint64
	belief   lastBelief
	round    uint64
	pulls    []uint64
	released uint64
	ledger   protocol.Checkpoint
	left     float64
	regret   float64
	pending  uint64
	alone    string // why, if it is alone
}

// newest returns the status after the newest step, to be shown once that is durable.
func (s *Site) newest() *durableStatus {
	return &durableStatus{
		s.step, s.belief, s.state.Round, slices.Clone(s.state.Pulls), s.state.Released, s.checkpoint(), s.state.Left, s.state.Regret, s.state.Pending, s.aloneReason(),
	}
}

// withoutCounts returns d without exact numbers of decisions.
func (d *durableStatus) withoutCounts() *durableStatus {
	hidden := *d
	hidden.pulls, hidden.pending = nil, 0
	return &hidden
}

// withoutPulls returns d without the numbers of choices of each action.
func (d *durableStatus) withoutPulls() *durableStatus {
	hidden := *d
	hidden.pulls = nil
	return &hidden
}

// show makes d, which is durable, the reported status, unless d is nil or older than that.
// Batches become durable in order, but the goroutines that wait for them may wake up in another
// order.
func (s *Site) show(d *durableStatus) {
	for d != nil {
		old := s.durable.Load()
		if old.step > d.step || s.durable.CompareAndSwap(old, d) {
			return
		}
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

// aloneReason returns why the site continues without a peer that its protocol needs, or "".
func (s *Site) aloneReason() string {
	needed, lost := s.agent.Lost()
	if !lost {
		return ""
	}
	return fmt.Sprintf("%s, to which all report, does not answer: this peer goes on with what it has until it does", s.c.Name(s.c.ID(needed)))
}

// noteFault logs a fault of another peer: at most once a minute as a warning with the number of
// faults, and otherwise at a lower level. The newest is in the status.
func (s *Site) noteFault(err error) {
	s.counts.lastFault = err.Error()
	level, now := slog.LevelDebug, s.c.Now()
	if s.logged.faults.take(now) {
		level = slog.LevelWarn
	}
	s.log.Log(context.Background(), level, "another peer broke the protocol", "reason", err, "count", s.counts.refused+s.counts.flooded)
}

// noteAlone logs when a peer that the protocol needs is lost, and when it answers again.
func (s *Site) noteAlone() {
	switch why := s.aloneReason(); {
	case why != "" && !s.logged.alone:
		s.log.Warn("alone", "reason", why)
	case why == "" && s.logged.alone:
		s.log.Info("not alone any more: the peer that all report to answers")
	default:
		return
	}
	s.logged.alone = !s.logged.alone
}

// noteClipped logs, at most once a minute, that rewards or features were out of bounds. Their
// number is private, so it is only in the log.
func (s *Site) noteClipped() {
	n := s.agent.Clipped()
	if n < s.logged.clipped { // an agent was made in between
		s.logged.clipped = 0
	}
	if n == s.logged.clipped || !s.logged.clips.take(s.c.Now()) {
		return
	}
	s.logged.clipped = n
	s.log.Warn("rewards or features are out of bounds, and clipped", "records", n)
}

// StoreMemory returns how many bytes of memory the store uses.
func (s *Site) StoreMemory() uint64 { return s.store.MemoryBytes() }

// CopyStore makes a folder, which must not exist, with a copy of the store; see [store.Store.Copy].
func (s *Site) CopyStore(to string) error { return s.store.Copy(to) }
