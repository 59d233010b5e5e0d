package site

import (
	"time"

	"peerd.dev/node/store"
)

// far is by how much a round may begin after the time that the clocks of other peers show.
func (s *Site) far() time.Duration { return time.Minute + 3*s.c.Clock.Every }

// begins returns when a round begins.
func (s *Site) begins(round uint64) time.Time {
	return s.c.Clock.Start.Add(time.Duration(round) * s.c.Clock.Every)
}

// roundAt returns the round that a time is in.
func (s *Site) roundAt(t time.Time) uint64 {
	return uint64(max(0, t.Sub(s.c.Clock.Start)) / s.c.Clock.Every)
}

// after returns the first round that ends after a time and has not ended yet.
func (s *Site) after(t time.Time) uint64 {
	return max(s.roundAt(t)+1, s.state.Round, store.ReadNumber(s.dueFrom), store.ReadNumber(s.oldFrom))
}

// offset is when in a round messages are sent: always at the same time, independent of how much
// work the round was, if it is done and durable by then.
func (s *Site) offset() time.Duration { return min(s.c.Clock.Every/5, maxOffset) }

// maxOffset is the longest time that a round's messages wait after its beginning.
const maxOffset = 50 * time.Millisecond

// wasAhead returns by how much the last round that was played begins too late: the clock was ahead then. It is 0 if that is not far.
func (s *Site) wasAhead() time.Duration {
	if by := s.begins(s.state.Round).Sub(s.c.Now()) - s.c.Clock.Every; s.state.Begun && by > s.far() {
		return by
	}
	return 0
}
