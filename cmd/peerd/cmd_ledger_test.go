package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/gossip"
	"peerd.dev/internal/ask"
	"peerd.dev/internal/command"
	"peerd.dev/internal/daemon"
	ledgers "peerd.dev/internal/extra/ledger"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/ledger"
	verified "peerd.dev/node/ledger/check"
)

// testLedger returns the lines of a ledger with five releases, and whose it is.
func testLedger(t *testing.T) (iter.Seq2[[]byte, error], gossip.Identity) {
	t.Helper()
	id := gossip.SeedIdentity([32]byte{1})
	curator := require.Value(dp.NewCurator(dp.Private, vouch.For(account.Budget{Epsilon: dp.Nano}), dp.NewSecureSource()))(t)
	require.Value(curator.Open(dp.Spec{What: "reward sums of 2 arms", Streams: 2, Dim: 1, Hi: 1, Leaves: 8, RecordsPerUser: 1, Epsilon: dp.Nano / 4}))(t)
	bodies := []ledger.Body{&ledger.Genesis{
		Version: ledger.Version, Peer: id.ID(), Network: "clinics", Mode: ledger.Private, Budget: account.Budget{Epsilon: dp.Nano},
		Unit: "one user with at most 1 reward",
	}}
	for _, c := range curator.TakeCharges() {
		bodies = append(bodies, ledger.Opened(c))
	}
	for k := uint64(1); k <= 5; k++ {
		l := require.Value(curator.Leaf(1, k))(t)
		bodies = append(bodies, ledger.Released(10*k, l.Node))
	}
	var lines [][]byte
	var chain ledger.Chain
	for _, b := range bodies {
		line := require.Value(chain.Append(b))(t)
		lines = append(lines, line)
	}
	return func(yield func([]byte, error) bool) {
		shared := make([]byte, 0, ledger.MaxLine) // lines are good until the next
		for _, l := range lines {
			if !yield(append(shared, l...), nil) {
				return
			}
		}
	}, id
}

// exportTestLedger writes an export to a file.
func exportTestLedger(t *testing.T) (file string) {
	t.Helper()
	lines, id := testLedger(t)
	file = filepath.Join(t.TempDir(), "site.jsonl")
	var out bytes.Buffer
	require.NoError(t, ledgers.Export(&command.App{Stdout: &out}, t.Context(), file, false, lines, id.Sign))
	if !strings.Contains(out.String(), "7 records") || !strings.Contains(out.String(), "peerd ledger verify "+file) {
		t.Errorf("said %q", out.String())
	}
	return file
}

// TestOpeningsAreForAnAuditor: only their owner can read a file with openings, and anyone one without. A running peer has none to show.
func TestOpeningsAreForAnAuditor(t *testing.T) {
	for openings, want := range map[bool]os.FileMode{false: 0o644, true: 0o600} {
		lines, id := testLedger(t)
		file := filepath.Join(t.TempDir(), "site.jsonl")
		require.NoError(t, ledgers.Export(&command.App{Stdout: new(bytes.Buffer)}, t.Context(), file, openings, lines, id.Sign))
		if is, err := os.Stat(file); err != nil || is.Mode().Perm() != want {
			t.Errorf("openings %v: %v, %v, want %v", openings, is.Mode(), err, want)
		}
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, daemon.StoreDir), 0o700))
	unlock, err := daemon.LockDir(dir) // as a running peer does
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, _, err = ask.LedgerLines(t.Context(), dir, true); command.CodeOf(command.Coded(err)) != exitUsage {
		t.Errorf("a running peer: %v", err)
	}
}

func TestLedgerVerifySaysWhatIsShownAndWhatIsNot(t *testing.T) {
	file := exportTestLedger(t)
	c, stdout, stderr := peerd(t, "ledger", "verify", file)
	if c != exitOK || stderr != "" {
		t.Fatalf("code %d: %s", c, stderr)
	}
	for _, want := range []string{"ok: " + file, "ε 0.25 of ε 1 charged, ε 0.75 left", "stream 1: 5, up to leaf 5 of 8", "not shown"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	c, stdout, stderr = peerd(t, "ledger", "verify", file, "--json")
	if c != exitOK || stderr != "" || !json.Valid([]byte(stdout)) {
		t.Errorf("code %d: %s%s", c, stdout, stderr)
	}
	for _, want := range []string{`"epsilon_used": 0.25`, `"releases": 5`, `"signed": true`, `"gaps": []`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestLedgerVerifyNamesTheLine(t *testing.T) {
	file := exportTestLedger(t)
	b := require.Value(os.ReadFile(file))(t)
	b = bytes.Replace(b, []byte(`"round":30`), []byte(`"round":31`), 1)
	require.NoError(t, os.WriteFile(file, b, 0o600))
	c, stdout, stderr := peerd(t, "ledger", "verify", file)
	if c != exitPrivacy || stdout != "" || !strings.Contains(stderr, file+": line 6: lines were changed") {
		t.Errorf("code %d, want 5 and line 6, which follows the edited one:\n%s%s", c, stdout, stderr)
	}
	c, stdout, stderr = peerd(t, "ledger", "verify", file, "--json")
	if c != exitPrivacy || stderr != "" || !strings.Contains(stdout, `"code": 5`) || !strings.Contains(stdout, "line 6") {
		t.Errorf("code %d:\n%s%s", c, stdout, stderr)
	}
}

func TestLedgerVerifyOfNothing(t *testing.T) {
	if c, _, stderr := peerd(t, "ledger", "verify"); c != exitUsage {
		t.Errorf("code %d, want 2: %s", c, stderr)
	}
	missing := filepath.Join(t.TempDir(), "none.jsonl")
	if c, _, stderr := peerd(t, "ledger", "verify", missing); c != exitUnexpected || !strings.Contains(stderr, missing) {
		t.Errorf("code %d, want 1: %s", c, stderr)
	}
}

func TestLedgerVerifyReadsStandardInput(t *testing.T) {
	b := require.Value(os.ReadFile(exportTestLedger(t)))(t)
	var out bytes.Buffer
	root := command.NewRoot(&command.App{Stdout: &out, Stderr: t.Output()})
	root.SetIn(bytes.NewReader(b))
	root.SetArgs([]string{"ledger", "verify", "-"})
	require.NoError(t, root.ExecuteContext(t.Context()))
	if !strings.Contains(out.String(), "ok: -") {
		t.Errorf("said\n%s", out.String())
	}
}

// TestLedgerExportIsWholeOrAbsent: a ledger with a fault leaves no file, and replaces none.
func TestLedgerExportIsWholeOrAbsent(t *testing.T) {
	file := exportTestLedger(t)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v, want 0644: it is for others", info.Mode(), err)
	}
	before := require.Value(os.ReadFile(file))(t)
	lines, _ := testLedger(t)
	err = ledgers.Export(&command.App{Stdout: t.Output()}, t.Context(), file, false, lines, gossip.SeedIdentity([32]byte{2}).Sign)
	if command.CodeOf(command.Coded(err)) != exitPrivacy || !errors.Is(err, verified.ErrSignature) {
		t.Errorf("with another peer's key: %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was replaced: %v", err)
	}
	if names, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); err != nil || len(names) != 1 {
		t.Errorf("left %v, %v", names, err)
	}
	lines, id := testLedger(t)
	var out bytes.Buffer
	require.NoError(t, ledgers.Export(&command.App{Stdout: &out}, t.Context(), ledgers.Standard, false, lines, id.Sign))
	if _, err := verified.Verify(&out); err != nil {
		t.Errorf("on standard output: %v", err)
	}
}

func TestLedgerShowPages(t *testing.T) {
	lines, _ := testLedger(t)
	for _, c := range []struct {
		page ledgers.Page
		want []uint64
	}{
		{ledgers.Page{Newest: true, Limit: 2}, []uint64{5, 6}},
		{ledgers.Page{Newest: true, Limit: 0}, []uint64{0, 1, 2, 3, 4, 5, 6}},
		{ledgers.Page{Newest: true, Limit: 20}, []uint64{0, 1, 2, 3, 4, 5, 6}},
		{ledgers.Page{From: 1, Limit: 2}, []uint64{1, 2}},
		{ledgers.Page{From: 5}, []uint64{5, 6}},
		{ledgers.Page{From: 7, Limit: 2}, nil},
	} {
		shown := require.Value(c.page.Read(lines))(t)
		var got []uint64
		for _, r := range shown {
			got = append(got, r.Seq)
		}
		if len(got) != len(c.want) || len(got) > 0 && (got[0] != c.want[0] || got[len(got)-1] != c.want[len(c.want)-1]) {
			t.Errorf("%+v: records %v, want %v", c.page, got, c.want)
		}
	}
	shown := require.Value(ledgers.Page{}.Read(lines))(t)
	var table, doc bytes.Buffer
	ledgers.WriteRecords(&table, shown, verified.Words{Actions: []string{"red", "green"}, Start: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC), Every: time.Second, Low: -1, High: 1})
	for line := range strings.Lines(table.String()) {
		if n := len([]rune(line)); n > 100 {
			t.Errorf("%d letters in %q", n, line)
		}
	}
	for _, want := range []string{"RECORD  WHEN", "genesis  clinics  peer 12D3", "charge ε 0.25: 2 sums", "2026-12-01 08:00:20  release  green    0 rewards, sum "} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
	require.NoError(t, (&command.App{Stdout: &doc, JSON: true}).Print(shown, nil))
	var records []struct {
		Seq  uint64
		Prev string
		Kind string
	}
	if err := json.Unmarshal(doc.Bytes(), &records); err != nil || len(records) != 7 || records[1].Kind != "open" || len(records[1].Prev) != 64 {
		t.Errorf("%v: %s", err, doc.String())
	}
	broken := errors.New("broken disk")
	if _, err := (ledgers.Page{}).Read(func(yield func([]byte, error) bool) { yield(nil, broken) }); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	if c, _, stderr := peerd(t, "ledger", "show", "--limit", "-1"); c != exitUsage {
		t.Errorf("code %d, want 2: %s", c, stderr)
	}
}
