package site

import (
	"errors"
	"fmt"
	"time"

	"peerd.dev/node/store"
)

// early returns why the round that begins now is not played, or "": this clock is far ahead of the clocks of other peers or,
// before one of them was heard, far after the last round that was played. A round that is played too early keeps a site silent until its
// time has come.
func (s *Site) early(ahead time.Duration, peers int) string {
	last, now := s.begins(s.state.Round), s.c.Now()
	switch {
	case ahead > s.far():
		return fmt.Sprintf("this clock is %v ahead of the clocks of other peers (%d have answered): no round is played until they agree, and reported rewards wait. Set the clock that is wrong", ahead.Round(time.Second), peers)
	case peers == 0 && len(s.standing.Awaited()) > 0 && now.Sub(last) > s.far():
		return fmt.Sprintf("the last round that was played was %v ago by this clock: none is played until the clock of another peer was heard, in case this one is ahead", now.Sub(last).Round(time.Second))
	}
	return ""
}

// isEarly reports whether the round that begins now is not played.
func (s *Site) isEarly() bool {
	if s.c.Ahead == nil {
		return false
	}
	ahead, peers := s.c.Ahead() // which waits for a host that may wait for the site
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = s.early(ahead, peers)
	return s.waits != ""
}

// A limit is the latest that anything can wait for after a clock was ahead.
type limit struct {
	due, past uint64    // rounds
	ends      time.Time // of a window
}

// comeBack goes back to the present round after a clock that was ahead, and returns the limits of a decision of now.
func (s *Site) comeBack() limit {
	ends := s.c.Now().Add(s.c.Rules.Window)
	s.state.Round = s.roundAt(s.c.Now())
	return limit{s.after(ends), s.after(ends.Add(s.c.Rules.Keep)), ends}
}

// move moves what waits for later rounds than any decision of now. The decisions of the site have been uncounted.
func (l *limit) move(s *Site, b *store.Batch) error {
	err := s.scan(store.InsideDue, func(id []byte, c *choice) {
		if c.kept && l.moves(s, b, id, c) {
			b.Set(store.Decision, id, c.bytes())
		}
	})
	for _, table := range []store.Table{store.Past, store.InsidePast} {
		for e, failed := range s.store.Scan(table, store.Number(l.past+1), nil) {
			if err = errors.Join(err, failed); err != nil {
				return err
			}
			b.Delete(table, e.Key)
			b.Set(table, append(store.Number(l.past), e.Key[8:]...), e.Value)
		}
	}
	return err
}

// moves moves a decision that waits, and reports whether it has to.
func (l *limit) moves(s *Site, b *store.Batch, id []byte, c *choice) bool {
	if c.due <= l.due {
		return false
	}
	(&tx{site: s, batch: b}).dueAt(string(id), c, l.due)
	c.expires = l.ends
	return true
}
