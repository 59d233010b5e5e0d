package mechanism

import "testing"

// TestReservedNumbersAreUnknown: 5 and 6 were mechanisms of builds up to 0.1.0. The others keep the
// numbers that saved states have.
func TestReservedNumbersAreUnknown(t *testing.T) {
	if Hybrid != 7 || Kary != 8 || Sqrt != 9 || BLT != 10 {
		t.Errorf("numbers are others: %d %d %d %d", Hybrid, Kary, Sqrt, BLT)
	}
	for _, m := range []Mechanism{5, 6, BLT + 1} {
		if d, ok := m.Design(); ok {
			t.Errorf("%d is %s", m, d.Name)
		}
	}
	for _, m := range All() {
		if got, err := Parse(m.String()); err != nil || got != m {
			t.Errorf("%v is read as %v: %v", m, got, err)
		}
	}
	if m, err := Parse(""); err == nil {
		t.Errorf("no name is %v", m)
	}
}
