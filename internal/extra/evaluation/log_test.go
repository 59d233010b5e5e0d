package evaluation

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"peerd.dev/internal/decisions"
)

// TestOldDecisionsAreLeftOut: of those that were made before a time none is in an evaluation, and an error is.
func TestOldDecisionsAreLeftOut(t *testing.T) {
	begin := time.Now()
	broken := errors.New("broken")
	got := ""
	for r, err := range after(begin, func(yield func(decisions.Row, error) bool) {
		_ = yield(decisions.Row{ID: "old", Time: begin.Add(-time.Second)}, nil) &&
			yield(decisions.Row{ID: "new", Time: begin}, nil) && yield(decisions.Row{}, broken)
	}) {
		got += fmt.Sprint(r.ID, err, " ")
	}
	if want := "new<nil> broken "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
