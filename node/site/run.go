package site

import (
	"context"
	"errors"
	"fmt"
	"time"

	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// retry is how long a site that is blocked, or has no room, waits at most before it tries again.
const retry = time.Second

// maxHeard is how many messages of one sender a site accepts during a round. A round can last a
// day, and its messages wait in memory for its end.
const maxHeard = 1024

// Run ends every round when the clock begins the next one, until ctx is done, which is a nil
// error. It must be called once.
func (s *Site) Run(ctx context.Context, tr Transport) error {
	s.began = s.c.Now()
	blocked := s.isBlocked()
	if blocked {
		s.log.Info("nothing is released yet", "reason", s.Ready(ctx))
	} else if err := s.resend(ctx, tr); err != nil {
		return ended(ctx, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		if err := s.send(context.WithoutCancel(ctx), tr); err != nil {
			cancel(err)
			for range s.sends {
				continue // so that no step waits for room
			}
		}
	}()
	err := s.rounds(ctx, tr, !blocked)
	close(s.sends) // only rounds queues
	<-sent
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return ended(ctx, err)
}

// rounds ends a round whenever the clock reaches one. A round that has passed, or is not after
// the last one that ended, is not played, however the clock jumps. What was left in the outbox is
// sent first unless that has been done.
func (s *Site) rounds(ctx context.Context, tr Transport, resent bool) error {
	for {
		s.notice()
		t, in, err := s.gather(ctx, tr)
		if err != nil {
			return err
		}
		if blocked := s.isBlocked(); blocked || s.isEarly() {
			// Messages that arrived are dropped: an answer would be a release. No window ends by a clock that is ahead.
			if blocked {
				err = s.rest(t, s.settleInside, s.forgetInside)
			}
			if err = errors.Join(err, s.pause(ctx)); err != nil {
				return err
			}
			continue
		}
		if !resent {
			resent = true
			if err = s.resend(ctx, tr); err != nil {
				return err
			}
		}
		s.skip(t)
		err = s.Round(t, in)
		if err != nil && !errors.Is(err, store.ErrFull) {
			return err
		}
		s.full(s.store.Low())
		if err != nil {
			if err = s.pause(ctx); err != nil {
				return err
			}
		}
	}
}

// pause waits before the same round is tried again.
func (s *Site) pause(ctx context.Context) error {
	timer := time.NewTimer(min(retry, s.c.Clock.Every))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// gather waits for the beginning of the next round and returns its number and the messages that
// have arrived.
func (s *Site) gather(ctx context.Context, tr Transport) (protocol.Round, []protocol.Delivery, error) {
	s.mu.Lock()
	next := s.state.Round
	s.mu.Unlock()
	now := s.sane(s.c.Now())
	if !now.Before(s.c.Clock.Start) {
		next = max(next, s.roundAt(now))
	}
	timer := time.NewTimer(s.begins(next).Sub(now))
	defer timer.Stop()
	var in []protocol.Delivery
	heard := make(map[protocol.Peer]int)
	for {
		select {
		case <-ctx.Done():
			return 0, nil, ctx.Err()
		case d := <-tr.Inbox():
			if heard[d.From]++; heard[d.From] > maxHeard {
				s.flooded(d.From)
				continue
			}
			in = append(in, d)
		case <-timer.C:
			return protocol.Round(next), in, nil
		}
	}
}

// maxJump is by how much the clock may be set forward while the peer runs.
const maxJump = 10 * time.Minute

// sane returns now, unless the clock has been set forward by more than maxJump since the start;
// then it returns what the clock would show otherwise. A round that is played too early keeps the
// peer silent until its time has come. An operator who corrects the clock by that much starts the
// peer again.
func (s *Site) sane(now time.Time) time.Time {
	steady := s.began.Round(0).Add(now.Sub(s.began)) // by the clock that cannot be set
	if jump := now.Round(0).Sub(steady); jump > maxJump {
		if !s.jumped {
			s.jumped = true
			s.log.Error("the clock was set forward while the peer ran; rounds go on as before. If it is right now, start the peer again", "by", jump)
		}
		return steady
	}
	s.jumped = false
	return now
}

// flooded counts a message that was dropped because its sender sent too many.
func (s *Site) flooded(from protocol.Peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.flooded++
	s.noteFault(fmt.Errorf("%s sends more than %d messages in a round", s.c.Name(s.c.ID(from)), maxHeard))
}

// skip counts the rounds that passed without this peer while there was something to play.
func (s *Site) skip(t protocol.Round) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := uint64(t)
	if s.world != nil {
		to = min(to, s.c.Rounds)
	}
	s.counts.skipped += to - min(to, max(s.state.Round, s.counts.skippedTo))
	s.counts.skippedTo = to
}

// ended returns nil for an end that ctx asked for, and err for any other.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}
