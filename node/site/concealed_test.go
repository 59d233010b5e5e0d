package site

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
	"peerd.dev/node/ledger"
	"peerd.dev/node/ledger/check"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// silos plays sites that report to an analyzer, and returns them with the reports of all, as that one has them: in some order.
func silos(t *testing.T, conceal bool) (all []*rig, reports []dp.Release) {
	t.Helper()
	for i := range 4 {
		r := newRig(t, usual(byFeatures()[0], OnArrival))
		r.conceal = conceal
		r.start()
		for k := range 6 * 4 {
			r.pay(r.ask(decision.Ask{Features: r.ifDescribed()}).ID, float64((i+k)%2))
			r.round()
		}
		for _, e := range r.logged(logRound) {
			reports = append(reports, e.drawn...)
		}
		for _, e := range r.logged(logSettled) {
			reports = append(reports, e.drawn...)
		}
		all = append(all, r)
	}
	rand.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
	return all, reports
}

// attributed returns how many reports someone who has the ledger of each site finds in one of them: in a line, or by the hash of the
// line that each report would have in its place, also where the numbers are behind a commitment without a secret.
func attributed(t *testing.T, all []*rig, reports []dp.Release) (n int) {
	t.Helper()
	heads := make(map[protocol.Checkpoint]bool)
	type place struct {
		seq, round uint64
		prev       ledger.Hash
		opened     string
	}
	var places []place
	for _, r := range all {
		for _, line := range r.lines() {
			x := require.Value(ledger.ParseLine(line))(t)
			heads[protocol.Checkpoint{Records: x.Seq + 1, Head: ledger.HashOf(line)}] = true
			if b, ok := x.Body.(*ledger.Release); ok {
				places = append(places, place{x.Seq, b.Round, x.Prev, b.Commitment})
			}
		}
	}
	list := func(v any) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ",") }
	for _, r := range reports {
		if slices.ContainsFunc(places, func(p place) bool {
			b := ledger.Released(p.round, r)
			opening := fmt.Sprintf(`{"kind":"opening","salt":"%064d","counts":%s,"values":%s}`, 0, list(b.Counts), list(b.Values))
			if p.opened != "" && p.opened == ledger.HashOf([]byte(opening)).String() {
				return true
			}
			line := require.Value((&ledger.Record{Seq: p.seq, Prev: p.prev, Body: b}).Append(nil))(t)
			return heads[protocol.Checkpoint{Records: p.seq + 1, Head: ledger.HashOf(line)}]
		}) {
			n++
		}
	}
	return n
}

// TestNoLedgerSaysWhoseAReportIs: with the ledgers of all sites, and so with all heads that their checkpoints ever had, no report is
// attributed to its site, where they commit; where they have the numbers, each is.
func TestNoLedgerSaysWhoseAReportIs(t *testing.T) {
	for _, conceal := range []bool{false, true} {
		all, reports := silos(t, conceal)
		want := len(reports)
		if conceal {
			want = 0
		}
		if got := attributed(t, all, reports); got != want || len(reports) < 24 {
			t.Errorf("commits %v: %d of %d reports are attributed, want %d", conceal, got, len(reports), want)
		}
		for _, r := range all {
			r.stop()
		}
	}
}

// TestAnAuditorOpensWhatALedgerCommitsTo: also after crashes between a step and the disk, and after a recovery. What is opened is what
// was drawn, in no two lines, and the ledger has one head with openings and without.
func TestAnAuditorOpensWhatALedgerCommitsTo(t *testing.T) {
	r := newRig(t, usual(byFeatures()[0], OnArrival))
	r.conceal = true
	r.start()
	opened := make(map[uint64]string) // by record
	check := func() (n int) {
		t.Helper()
		with, without := check.NewVerifier(), check.NewVerifier()
		seq := uint64(0)
		for line, err := range Opened(r.s.store) {
			if err == nil {
				err = with.Line(line)
			}
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(string(line), `{"kind":"opening"`) {
				if n++; opened[seq] != "" && opened[seq] != string(line) {
					t.Errorf("record %d has another opening", seq)
				}
				opened[seq] = string(line)
				continue
			}
			if seq = with.Chain().Next - 1; without.Line(line) != nil {
				t.Fatal("a line does not verify without openings")
			}
		}
		if a, b := with.Report(), without.Report(); a.Head != b.Head || a.Sealed != 0 || b.Sealed != uint64(n) || b.Releases != uint64(n) {
			t.Errorf("%d openings, sealed %d with them, %d of %d without", n, a.Sealed, b.Sealed, b.Releases)
		}
		return n
	}
	work := func() {
		for k := range 12 {
			r.pay(r.ask(decision.Ask{Features: r.ifDescribed()}).ID, .5)
			r.round()
			if k%5 == 4 {
				r.crash()
				r.start()
			}
		}
	}
	work()
	n, backup := check(), r.disk.CrashClone(vfs.CrashCloneCfg{})
	work()
	r.stop()
	r.disk = backup
	r.open()
	r.remembered(left)
	r.reopen()
	require.Value(r.s.Recover(nil))(t)
	r.reopen()
	r.greet()
	clear(opened) // a recovery goes back to what neighbours confirmed
	if after := check(); n < 3 || after > n || r.inTable(store.Opening) != after {
		t.Errorf("%d openings before the recovery, %d after it, %d in the store", n, after, r.inTable(store.Opening))
	}
}
