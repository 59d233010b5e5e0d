//go:build unix

package durabletest

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/command"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/require"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// TestADamagedFolderLosesNothingSilently flips a bit of a peer's folder, or cuts one of its
// files, and starts the peer: it continues with everything that was acknowledged, or refuses with
// a sentence. Then the test takes the way out that the sentence names. PEERD_LONG flips 200 bits
// and cuts every file at 20 lengths, with and without a neighbour, in a folder with 2,000
// decisions.
func TestADamagedFolderLosesNothingSilently(t *testing.T) {
	decisions, flips, cuts := 200, 5, 0
	if os.Getenv("PEERD_LONG") != "" {
		decisions, flips, cuts = 2000, 200, 20
	}
	if n, err := strconv.Atoi(os.Getenv("PEERD_DAMAGES")); err == nil {
		flips = n
	}
	for _, clean := range []bool{true, false} {
		t.Run(fmt.Sprintf("clean=%v", clean), func(t *testing.T) {
			v := newVandal(t, decisions, clean)
			r := rand.New(rand.NewPCG(11, 1))
			for i := range flips {
				name := v.files[r.IntN(len(v.files))]
				v.try(flipped(r, name, v.size(name)), i%2 == 0)
			}
			gone := damage{"store: emptied", func(dir string) error { return os.RemoveAll(filepath.Join(dir, daemon.StoreDir)) }}
			v.try(gone, true)
			for _, name := range v.files {
				v.try(damage{name + ": removed", func(dir string) error { return os.Remove(filepath.Join(dir, name)) }}, true)
				for i := range cuts {
					v.try(cut(name, v.size(name)*int64(i)/int64(cuts)), i%2 == 0)
				}
			}
			v.report()
		})
	}
}

// A damage is what happens to a folder.
type damage struct {
	what string
	do   func(dir string) error
}

func flipped(r *rand.Rand, name string, size int64) damage {
	at, bit := r.Int64N(max(1, size)), r.IntN(8)
	return damage{fmt.Sprintf("%s: bit %d of byte %d of %d flipped", name, bit, at, size), func(dir string) error {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(b) == 0 {
			return err
		}
		b[at] ^= 1 << bit
		return os.WriteFile(filepath.Join(dir, name), b, 0o600)
	}}
}

func cut(name string, to int64) damage {
	return damage{fmt.Sprintf("%s: cut to %d bytes", name, to), func(dir string) error {
		return os.Truncate(filepath.Join(dir, name), to)
	}}
}

// A vandal damages copies of a peer's folder.
type vandal struct {
	*lab
	base   string // the folder
	files  []string
	app    *app
	lines  [][]byte                  // of the ledger
	memory protocol.SignedCheckpoint // the neighbour's
	tally  map[string]int
}

func newVandal(t *testing.T, decisions int, clean bool) *vandal {
	t.Helper()
	l := newLab(t, 2, "rounds.every", "20ms")
	s, rec := l.sites[0], l.sites[1].record()
	s.start(launch{})
	s.ready()
	a := newApp(s, 8, false)
	for _, part := range []int{3, 2, 1} { // starts make tables and manifests
		l.await("decisions", 2*time.Minute, func() bool { n, _ := a.acknowledged(); return n >= decisions/part })
		if part > 1 {
			s.kill()
			s.start(launch{})
			s.ready()
		}
	}
	close(a.stop)
	a.all.Wait()
	for _, ask := range a.asks {
		if !a.try(ask) {
			t.Fatalf("no answer\n%s", s.tail())
		}
	}
	v := &vandal{lab: l, base: s.dir, app: a, tally: make(map[string]int)}
	if clean {
		s.stop()
	} else {
		v.lines = s.lines()
		s.kill()
	}
	v.memory = rec.mark()
	require.NoError(t, rec.close())
	require.NoError(t, filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != "lock" && e.Name() != "LOCK" {
			name, _ := filepath.Rel(s.dir, path)
			v.files = append(v.files, name)
		}
		return err
	}))
	for _, f := range v.files {
		t.Logf("%s: %d bytes", f, v.size(f))
	}
	return v
}

func (v *vandal) size(name string) int64 {
	info := require.Value(os.Stat(filepath.Join(v.base, name)))(v)
	return info.Size()
}

// neighbour runs a neighbour that remembers the undamaged peer.
func (v *vandal) neighbour() *gossip.Host {
	v.Helper()
	d := require.Value(daemon.NewDeployment(v.sites[1].settings()))(v)
	c := d.HostConfig(1, slog.New(slog.DiscardHandler))
	c.Checkpoints, c.Known = true, []protocol.SignedCheckpoint{v.memory, {}}
	c.OnCheckpoint = func(protocol.Peer, protocol.SignedCheckpoint) {}
	h := require.Value(gossip.NewHost(c))(v)
	go func() {
		for {
			select {
			case <-h.Inbox():
			case <-h.Done():
				return
			}
		}
	}()
	return h
}

// try starts the peer on a damaged copy of its folder.
func (v *vandal) try(d damage, neighbour bool) {
	v.Helper()
	s := &labSite{lab: v.lab, i: 0, dir: filepath.Join(v.dir, "x")}
	s.client = dialer(filepath.Join(s.dir, "peerd.sock"))
	for _, old := range []string{s.dir, s.logPath()} {
		require.NoError(v, os.RemoveAll(old))
	}
	copyDir(v.T, v.base, s.dir)
	require.NoError(v, d.do(s.dir))
	if neighbour {
		h := v.neighbour()
		defer func() { _ = h.Close() }()
	}
	s.start(launch{})
	up := func() bool { code, _ := s.get("/v1/status"); return code == http.StatusOK }
	v.await(d.what, 30*time.Second, func() bool { return s.dead() || up() })
	verdict := "goes on"
	if !s.dead() {
		if lost := v.lost(s); lost != "" {
			select {
			case <-s.gone:
			case <-time.After(30 * time.Second):
				verdict = lost
			}
		}
	}
	if s.dead() {
		verdict = "refused"
		if !sentence(s) {
			verdict = "refused without a sentence"
		}
		v.Logf("%s: code %d: %s", d.what, s.cmd.ProcessState.ExitCode(), lastLine(s.log()))
	}
	s.kill()
	v.tally[verdict]++
	if verdict == "refused" && s.cmd.ProcessState.ExitCode() == store.ExitIO {
		v.wayOut(d, s, neighbour)
	}
	if verdict != "goes on" && verdict != "refused" {
		v.Errorf("%s (neighbour: %v): %s\n%s", d.what, neighbour, verdict, s.tail())
	}
}

// wayOut does what the sentence says, until the peer makes decisions and, with its neighbour,
// releases again.
func (v *vandal) wayOut(d damage, s *labSite, neighbour bool) {
	v.Helper()
	if c, out := s.peerd("ledger", "export", "-o", filepath.Join(v.dir, "x.jsonl")); c == command.ExitOK && strings.Contains(s.log(), "acknowledged") {
		v.Errorf("%s: the ledger is exported: %s", d.what, out)
	}
	c, out := s.peerd("recover")
	how := "recover"
	if c != command.ExitOK {
		if c != command.ExitDisk || !strings.Contains(out, "--new-store") {
			v.Errorf("%s: recover: code %d: %s", d.what, c, out)
			return
		}
		if c, out = s.peerd("recover", "--new-store"); c != command.ExitOK {
			v.Errorf("%s: recover --new-store: code %d: %s", d.what, c, out)
			return
		}
		how = "recover --new-store"
	}
	v.tally[how]++
	v.Logf("%s: %s: %s", d.what, how, strings.TrimSpace(out))
	s.start(launch{})
	defer s.kill()
	v.await("a start after "+how+": "+d.what, 30*time.Second, func() bool {
		if s.dead() {
			v.Fatalf("%s: %s, and it ends again: %s", d.what, how, lastLine(s.log()))
		}
		path := "/v1/status"
		if neighbour {
			path = "/readyz"
		}
		code, _ := s.get(path)
		return code == http.StatusOK
	})
	if _, status, text := s.decide("after"); status != http.StatusOK {
		v.Errorf("%s: %s, and no decision: %d %s", d.what, how, status, text)
	}
}

// sentence reports whether the log of a peer that has ended explains why in a few lines.
func sentence(s *labSite) bool {
	log := s.log()
	c := s.cmd.ProcessState.ExitCode()
	return c > 0 && c != 2 && len(strings.Split(log, "\n")) < 12 && len(log) < 3000 && !strings.Contains(log, "panic") && !strings.Contains(log, "goroutine ")
}

func lastLine(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return lines[len(lines)-1]
}

// lost returns what the peer lacks of everything that was acknowledged, or "".
func (v *vandal) lost(s *labSite) string {
	type item struct {
		Status   int
		Decision labDecision
		Receipt  labReceipt
	}
	missing := 0
	for part := range slices.Chunk(v.app.asks, 500) {
		var ids, rewards []map[string]any
		for _, k := range part {
			ids = append(ids, map[string]any{"id": k.id})
			rewards = append(rewards, map[string]any{"id": k.id, "value": k.value})
		}
		_, text := s.post("/v1/decisions/batch", map[string]any{"decisions": ids})
		if !strings.HasPrefix(text, "{") {
			return text
		}
		for i, o := range parsed[struct{ Outcomes []item }](text).Outcomes {
			if !o.Decision.Repeated || o.Decision.Action != part[i].action {
				missing++
			}
		}
		_, text = s.post("/v1/rewards/batch", map[string]any{"rewards": rewards})
		if !strings.HasPrefix(text, "{") {
			return text
		}
		for _, o := range parsed[struct{ Outcomes []item }](text).Outcomes {
			if !o.Receipt.Duplicate {
				missing++
			}
		}
	}
	records := s.status().LedgerRecords
	if missing > 0 || records < uint64(len(v.lines)) || records < v.memory.Records {
		return fmt.Sprintf("%d answers of %d and %d records of the ledger of %d are lost", missing, 2*len(v.app.asks), max(uint64(len(v.lines)), v.memory.Records)-records, max(uint64(len(v.lines)), v.memory.Records))
	}
	return ""
}

// TestATableThatIsDamagedEndsThePeer while it runs: in good order, with a sentence and code 74.
func TestATableThatIsDamagedEndsThePeer(t *testing.T) {
	v := newVandal(t, 1000, true) // more than the blocks that were read before
	s := v.sites[0]
	s.start(launch{})
	v.await("an answer", 30*time.Second, func() bool { code, _ := s.get("/v1/status"); return code == http.StatusOK })
	for end := time.Now().Add(20 * time.Second); !s.dead() && time.Now().Before(end); { // a compaction may replace a table in between
		v.spoilTables(s)
		for _, ask := range v.app.asks {
			if d, status, _ := s.decide(ask.id); status == http.StatusOK && (!d.Repeated || d.Action != ask.action) {
				t.Errorf("decision %s is %+v", ask.id, d)
			}
		}
	}
	s.ends(10 * time.Second)
	log := s.log()
	if c := s.cmd.ProcessState.ExitCode(); c != store.ExitIO {
		t.Errorf("code %d, want %d", c, store.ExitIO)
	}
	if end := lastLine(log); !strings.Contains(end, "the store is damaged: "+s.dir) || !strings.Contains(end, ".sst") || !strings.Contains(end, "--new-store") || strings.Contains(log, "goroutine ") {
		t.Errorf("it ends with\n%s", s.tail())
	}
}

// spoilTables overwrites parts of every block of the tables of a peer.
func (v *vandal) spoilTables(s *labSite) {
	v.Helper()
	tables, err := filepath.Glob(filepath.Join(s.dir, daemon.StoreDir, "*.sst"))
	if err != nil || len(tables) == 0 {
		v.Fatalf("tables: %v, %v", tables, err)
	}
	for _, name := range tables {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue // replaced
		}
		info, err := f.Stat()
		for at := int64(0); err == nil && at < info.Size(); at += 1000 {
			_, err = f.WriteAt([]byte{0xff, 0, 0xff}, at)
		}
		require.NoError(v, errors.Join(err, f.Close()))
	}
}

func (v *vandal) report() { v.Logf("%v", v.tally) }
