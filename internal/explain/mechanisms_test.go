package explain

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// TestMechanismsPage compares the tables of docs/mechanisms.md with the predictions of every
// mechanism's charge.
func TestMechanismsPage(t *testing.T) {
	const file, begin, end = "../../docs/mechanisms.md", "<!-- tables: go test ./internal/explain -run TestMechanismsPage -update -->\n", "<!-- end of tables -->"
	page := require.Value(os.ReadFile(file))(t)
	before, rest, ok1 := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the tables", file)
	}
	var b strings.Builder
	writeDeviations(t, &b)
	want := before + begin + b.String() + end + after
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	} else if string(page) != want {
		t.Errorf("%s is not what the charges say; -update writes it anew:\n%s", file, b.String())
	}
}

// TestSomeLeavesStandForAll: predictions from some of the leaves agree with those from all.
func TestSomeLeavesStandForAll(t *testing.T) {
	for _, m := range dp.Mechanisms() {
		for _, leaves := range []uint64{4096, 20_000} {
			charge, err := charged(m, leaves)
			if err != nil {
				continue // not possible for this number
			}
			var sum, most float64
			for k := uint64(1); k <= leaves; k++ {
				v := charge.SumNoise(k).Variance()
				sum += v
				most = max(most, v)
			}
			n := noise{charge: charge}
			average, worst := n.sums(leaves)
			if want := n.rewards(sum / float64(leaves)); math.Abs(average-want) > .01*want {
				t.Errorf("%v, %d leaves: %v on average, want %v", m, leaves, average, want)
			}
			if want := n.rewards(most); worst < .95*want || worst > want {
				t.Errorf("%v, %d leaves: %v at worst, want %v", m, leaves, worst, want)
			}
		}
	}
}

// charged returns the charge of one stream of rewards at ε = 1, with a δ of 1e-6 if it needs one.
func charged(m dp.Mechanism, leaves uint64) (dp.Charge, error) {
	curator, err := dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), nil) // it draws nothing
	if err != nil {
		return dp.Charge{}, err
	}
	s := dp.Spec{Streams: 1, Dim: 1, Hi: 1, Leaves: leaves, RecordsPerUser: 1, Mechanism: m, Epsilon: dp.Nano}
	if m.Law() == dp.Gaussian {
		s.Delta = 1e-6
	}
	if _, err := curator.Open(s); err != nil {
		return dp.Charge{}, err
	}
	return curator.TakeCharges()[0], nil
}

// writeDeviations writes a table of the noise in the sums of every mechanism.
func writeDeviations(t *testing.T, b *strings.Builder) {
	t.Helper()
	horizons := []uint64{64, 400, 1024, 4096, 65536, 1 << 20}
	_, _ = fmt.Fprint(b, "\nε = 1:\n\n| mechanism | δ |")
	for _, n := range horizons {
		_, _ = fmt.Fprintf(b, " %d |", n)
	}
	_, _ = fmt.Fprintf(b, "\n|---|---|%s\n", strings.Repeat("---|", len(horizons)))
	for _, m := range dp.Mechanisms() {
		if m == dp.None {
			continue
		}
		delta := 0.0
		if m.Law() == dp.Gaussian {
			delta = 1e-6
		}
		_, _ = fmt.Fprintf(b, "| [`%v`](proofs/%s.md) | %v |", m, m.Describe().Family, delta)
		for _, n := range horizons {
			charge, err := charged(m, n)
			if err != nil { // not possible for this number of leaves
				_, _ = fmt.Fprint(b, " - |")
				continue
			}
			average, worst := noise{charge: charge}.sums(n)
			_, _ = fmt.Fprintf(b, " %.3g / %.3g |", average, worst)
		}
		_, _ = fmt.Fprintln(b)
	}
}
