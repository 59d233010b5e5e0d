package evaluation

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"peerd.dev/node/decision"
)

// TestOldDecisionsAreLeftOut: of those that were made before a time none is in an evaluation, and an error is.
func TestOldDecisionsAreLeftOut(t *testing.T) {
	begin := time.Now()
	broken := errors.New("broken")
	got := ""
	for r, err := range after(begin, func(yield func(decision.Row, error) bool) {
		_ = yield(decision.Row{ID: "old", Time: begin.Add(-time.Second)}, nil) &&
			yield(decision.Row{ID: "new", Time: begin}, nil) && yield(decision.Row{}, broken)
	}) {
		got += fmt.Sprint(r.ID, err, " ")
	}
	if want := "new<nil> broken "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
