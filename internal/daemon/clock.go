package daemon

import (
	"fmt"
	"time"
)

// WrongClock returns what there is to know about a clock that is ahead of the clocks of other peers, whose rounds have a
// length. It is empty unless the clock is wrong by more than a quarter of a round, and a tenth of a second.
func WrongClock(ahead, every time.Duration) string {
	if ahead.Abs() <= max(every/4, 100*time.Millisecond) {
		return ""
	}
	side := "ahead of"
	if ahead < 0 {
		side = "behind"
	}
	return fmt.Sprintf("this clock is %v %s the clocks of other peers, as their median, and rounds last %v: messages come in other rounds than they are meant for", ahead.Abs().Round(time.Millisecond), side, every)
}
