package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/dp"
)

func TestABudgetIsChargedOnce(t *testing.T) {
	dir := t.TempDir()
	a, err := OpenAccount(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err = a.Append(dp.Charge{What: "sums", Streams: 3, Cost: dp.Nano, Leaves: 8, Scale: 4 << 20}); err != nil {
		t.Fatal(err)
	}
	if err = a.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, accountFile))
	if err != nil {
		t.Fatal(err)
	}
	if want := `"nano_epsilon":1000000000`; !strings.Contains(string(b), want) {
		t.Errorf("account %q lacks %q", b, want)
	}
	if _, err := OpenAccount(dir); !errors.Is(err, ErrSpent) {
		t.Errorf("second run got %v, want %v", err, ErrSpent)
	}
}

func TestAnUnusedAccountOpensAgain(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		a, err := OpenAccount(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
