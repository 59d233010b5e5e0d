//go:build unix

package durabletest

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"peerd.dev/dp"
	"peerd.dev/internal/command"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/papers"
)

// TestARestoredBackupReleasesNothing until the operator says that the newer folder is lost;
// decisions go on all the time. The backup is made while the peer runs and its application asks.
func TestARestoredBackupReleasesNothing(t *testing.T) {
	phases := require.Value(protocoltest.Lookup(papers.All(), "phases"))(t)
	for name, changes := range map[string][]string{
		"tree":   nil,
		"kary":   {"privacy.mechanism", "kary"},
		"blt":    {"privacy.mechanism", "blt", "privacy.delta", "0.000001"},
		"phases": smallProtocol(t, phases),
	} {
		t.Run(name, func(t *testing.T) { restoredBackupReleasesNothing(t, changes) })
	}
}

func restoredBackupReleasesNothing(t *testing.T, changes []string) {
	t.Helper()
	l := newLab(t, 2, changes...)
	s, rec := l.sites[0], l.sites[1].record()
	a := &app{s: s, stop: make(chan struct{}), lates: true}
	use := func(n int) {
		for range n {
			if !a.try(a.make(.5)) {
				t.Fatalf("no answer\n%s", s.tail())
			}
		}
	}
	grow := func(records uint64) { // by decisions, or by the clock
		t.Helper()
		l.await("releases", time.Minute, func() bool {
			use(1)
			return rec.mark().Records >= records
		})
	}
	s.start(launch{})
	s.ready()
	use(20)
	grow(30)
	backup := s.backup(a)
	grow(rec.mark().Records + 30)
	s.stop()
	newest := rec.mark()

	require.NoError(t, os.RemoveAll(s.dir))
	copyDir(t, filepath.Join(peerdtest.Unpack(t, backup), filepath.Base(s.dir)), s.dir)
	s.verified()
	before := rec.received()
	s.start(launch{})
	l.alarmed(s)
	t.Logf("backup restored: alarm %v after exec", time.Since(s.began).Round(time.Millisecond))
	use(20)
	time.Sleep(500 * time.Millisecond) // 50 rounds, 10 rows
	s.stop()
	s.start(launch{})
	l.alarmed(s) // without another report
	use(5)
	time.Sleep(200 * time.Millisecond)
	if d := s.status(); d.BlockedReason == "" || d.LedgerRecords >= newest.Records {
		t.Errorf("held because of %q with %d records, %d were told the neighbour", d.BlockedReason, d.LedgerRecords, newest.Records)
	}
	if after := rec.received(); len(after) != len(before) {
		t.Errorf("%d messages left a peer that was restored from a backup", len(after)-len(before))
	}
	if c, out := s.peerd("recover"); c == command.ExitOK {
		t.Errorf("recover while the peer runs: %s", out)
	}
	s.stop()

	c, out := s.peerd("recover")
	if c != command.ExitOK {
		t.Fatalf("recover: code %d\n%s", c, out)
	}
	t.Logf("peerd recover: %s", strings.TrimSpace(out))
	s.start(launch{})
	t.Logf("recovered: ready %v after exec", s.ready().Round(time.Millisecond))
	use(20)
	grow(newest.Records + 30)
	if d := s.status(); d.BlockedReason != "" || d.Spent > 1 || d.Spent < .99 {
		t.Errorf("held because of %q, ε %v spent", d.BlockedReason, d.Spent)
	}
	s.stop()
	l.once(rec, len(before))
	s.verified()
	t.Logf("no message left while it was an old copy; %d messages after that, of a new incarnation, none of a leaf that was released before; the ledger verifies", len(rec.received())-len(before))
}

// backup writes an archive of a running peer, and exports its decisions, while an application asks.
func (s *labSite) backup(a *app) (file string) {
	s.Helper()
	before, _ := a.acknowledged()
	for i := range 2 {
		a.all.Go(func() { a.call(rand.New(rand.NewPCG(2, uint64(i)))) })
	}
	file = filepath.Join(s.TempDir(), "backup.tgz")
	if c, out := s.peerd("backup", "-o", file); c != command.ExitOK {
		s.Fatalf("backup: code %d\n%s", c, out)
	}
	if i, err := os.Stat(file); err != nil || i.Mode() != 0o600 {
		s.Errorf("the archive: %v (%v)", i, err)
	}
	rows := file + ".jsonl"
	if c, out := s.peerd("decisions", "export", "-o", rows, "--format", "jsonl", "--json"); c != command.ExitOK {
		s.Errorf("export: code %d\n%s", c, out)
	} else if n := strings.Count(out, "\n"); n == 0 {
		s.Error("the export says nothing")
	}
	close(a.stop)
	a.all.Wait()
	for _, at := range []string{filepath.Join(s.dir, ".*"), filepath.Join(filepath.Dir(file), ".*")} {
		if left, err := filepath.Glob(at); err != nil || len(left) > 0 {
			s.Errorf("%v are left (%v)", left, err)
		}
	}
	s.Logf("a backup while %d decisions became %d", before, len(a.asks))
	return file
}

// verified checks the ledger of a peer that has stopped.
func (s *labSite) verified() {
	s.Helper()
	file := filepath.Join(s.dir, "ledger.jsonl")
	if c, out := s.peerd("ledger", "export", "-o", file); c != command.ExitOK {
		s.Errorf("ledger export: code %d\n%s", c, out)
	} else if c, out = s.peerd("ledger", "verify", file); c != command.ExitOK {
		s.Errorf("ledger verify: code %d\n%s", c, out)
	}
}

// once checks that no row that was received from message n on has a number of an earlier one, and
// that nothing came with two values.
func (l *lab) once(rec *recorder, n int) {
	l.Helper()
	for _, c := range rec.contradictions() {
		l.Errorf("left the peer with two values: %s", c)
	}
	all := rec.received()
	last := make(map[dp.StreamID]uint64) // of leaves, by stream of the label
	for i, d := range all {
		m := d.Message
		leaf, of := m.Label().Seq, m.Label().Stream
		switch m.Kind() {
		case kindRow:
		case kindBatches:
			x := m.Release(0)
			leaf = x.Span().To
		default:
			continue
		}
		if i < n {
			last[of] = max(last[of], leaf)
		} else if leaf <= last[of] {
			l.Errorf("leaf %d of stream %d, incarnation %d, after leaf %d", leaf, of, m.Label().Incarnation, last[of])
		}
	}
}

// grown waits until the neighbour has seen a number of records.
func (l *lab) grown(rec *recorder, n uint64) {
	l.Helper()
	l.await("releases", time.Minute, func() bool { return rec.mark().Records >= n })
}

// alarmed waits until the alarm of a peer that finds itself an old copy shows everywhere.
func (l *lab) alarmed(s *labSite) {
	l.Helper()
	l.await("an alarm, also in the log", time.Minute, func() bool {
		code, text := s.get("/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "restored from a backup") && strings.Contains(s.log(), "nothing is released")
	})
	if d := s.status(); !strings.Contains(d.BlockedReason, "restored from a backup") {
		l.Errorf("status says %q", d.BlockedReason)
	}
}

// TestTheSameKeyTwice: a copy of a folder runs at the same time.
func TestTheSameKeyTwice(t *testing.T) {
	l := newLab(t, 2, "rounds.every", "20ms")
	s, rec := l.sites[0], l.sites[1].record()
	s.start(launch{})
	s.ready()
	l.grown(rec, 30)
	s.stop()
	c := &labSite{lab: l, i: s.i, dir: filepath.Join(l.dir, "c0")}
	c.client = dialer(filepath.Join(c.dir, "peerd.sock"))
	copyDir(t, s.dir, c.dir)
	s.start(launch{})
	c.start(launch{args: []string{"--set", "listen=[/ip4/127.0.0.1/tcp/0]"}})
	l.sites = append(l.sites, c)
	blocked := func(s *labSite) bool {
		code, text := s.get("/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "key runs twice")
	}
	l.await("an alarm", time.Minute, func() bool { return blocked(s) || blocked(c) })
	took := time.Since(c.began)
	two := len(rec.contradictions())
	time.Sleep(2 * time.Second)
	t.Logf("alarm %v after the second one began; after 2 s: the folder is held: %v, the copy: %v", took.Round(time.Millisecond), blocked(s), blocked(c))
	if now := len(rec.contradictions()); now > two {
		t.Errorf("%d values were drawn twice after the alarm", now-two)
	}
	t.Logf("%d labels came with two values before it", two)
	for _, s := range []*labSite{s, c} {
		if d, status, text := s.decide("x"); status != http.StatusOK {
			t.Errorf("no decision: %+v %d %s", d, status, text)
		}
	}
}

// TestCopiesStartedTogether: two equal folders that start within a second of each other and reach
// a common neighbour do not both draw. PEERD_COPIES sets the number of trials.
func TestCopiesStartedTogether(t *testing.T) {
	trials := 1
	if s := os.Getenv("PEERD_COPIES"); s != "" {
		var err error
		if trials, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	one, none := 0, 0
	for i := range trials {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			l := newLab(t, 2, "rounds.every", "20ms")
			s, rec := l.sites[0], l.sites[1].record()
			s.start(launch{})
			s.ready()
			l.grown(rec, 30)
			s.stop()
			before := rec.mark().Records
			c := &labSite{lab: l, i: s.i, dir: filepath.Join(l.dir, "c0")}
			c.client = dialer(filepath.Join(c.dir, "peerd.sock"))
			copyDir(t, s.dir, c.dir)
			l.sites = append(l.sites, c)
			s.start(launch{})
			time.Sleep(time.Duration(i%5) * 200 * time.Millisecond)
			c.start(launch{args: []string{"--set", "listen=[/ip4/127.0.0.1/tcp/0]"}})
			l.await("both answer", time.Minute, func() bool {
				first, _ := s.get("/healthz")
				second, _ := c.get("/healthz")
				return first == http.StatusOK && second == http.StatusOK
			})
			time.Sleep(4 * time.Second)
			grew := 0
			for _, s := range []*labSite{s, c} {
				if s.status().LedgerRecords > before {
					grew++
				}
			}
			switch two := len(rec.contradictions()); {
			case two > 0 || grew > 1:
				t.Errorf("%d of two copies have drawn, and %d labels came with two values", grew, two)
			case grew == 1:
				one++
			default:
				none++
			}
		})
	}
	t.Logf("%d trials: one copy drew in %d, none in %d, both in %d", trials, one, none, trials-one-none)
}
