package site

import (
	"strings"
	"testing"
	"time"
	"unsafe"
)

// set returns t as shown by a clock that was set forward in between: the wall time differs, the
// monotonic time does not.
func set(t time.Time, forward time.Duration) time.Time {
	inside := (*struct {
		wall uint64 // 1 bit: has monotonic time; 33 bits: seconds; 30 bits: nanoseconds
		ext  int64
		loc  *time.Location
	})(unsafe.Pointer(&t))
	inside.wall += uint64(forward/time.Second) << 30
	return t
}

// TestAClockSetForwardIsNotFollowed: the site neither jumps nor plays all the rounds in between
// at once. Both would use up the leaves of rounds that have not happened.
func TestAClockSetForwardIsNotFollowed(t *testing.T) {
	const every = 20 * time.Millisecond
	for _, forward := range []time.Duration{0, time.Hour, 24 * 365 * time.Hour} {
		r := started(t, usual(stated, AtWindow))
		s := r.s
		began := time.Now()
		s.began, s.c.Clock.Start, s.c.Clock.Every = began, began.Round(0), every
		s.c.Now = func() time.Time { return set(time.Now(), forward) }
		if now := s.c.Now(); now.Round(0).Sub(time.Now().Round(0)) < forward-time.Minute || time.Until(now) > time.Minute {
			t.Fatalf("this clock is not set by %v", forward)
		}
		for range 6 {
			round, _, err := s.gather(t.Context(), r.net)
			if err != nil {
				t.Fatal(err)
			}
			if last := time.Since(began) / every; time.Duration(round) > last {
				t.Errorf("set by %v: round %d ends in round %d", forward, round, last)
			}
			s.state.Round = uint64(round) + 1
		}
		if n := strings.Count(r.logs.String(), "set forward"); (n == 1) != (forward > 0) {
			t.Errorf("set by %v: %d lines say so", forward, n)
		}
	}
}
