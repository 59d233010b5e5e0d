package site

import (
	"fmt"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node"
)

// few is the fraction of leaves left, 1/few, at which learning is about to end.
const few = 10

// slewed is how far a clock that is kept right goes back at most, which needs no word.
const slewed = time.Second

// learning reports how much of what its charge pays for the site has used.
func (s *Site) learning(to *node.Status) {
	to.Learning = node.Goes
	if s.c.Streams == 0 {
		return
	}
	now, start := s.c.Now(), s.c.Clock.Start
	paid, spent, streams := s.c.Cadence.Leaves(s.c.Horizon), 0, 0
	to.Remaining = paid
	for k := range s.c.Streams {
		if s.c.Streams == len(s.c.Arms) && slices.Contains(s.c.Absent, bandit.Arm(k)) {
			continue // nothing can be learned there
		}
		streams++
		left, err := s.agent.Remaining(dp.StreamID(k))
		if err != nil {
			return // no such stream, which Open has ruled out
		}
		to.Remaining = min(to.Remaining, left)
		if left == 0 {
			spent++
		}
	}
	end := time.Time{}
	if every := s.c.Cadence.Rounds; every > 0 {
		next := max(s.state.Round, s.roundAt(now))
		end = start.Add(time.Duration((next/every+to.Remaining)*every) * s.c.Clock.Every)
	}
	if s.world != nil {
		if last := start.Add(time.Duration(s.c.Rounds) * s.c.Clock.Every); end.IsZero() || last.Before(end) {
			end = last
		}
	}
	to.Until = end
	when := func(t time.Time) string { return t.UTC().Format(time.DateTime) + " UTC" }
	noun, ahead := s.c.Cadence.Noun, s.begins(s.state.Round).Sub(now)
	switch {
	case now.Before(start):
		to.Learning, to.Notice = node.Waits, fmt.Sprintf("the network starts at %s, in %v: nothing is learned or released until then", when(start), start.Sub(now).Round(time.Second))
	case spent == streams:
		to.Learning, to.Notice = node.Ended, fmt.Sprintf("learning has ended: every %s that privacy.horizon pays for is used. Decisions follow what is known, and their rewards are learned from no more", noun)
	case s.world != nil && s.roundAt(now) >= s.c.Rounds:
		to.Learning, to.Notice = node.Ended, fmt.Sprintf("learning has ended: all %d rounds are over since %s", s.c.Rounds, when(end))
	case s.state.Begun && ahead > s.c.Clock.Every+max(s.c.Clock.Every, slewed):
		to.Learning, to.Notice = node.Waits, fmt.Sprintf("the clock was ahead: round %d has been played, and begins at %s, in %v. Nothing is learned or released until then, and reported rewards wait", s.state.Round-1, when(now.Add(ahead-s.c.Clock.Every)), (ahead-s.c.Clock.Every).Round(time.Second))
		if s.wasAhead() > 0 {
			to.Notice += ". To go on now, see that the clock is right, stop this peer, and run `peerd recover`, which gives up a leaf of each stream"
		}
	case s.waits != "":
		to.Learning, to.Notice = node.Waits, s.waits
	case spent > 0:
		to.Learning, to.Notice = node.Ends, fmt.Sprintf("%d of %d streams have used every %s that privacy.horizon pays for: the rewards of their actions are learned from no more", spent, streams, noun)
	case to.Remaining <= paid/few:
		to.Learning, to.Notice = node.Ends, fmt.Sprintf("learning ends soon: %d of %d that privacy.horizon pays for are left (each a %s)", to.Remaining, paid, noun)
		if !end.IsZero() {
			to.Notice += ", until about " + when(end)
		}
	}
}
