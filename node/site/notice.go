package site

import (
	"context"
	"fmt"
	"log/slog"

	"peerd.dev/bandit"
	"peerd.dev/node"
)

// policyNotice says in a sentence what the site adds to its learner, and what a baseline costs by public estimates; "" for nothing.
func (s *Site) policyNotice(b *lastBelief) string {
	rules := &s.c.Rules
	switch rules.Shadow {
	case ShadowPropose:
		if s.inside.half != nil {
			return "the application chooses by a policy of its own (api.shadow: propose), and what it takes is learned from inside the site"
		}
		return "the application chooses by a policy of its own, and nothing is learned from it (api.shadow: propose)"
	case ShadowLearn:
		return "the application chooses by a policy of its own, and what it takes is learned from (api.shadow: learn)"
	case NoShadow:
	}
	if rules.Baseline == "" || s.agent.Idle() || s.c.World != nil {
		return ""
	}
	a, ok := s.arms[rules.Baseline]
	keeps := fmt.Sprintf("%s has %.3g of the decisions (api.baseline)", rules.Baseline, rules.BaselineShare)
	o := offer{places: s.arms}
	switch {
	case s.inside.half != nil: // what it costs follows from exact rewards
		return keeps
	case s.c.Inputs.Dim() > 0:
		return keeps + "; by features there is no estimate of what that costs"
	case !ok:
		return rules.Baseline + ", the baseline, is retired: the learner chooses"
	case o.name(nil, &s.given) != nil:
		return keeps // cannot happen: nothing is named
	case rules.UntilBetter && betterThan(a, &o, s.present, b.bounds):
		return rules.Baseline + ", the baseline, has no share: this site's own releases show a better action"
	}
	best := bandit.NoArm
	for _, k := range s.present {
		if o.on(k) && int(k) < len(b.Samples) && b.Samples[k] > 0 && (best < 0 || b.Means[k] > b.Means[best]) {
			best = k
		}
	}
	switch {
	case best < 0 || b.Samples[a] == 0:
		return keeps + "; what that costs is not known yet"
	case best == a:
		return keeps + "; by today's estimates that costs nothing"
	}
	return fmt.Sprintf("%s; by today's estimates that costs %.3g rewards a decision, as %s is better", keeps, rules.BaselineShare*rules.Range.Width()*(b.Means[best]-b.Means[a]), s.c.Arms[best])
}

// usersNotice says in a sentence how many decisions that count named no user, unless presence is hidden.
func (s *Site) usersNotice() string {
	if s.counts.unnamed == 0 || s.agent.NoisedCounts() {
		return ""
	}
	return fmt.Sprintf("%d of the last %d decisions that count named no user, and nothing is promised to whom no decision names (subject): api.subject: required refuses these", s.counts.unnamed, s.counts.counted)
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

// full logs, once each time, that the disk is full and that it no longer is.
func (s *Site) full(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if is != s.logged.full {
		s.logged.full = is
		if is {
			s.log.Error("no decisions are made until there is room, and with half as much nothing is learned or released", "reason", s.store.Lack(), "dir", s.c.Dir)
		} else {
			s.log.Info("there is room on the disk again")
		}
	}
}

// notice logs a new state of learning once.
func (s *Site) notice() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var now node.Status
	s.learning(&now)
	if now.Learning == s.noticed {
		return
	}
	s.noticed = now.Learning
	switch now.Learning {
	case node.Ends, node.Ended:
		s.log.Warn(now.Notice)
	case node.Waits:
		if s.state.Begun { // a clock is or was ahead
			s.log.Warn(now.Notice)
		} else {
			s.log.Info(now.Notice)
		}
	case node.Goes: // nothing to log
	}
}

// aloneReason returns why the site continues without a peer that its protocol needs, or "".
func (s *Site) aloneReason() string {
	needed, lost := s.agent.Lost()
	if !lost {
		return ""
	}
	return fmt.Sprintf("%s, to which all report, does not answer: this peer goes on with what it has until it does", s.c.Name(s.c.ID(needed)))
}
