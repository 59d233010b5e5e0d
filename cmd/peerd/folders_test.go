package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/command"
	"peerd.dev/internal/decisions"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
)

// An oldAnswer is a decision as an earlier build answered it.
type oldAnswer struct {
	ID, Action string
	Propensity float64
	Repeated   bool
}

// TestFoldersOfEarlierBuilds: a folder of every earlier format, made by scripts/old-folder.sh
// with the build of that time, can be read: its ledger verifies, its decisions are exported as
// they were answered and rewarded, and a peer continues with it, also after a kill.
func TestFoldersOfEarlierBuilds(t *testing.T) {
	all, err := filepath.Glob("testdata/folders/*/*.tar.gz")
	if err != nil || len(all) < 2 {
		t.Fatalf("%d folders (%v)", len(all), err)
	}
	for _, archive := range all {
		t.Run(strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(archive, "testdata/folders/")), ".tar.gz"), func(t *testing.T) {
			t.Parallel()
			dir := peerdtest.Unpack(t, archive)
			old := oldAnswers(t, dir)
			verifyExported(t, dir)
			compareDecisions(t, dir, old)
			goOn(t, dir, old)
			verifyExported(t, dir)
			compareDecisions(t, dir, old)
		})
	}
}

func oldAnswers(t *testing.T, dir string) (all []oldAnswer) {
	t.Helper()
	b := require.Value(os.ReadFile(filepath.Join(dir, "answers.jsonl")))(t)
	for d := json.NewDecoder(bytes.NewReader(b)); d.More(); {
		var a oldAnswer
		require.NoError(t, d.Decode(&a))
		all = append(all, a)
	}
	if len(all) < 40 {
		t.Fatalf("%d answers", len(all))
	}
	return all
}

func verifyExported(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, "ledger.jsonl")
	for _, args := range [][]string{{"ledger", "export", "--dir", dir, "-o", file}, {"ledger", "verify", file}} {
		if c, _, stderr := peerd(t, args...); c != exitOK {
			t.Fatalf("%v: code %d, %s", args, c, stderr)
		}
	}
}

// compareDecisions exports the decisions and compares them with the answers in form jsonl, and
// their number in parquet.
func compareDecisions(t *testing.T, dir string, old []oldAnswer) {
	t.Helper()
	file := filepath.Join(dir, "decisions.jsonl")
	c, stdout, stderr := peerd(t, "decisions", "export", "--dir", dir, "-o", file, "--format", "jsonl", "--json")
	if c != exitOK || !strings.Contains(stderr, "RAW DATA") {
		t.Fatalf("code %d, %s", c, stderr)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the export: %v (%v)", info.Mode(), err)
	}
	b := require.Value(os.ReadFile(file))(t)
	rows := make(map[string]decisions.Row)
	for d := json.NewDecoder(bytes.NewReader(b)); d.More(); {
		var r decisions.Row
		require.NoError(t, d.Decode(&r))
		rows[r.ID] = r
	}
	rewarded := 0
	for _, a := range old {
		r, ok := rows[a.ID]
		if !ok || r.Name != a.Action || r.PScore != a.Propensity {
			t.Fatalf("exported %+v, answered %+v", r, a)
		}
		if r.Reported && r.Reward > 0 {
			rewarded++
		}
	}
	if rewarded < len(old)/2 {
		t.Errorf("%d of %d have a reward", rewarded, len(old))
	}
	c, again, stderr := peerd(t, "decisions", "export", "--dir", dir, "-o", file+".parquet", "--json")
	if c != exitOK || strings.ReplaceAll(again, ".parquet", "") != stdout {
		t.Errorf("as parquet: code %d, %s%s, want %s", c, again, stderr, stdout)
	}
}

// goOn runs a peer of this build in the folder. It repeats the old answers and gives a new one.
func goOn(t *testing.T, dir string, old []oldAnswer) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan string, 1)
	go func() {
		var out, trouble bytes.Buffer
		_ = command.Execute(ctx, []string{"run", "--dir", dir, "--set", "listen=[/ip4/127.0.0.1/tcp/0]"}, &out, &trouble)
		ended <- trouble.String()
	}()
	defer func() {
		stop()
		if said := <-ended; t.Failed() {
			t.Log(said)
		}
	}()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(dir, "peerd.sock"))
	}}}
	defer client.CloseIdleConnections()
	ask := func(id, subject string) (a oldAnswer, err error) {
		r, err := client.Post("http://peer/v1/decisions", "application/json", strings.NewReader(`{"id":"`+id+`"`+subject+`}`))
		if err != nil {
			return a, err
		}
		defer func() { _ = r.Body.Close() }()
		return a, json.NewDecoder(r.Body).Decode(&a)
	}
	fresh, err := ask("fresh", "")
	for tries := 0; err != nil && tries < 600; tries++ {
		select {
		case said := <-ended:
			ended <- said
			t.Fatal("the peer ended")
		case <-time.After(100 * time.Millisecond):
			fresh, err = ask("fresh", "")
		}
	}
	if err != nil || fresh.Repeated || !slices.Contains([]string{"red", "green", "blue"}, fresh.Action) {
		t.Fatalf("a new decision: %+v (%v)", fresh, err)
	}
	for _, was := range old {
		subject := ""
		if n, err := strconv.Atoi(strings.TrimPrefix(was.ID, "visit-")); err == nil && n <= 40 {
			subject = fmt.Sprintf(`,"subject":"patient-%d"`, n)
		}
		a, err := ask(was.ID, subject)
		if was.Repeated = true; err != nil || a != was {
			t.Fatalf("asked again: %+v (%v), was %+v", a, err, was)
		}
	}
}
