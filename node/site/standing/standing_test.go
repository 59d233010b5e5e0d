package standing

import (
	"errors"
	"testing"
	"time"

	"peerd.dev/node/ledger"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
)

// TestMoreThanHalfAreNotAllAfterARecovery: of three neighbours that linked with a life, two and
// the grace open it, unless it began with a recovery and has released nothing since.
func TestMoreThanHalfAreNotAllAfterARecovery(t *testing.T) {
	all := []string{"a", "b", "c"}
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := &Standing{Config: Config{Now: func() time.Time { return now }, Life: new(Recovery), Ledger: &ledger.Chain{Next: 10}}}
	s.witnesses, s.before, s.since, s.agree = all, all, now, map[string]bool{"a": true, "b": true}
	if s.heard() {
		t.Error("two of three open a site before the grace is over")
	}
	now = now.Add(Grace + 1)
	if !s.heard() {
		t.Error("two of three do not open a site after the grace")
	}
	s.Life.Taken, s.Life.Gap = 5, 9
	if s.heard() {
		t.Error("two of three open a site that has just recovered")
	}
	if s.Ledger.Next, s.Life.Opened = 11, true; !s.heard() {
		t.Error("two of three do not open a site that recovered long ago")
	}
	if s.agree = map[string]bool{"a": true}; s.heard() {
		t.Error("one of three opens a site after the grace")
	}
}

// TestEvidenceSurvives: it is read back unchanged, and not at all if it is cut short, too long or of another version.
func TestEvidenceSurvives(t *testing.T) {
	for _, x := range []Evidence{{}, {Peer: 1 << 30, Records: 1 << 60, Head: ledger.Hash{1, 31: 9}, Fork: true}} {
		b := x.bytes()
		if got, err := parseEvidence(b); got != x || err != nil {
			t.Errorf("%+v, %v; want %+v", got, err, x)
		}
		for n := range b {
			if _, err := parseEvidence(b[:n]); !errors.Is(err, form.ErrDamaged) {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		if _, err := parseEvidence(append(b, 0)); !errors.Is(err, form.ErrDamaged) {
			t.Errorf("a byte more: %v", err)
		}
	}
	for version, want := range map[byte]error{0: form.ErrDamaged, 1: form.ErrOlder, evidenceVersion + 1: store.ErrNewer} {
		if _, err := parseEvidence([]byte{version, 1}); !errors.Is(err, want) {
			t.Errorf("version %d: %v, want %v", version, err, want)
		}
	}
}
