package dp

import (
	"errors"
	"math"
	"strings"
	"testing"

	"peerd.dev/dp/account"
	"peerd.dev/dp/sample"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

func TestTheCuratorChargesOnceAndRefusesWithBothNumbers(t *testing.T) {
	d, err := NewCurator(Lockstep, vouch.For(account.Budget{Epsilon: Nano}), seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	s := spec(8, Tree)
	s.Epsilon = Nano * 6 / 10
	require.Value(d.Open(s))(t)
	_, err = d.Open(s)
	var refused *BudgetError
	if !errors.As(err, &refused) || refused.Asked.Pure != Nano*6/10 || refused.Spent.Pure != Nano*6/10 {
		t.Fatalf("second stream: %v, want a refusal of 0.6 with 0.4 left", err)
	}
	for _, n := range []string{"0.6", "0.4"} {
		if !strings.Contains(err.Error(), n) {
			t.Errorf("%q does not name %s", err, n)
		}
	}
	if d.Spent().Pure != Nano*6/10 {
		t.Errorf("%v spent after a refusal, want 0.6", d.Spent())
	}
	if n := len(d.TakeCharges()); n != 1 {
		t.Errorf("%d charges, want 1", n)
	}
	if n := len(d.TakeCharges()); n != 0 {
		t.Errorf("%d charges again, want 0", n)
	}
	for k := uint64(1); k <= 8; k++ {
		require.Value(d.Leaf(0, k))(t)
	}
	if d.Spent().Pure != Nano*6/10 || len(d.TakeCharges()) != 0 {
		t.Error("releases of a stream cost more than its opening")
	}
}

func TestOnlyLockstepHasSeedsInfiniteBudgetsAndNoNoise(t *testing.T) {
	if _, err := NewCurator(Private, vouch.For(account.Unlimited), NewSecureSource()); err == nil {
		t.Error("an infinite budget was taken for private")
	}
	if _, err := NewCurator(Private, vouch.For(account.Budget{Epsilon: Nano}), seeded(1)); err == nil {
		t.Error("seeded noise was taken for private")
	}
	d, err := NewCurator(Private, vouch.For(account.Budget{Epsilon: Nano}), NewSecureSource())
	if err != nil {
		t.Fatal(err)
	}
	var refused *BudgetError
	if _, err = d.Open(spec(8, None)); !errors.As(err, &refused) {
		t.Errorf("no noise on a finite budget: %v, want a refusal", err)
	}
	d = require.Value(NewCurator(Lockstep, vouch.For(account.Budget{Epsilon: Nano}), seeded(1)))(t)
	if _, err = d.Open(spec(8, None)); !errors.As(err, &refused) {
		t.Errorf("no noise on a finite budget in lockstep: %v, want a refusal", err)
	}
}

// TestTheScaleIsNeverRoundedDown compares with the real number k·L·Δ/ε.
func TestTheScaleIsNeverRoundedDown(t *testing.T) {
	for _, eps := range []float64{1e-6, .1, 1. / 3, 1, 2.5, 10, 1000} {
		for _, k := range []uint64{1, 3, 40} {
			for _, n := range []uint64{1, 63, 64, 65, 1 << 20} {
				s := spec(n, Tree)
				s.RecordsPerUser = k
				var err error
				s.Epsilon = require.Value(account.Epsilon(eps))(t)
				c, err := s.charge(0)
				got := c.Scale
				want := float64(k) * (math.Floor(math.Log2(float64(n))) + 1) * (1 << 20) / eps
				if want > sample.MaxScale {
					if err == nil {
						t.Errorf("eps %v, k %d, n %d: scale %d, want a refusal", eps, k, n, got)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if float64(got) < want*(1-1e-15) || float64(got) > want*(1+2e-9/eps)+1 {
					t.Errorf("eps %v, k %d, n %d: scale %d, want %v rounded up", eps, k, n, got, want)
				}
			}
		}
	}
}

func TestASpecThatPromisesTooMuchIsRefused(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"streams":  func(s *Spec) { s.Streams = 0 },
		"dim":      func(s *Spec) { s.Dim = MaxLen + 1 },
		"bounds":   func(s *Spec) { s.Lo = 1 },
		"nan":      func(s *Spec) { s.Hi = math.NaN() },
		"infinite": func(s *Spec) { s.Lo = math.Inf(-1) },
		"horizon":  func(s *Spec) { s.Leaves = 0 },
		"records":  func(s *Spec) { s.RecordsPerUser = 0 },
		"epsilon":  func(s *Spec) { s.Epsilon = 0 },
		"inf":      func(s *Spec) { s.Epsilon = Infinite },
		"unknown":  func(s *Spec) { s.Mechanism = 99 },
	} {
		d := require.Value(NewCurator(Lockstep, vouch.For(account.Unlimited), seeded(1)))(t)
		s := spec(8, Tree)
		change(&s)
		if _, err := d.Open(s); err == nil {
			t.Errorf("%s: opened %+v", name, s)
		}
	}
}
