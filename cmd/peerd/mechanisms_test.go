package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

// TestMechanismsPage compares the tables of docs/mechanisms.md with what every mechanism's
// charge predicts.
func TestMechanismsPage(t *testing.T) {
	const file, begin, end = "../../docs/mechanisms.md", "<!-- tables: go test ./cmd/peerd -run TestMechanismsPage -update -->\n", "<!-- end of tables -->"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the tables", file)
	}
	var b strings.Builder
	for _, epsilon := range []float64{1, 0.2} {
		writeDeviations(t, &b, epsilon)
	}
	want := before + begin + b.String() + end + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Errorf("%s is not what the charges say; -update writes it anew:\n%s", file, b.String())
	}
}

// writeDeviations writes a table of the noise in the sums of every mechanism.
func writeDeviations(t *testing.T, b *strings.Builder, epsilon float64) {
	t.Helper()
	horizons := []uint64{64, 400, 1024, 4096, 65536, 1 << 20}
	_, _ = fmt.Fprintf(b, "\nε = %v:\n\n| mechanism | δ |", epsilon)
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
		_, _ = fmt.Fprintf(b, "| [`%v`](proofs/%s.md) | %v |", m, family(m), delta)
		for _, n := range horizons {
			door, err := dp.NewDoor(dp.Lockstep, account.Unlimited, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := dp.Spec{Streams: 1, Dim: 1, Hi: 1, Leaves: n, RecordsPerUser: 1, Mechanism: m, Epsilon: dp.Cost(epsilon * dp.Nano), Delta: delta}
			if _, err := door.Open(s); err != nil {
				_, _ = fmt.Fprint(b, " - |")
				continue
			}
			average, worst := noise{charge: door.Charges()[0]}.sums(n)
			_, _ = fmt.Fprintf(b, " %.3g / %.3g |", average, worst)
		}
		_, _ = fmt.Fprintln(b)
	}
}
