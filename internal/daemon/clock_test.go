package daemon

import (
	"strings"
	"testing"
	"time"
)

func TestWrongClock(t *testing.T) {
	for _, x := range []struct {
		ahead, every time.Duration
		want         string
	}{
		{0, time.Second, ""},
		{250 * time.Millisecond, time.Second, ""},
		{90 * time.Millisecond, 2 * time.Millisecond, ""},
		{251 * time.Millisecond, time.Second, "251ms ahead of"},
		{-5 * time.Minute, 10 * time.Minute, "5m0s behind"},
		{-2 * time.Minute, 10 * time.Minute, ""},
	} {
		if got := WrongClock(x.ahead, x.every); (got == "") != (x.want == "") || !strings.Contains(got, x.want) {
			t.Errorf("%v, rounds of %v: %q", x.ahead, x.every, got)
		}
	}
}
