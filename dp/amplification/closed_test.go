package amplification

import (
	"fmt"
	"math"
	"testing"
)

// closed is Lemma F.2 of Zhou and Chowdhury (2024). The reports of m silos, each a sum over n records with Gaussian
// noise that is (ε0, δ0)-private for one record and (n·ε0, δ0)-private for all n, are shuffled. They are
// (epsilon, total)-private for one record, with p = e^ε0 and q = e^(n·ε0):
//
//	epsilon = ln(1 + (p-1)/(p+1)·(8√(q·ln(4/δ)/m) + 8q/m)),
//	total = (p-1)/(p+1)·δ + m·(e^epsilon + 1)·(1 + e^-ε0/2)·δ0.
//
// It is an error unless n·ε0 ≤ ln(m/(16 ln(2/δ))). Bins.epsilon of [Clones] is 2 to 4 times less than epsilon.
func closed(epsilon0, delta0, n float64, m int, delta float64) (epsilon, total float64, err error) {
	silos := float64(m)
	if most := math.Log(silos / needed(delta)); !(n*epsilon0 <= most) {
		return 0, 0, fmt.Errorf("amplification: %v records of epsilon %v each in reports of %d silos, want the product of records and epsilon to be at most ln(M/(16 ln(2/delta))) = %.3g", n, epsilon0, m, most)
	}
	q, odds := math.Exp(n*epsilon0), math.Tanh(epsilon0/2)
	epsilon = math.Log1p(odds * (8*math.Sqrt(q*math.Log(4/delta)/silos) + 8*q/silos))
	return epsilon, odds*delta + silos*(math.Exp(epsilon)+1)*(1+math.Exp(-epsilon0)/2)*delta0, nil
}

// TestTableOfSums recomputes the second table of docs/lab/shuffle.md: the greatest n·ε0 that Lemma F.2 takes at δ = 10^-5/m, and
// how many times less ε is there.
func TestTableOfSums(t *testing.T) {
	if got := fmt.Sprintf("%.0f", needed(1e-5/100)); got != "269" {
		t.Errorf("16 ln(2/delta) is %v, want 269", got)
	}
	if _, _, err := closed(1e-9, 0, 1, 100, 1e-5/100); err == nil {
		t.Error("the lemma takes 100 silos")
	}
	for _, c := range []struct {
		m      int
		most   string
		gains  map[float64]string // by records of a report
		atHalf string             // of 25
	}{
		{1_000, "1.18", map[float64]string{1: "1.60", 25: ".99", 10_000: ".97"}, "1.3"},
		{10_000, "3.37", map[float64]string{1: "3.15", 25: "1.04", 10_000: ".97"}, "2.3"},
		{100_000, "5.57", map[float64]string{1: "5.02", 25: "1.09", 10_000: ".98"}, "4.0"},
	} {
		delta := 1e-5 / float64(c.m)
		most := math.Log(float64(c.m) / needed(delta))
		if printed(most, c.most) != c.most {
			t.Errorf("m = %d: at most %v, want %v", c.m, most, c.most)
		}
		gain := func(n, part float64) float64 {
			epsilon0 := part * most / n
			got, _, err := closed(epsilon0*(1-1e-12), 0, n, c.m, delta)
			if err != nil {
				t.Fatal(err)
			}
			return epsilon0 / got
		}
		for n, want := range c.gains {
			if got := gain(n, 1); printed(got, want) != want {
				t.Errorf("m = %d, %v records: gain %v, want %v", c.m, n, got, want)
			}
		}
		if got := gain(25, .5); printed(got, c.atHalf) != c.atHalf {
			t.Errorf("m = %d, 25 records at half of it: gain %v, want %v", c.m, got, c.atHalf)
		}
	}
}

// TestLemmaF2IsAboveTheSum: wherever the lemma says something, it says at least what Bins.epsilon computes, and
// at most 6 times as much.
func TestLemmaF2IsAboveTheSum(t *testing.T) {
	checked := 0
	for _, m := range []int{200, 300, 1_000, 2_000} {
		for _, n := range []float64{1, 5, 25, 1_000} {
			for _, of := range []float64{.05, 1} {
				const delta = 1e-6
				epsilon0 := of * math.Log(float64(m)/needed(delta)) / n * (1 - 1e-12)
				closed, total, err := closed(epsilon0, 0, n, m, delta)
				if err != nil || epsilon0 <= 0 {
					continue
				}
				checked++
				if sum := Clones(epsilon0, n*epsilon0).Epsilon(m, total); sum > closed || closed > 6*sum && n == 1 {
					t.Errorf("m = %d, n = %v, epsilon0 %v: the sum %v, the lemma %v", m, n, epsilon0, sum, closed)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d cases", checked)
	}
}

// TestLemmaF2CountsDelta0 checks the part of δ that the distance of Gaussian reports takes, by hand.
func TestLemmaF2CountsDelta0(t *testing.T) {
	epsilon, total, err := closed(.5, 1e-12, 2, 5_000, 1e-8)
	if err != nil {
		t.Fatal(err)
	}
	odds := (math.Exp(.5) - 1) / (math.Exp(.5) + 1)
	want := math.Log(1 + odds*(8*math.Sqrt(math.E*math.Log(4e8)/5_000)+8*math.E/5_000))
	if math.Abs(epsilon-want) > 1e-12 {
		t.Errorf("epsilon %v, want %v", epsilon, want)
	}
	if want = odds*1e-8 + 5_000*(math.Exp(epsilon)+1)*(1+math.Exp(-.5)/2)*1e-12; math.Abs(total-want) > 1e-18 {
		t.Errorf("delta %v, want %v", total, want)
	}
}
