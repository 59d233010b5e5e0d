package decisions

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"peerd.dev/node/site"
)

// TestRowsHaveWhatWasOnOffer: as it was asked; without features only where something was excluded.
func TestRowsHaveWhatWasOnOffer(t *testing.T) {
	arms := []string{"red", "brown", "green", "blue"}
	l := Log{reader: site.DecisionReader{Arms: arms}, Names: []string{"red", "green", "blue"}}
	for what, c := range map[string]struct {
		on      site.Offered
		names   []string
		actions [][]float64
	}{
		"nothing was excluded": {site.Offered{}, nil, nil},
		"without features":     {site.Offered{Excluded: []string{"green"}}, []string{"red", "blue"}, nil},
		"as asked": {
			site.Offered{Context: []float64{1}, Names: []string{"x"}, Features: [][]float64{{.5}}}, []string{"x"}, [][]float64{{.5}},
		},
	} {
		if r := l.row(&site.Logged{Offered: c.on}); !reflect.DeepEqual(r.Offered, c.names) || !reflect.DeepEqual(r.Actions, c.actions) {
			t.Errorf("%s: %v %v, want %v %v", what, r.Offered, r.Actions, c.names, c.actions)
		}
	}
}

// TestRowsSayWhatWasKept.
func TestRowsSayWhatWasKept(t *testing.T) {
	var l Log
	for _, kept := range []bool{false, true} {
		if r := l.row(&site.Logged{Kept: kept}); r.Kept != kept {
			t.Errorf("kept %v, and the row says %v", kept, r.Kept)
		}
	}
}

// TestAnInterruptEndsALog: what reads a log stops at once, and so removes the copy that it reads.
func TestAnInterruptEndsALog(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
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
		if read > 3 {
			t.Fatal("it is read on")
		}
	}
	t.Error("no error")
}
