package plan_test

import (
	"math"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
)

// settingsOfShuffle are configs/sdp-fedlinucb.yaml in lockstep, with changes.
func settingsOfShuffle(t *testing.T, changes ...string) (*dp.Charge, string) {
	t.Helper()
	set := append([]string{"mode=lockstep", "seed=1"}, changes...)
	c, err := plan.Schema().Load("../../../configs/sdp-fedlinucb.yaml", set)
	if err != nil {
		return nil, err.Error()
	}
	spec := require.Value(plan.Spec(&c.Settings))(t)
	streams := require.Value(spec.Streams())(t)
	charge := require.Value(streams.Charge())(t)
	return &charge, ""
}

// TestNoiseOfSeveralSites: with a sum of h sites each has 1/√h of the noise, and not less; reports have all of it.
func TestNoiseOfSeveralSites(t *testing.T) {
	alone, _ := settingsOfShuffle(t)
	for _, h := range []string{"2", "3", "4"} {
		c, wrong := settingsOfShuffle(t, "protocol.shuffle.sees=sum", "protocol.shuffle.least="+h, "protocol.shuffle.honest="+h)
		if c == nil {
			t.Fatal(wrong)
		}
		n := float64(h[0] - '0')
		if ratio := float64(c.Scale) * math.Sqrt(n) / float64(alone.Scale); ratio < 1 || ratio > 1.002 {
			t.Errorf("%s sites: a deviation of %d units each, %v of what one has alone by 1/√h", h, c.Scale, ratio)
		}
	}
}

// TestNoiseThatCannotBeHadIsRefused with the key and the reason.
func TestNoiseThatCannotBeHadIsRefused(t *testing.T) {
	for _, x := range []struct {
		set  []string
		want string // part of the reason; empty if it can be had
	}{
		{[]string{"protocol.shuffle.sees=sum"}, ""},
		{[]string{"protocol.shuffle.sees=sum", "experiment.noise=proven"}, ""},
		{[]string{"experiment.noise=printed"}, ""},
		{[]string{"experiment.noise=proven"}, "is for protocol.shuffle.sees: sum"},
		{[]string{"protocol.shuffle.honest=4", "protocol.shuffle.least=4"}, "M > 16 ln(2/delta)"},
		{[]string{"protocol.shuffle.sees=sum", "protocol.shuffle.honest=4", "protocol.shuffle.least=4", "privacy.records_per_user=2"}, "one record a user"},
		{[]string{"privacy.adjacency=zero-out", "experiment.noise=printed"}, "which another replaces in reports"},
		{[]string{"privacy.adjacency=zero-out", "protocol.shuffle.sees=sum", "protocol.shuffle.honest=4", "protocol.shuffle.least=4"}, ""},
		{[]string{"mode=live", "seed=0", "protocol.shuffle.sees=sum", "protocol.shuffle.honest=4", "protocol.shuffle.least=4"}, "a live peer is a promise against"},
		{[]string{"protocol.shuffle.sees=sum", "protocol.shuffle.honest=4", "protocol.shuffle.least=3"}, "at most least"},
		{[]string{"protocol.shuffle.least=5"}, "the number of sites"},
	} {
		if _, wrong := settingsOfShuffle(t, x.set...); (x.want == "") != (wrong == "") || !strings.Contains(wrong, x.want) {
			t.Errorf("%v: %q, want %q", x.set, wrong, x.want)
		}
	}
}
