package daemon

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/node/site"
)

// TestRowsHaveWhatWasOnOffer: as it was asked; without features only where something was excluded; and with a feature for each
// action, if the ask described none.
func TestRowsHaveWhatWasOnOffer(t *testing.T) {
	arms := []string{"red", "brown", "green", "blue"}
	l := decisionLog{reader: site.DecisionReader{Arms: arms}, names: []string{"red", "green", "blue"}}
	for what, c := range map[string]struct {
		action  int
		on      site.Offered
		names   []string
		actions [][]float64
	}{
		"nothing was excluded": {0, site.Offered{}, nil, nil},
		"without features":     {0, site.Offered{Excluded: []string{"green"}}, []string{"red", "blue"}, nil},
		"as asked": {
			1, site.Offered{Context: []float64{1}, Names: []string{"x"}, Features: [][]float64{{.5}}}, []string{"x"}, [][]float64{{.5}},
		},
		"its own": {
			4,
			site.Offered{Context: []float64{1}, Excluded: []string{"red"}},
			[]string{"green", "blue"},
			[][]float64{{0, 0, 1, 0}, {0, 0, 0, 1}},
		},
		"of an earlier release": {4, site.Offered{}, nil, nil},
	} {
		l.inputs = bandit.Inputs{Action: c.action}
		if r := l.row(&site.Logged{Offered: c.on}); !reflect.DeepEqual(r.Offered, c.names) || !reflect.DeepEqual(r.Actions, c.actions) {
			t.Errorf("%s: %v %v, want %v %v", what, r.Offered, r.Actions, c.names, c.actions)
		}
	}
}

// TestAnInterruptEndsALog: what reads a log stops at once, and so removes the copy that it reads.
func TestAnInterruptEndsALog(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	read := 0
	for _, err := range until(ctx, func(yield func(int, error) bool) {
		for i := 0; i < 9 && yield(i, nil); i++ {
		}
	}) {
		if read++; err != nil {
			if read != 3 || !errors.Is(err, context.Canceled) {
				t.Errorf("%d rows, %v", read, err)
			}
			return
		}
		if read == 2 {
			interrupt()
		}
	}
	t.Error("no error")
}
