package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/command"
	"peerd.dev/internal/extra/evaluation"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/node/api/client"
)

// aSite makes the folder of a site that is alone in its network.
func aSite(t *testing.T, set ...string) (dir string) {
	t.Helper()
	dir = filepath.Join(peerdtest.Dir(t), "a")
	begin := []string{"init", "--dir", dir, "--set", "privacy.epsilon=1", "--set", "listen=[/ip4/127.0.0.1/tcp/0]"}
	for _, s := range set {
		begin = append(begin, "--set", s)
	}
	for _, args := range [][]string{begin, {"network", "new", "--dir", dir, "--name", "clinics", "--peer", "a", "--addr", "/ip4/127.0.0.1/tcp/9471"}} {
		if c, _, stderr := peerd(t, args...); c != exitOK {
			t.Fatalf("%v: code %d, %s", args, c, stderr)
		}
	}
	return dir
}

// served runs the peer of a folder until the test ends, and returns its client.
func served(t *testing.T, dir string) *client.Client {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan string, 1)
	go func() {
		var out, trouble bytes.Buffer
		_ = command.Execute(ctx, []string{"run", "--dir", dir}, &out, &trouble)
		ended <- trouble.String()
	}()
	c := require.Value(client.New(client.Options{Dir: dir, Deadline: 30 * time.Second}))(t)
	t.Cleanup(func() {
		c.Close()
		stop()
		if said := <-ended; t.Failed() {
			t.Log(said)
		}
	})
	require.Value(c.Status(t.Context()))(t)
	return c
}

// TestEvaluateARunningPeer: from its own log while it runs, of the policies that docs/evaluation.md names, and of a table; and
// what hinders an estimate is said with the remedy.
func TestEvaluateARunningPeer(t *testing.T) {
	dir := aSite(t, "arms=red,green", "api.window=2s", "learner.explore=0.3", "api.min_exposures=30") // more than are given
	evaluate := []string{"decisions", "evaluate", "--dir", dir}
	if c, _, stderr := peerd(t, evaluate...); c != exitUnexpected || !strings.Contains(stderr, "has not run yet") {
		t.Fatalf("code %d, %s", c, stderr)
	}
	peer := served(t, dir)
	if c, _, stderr := peerd(t, evaluate...); c != exitUnexpected || !strings.Contains(stderr, "there are too few decisions to estimate from (0)") {
		t.Fatalf("code %d, %s", c, stderr)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	asks, rewards := make([]client.Ask, 500), make([]client.Reward, 500)
	for i := range asks {
		if asks[i].ID, asks[i].Subject = fmt.Sprint("visit-", i), fmt.Sprint("customer-", i); i%10 == 9 {
			asks[i].Exclude = []string{"red"}
		}
	}
	decided := require.Value(peer.DecideBatch(t.Context(), asks))(t)
	for i, o := range decided {
		rewards[i].ID = asks[i].ID
		if mean := map[string]float64{"red": .8, "green": .4}[o.Decision.Action]; rng.Float64() < mean {
			rewards[i].Value = 1
		}
	}
	require.Value(peer.RewardBatch(t.Context(), rewards))(t)
	if c, _, stderr := peerd(t, evaluate...); c != exitUnexpected || !strings.Contains(stderr, "the windows of 500 decisions are not over: ask again when they are") {
		t.Fatalf("code %d, %s", c, stderr)
	}
	time.Sleep(3 * time.Second)
	table := filepath.Join(dir, "table.json")
	require.NoError(t, os.WriteFile(table, []byte(`{"version":"half","actions":[{"name":"red","weight":1},{"name":"green","weight":1}]}`), 0o600))
	c, stdout, stderr := peerd(t, append(evaluate, "--policy", table, "--json")...)
	var r evaluation.Report
	if err := json.Unmarshal([]byte(stdout), &r); c != exitOK || err != nil {
		t.Fatalf("code %d, %s (%v)", c, stderr, err)
	}
	by := make(map[string]evaluation.Estimate)
	for _, e := range r.Estimates {
		by[e.Policy] = e
	}
	// The excluding decisions had one action left, so red is not on offer there, and the table takes green.
	if r.Decisions != 500 || r.Ruled == 0 || by["always red"].Decisions >= by["always green"].Decisions || by["always green"].Decisions != r.Weighted {
		t.Errorf("%s", stdout)
	}
	for policy, truth := range map[string]float64{"always red": .8, "always green": .4, "uniform": .58, "table half": .58} {
		i := by[policy].DR
		if i == nil || i.Low-.1 > truth || i.High+.1 < truth {
			t.Errorf("%s: %v, want about %v", policy, i, truth)
		}
	}
	if c, stdout, stderr = peerd(t, evaluate...); c != exitOK || !strings.Contains(stdout, "RAW DATA for this site's own eyes") {
		t.Errorf("code %d, %s%s", c, stdout, stderr)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".peerd-export-*")); err != nil || len(left) > 0 {
		t.Errorf("%v remains (%v)", left, err)
	}
	for _, wrong := range []string{filepath.Join(dir, "nosuch"), filepath.Join(dir, "peerd.yaml")} {
		if c, _, stderr := peerd(t, append(evaluate, "--policy", wrong)...); c != exitUsage || !strings.Contains(stderr, "--policy") {
			t.Errorf("code %d, %s", c, stderr)
		}
	}
}

// TestImportReportsALog: over the socket of a folder, to the network's actions by their names; a peer that does not run, wrong
// flags and wrong names are said.
func TestImportReportsALog(t *testing.T) {
	dir := aSite(t, "arms=red,green", "api.shadow=propose")
	log := filepath.Join(dir, "log.txt")
	require.NoError(t, os.WriteFile(log, []byte("1:0:0.5 | a\n2:0.25:0.5 | b\n"), 0o600))
	bring := []string{"decisions", "import", log, "--dir", dir, "--format", "vw"}
	if c, _, stderr := peerd(t, bring...); c != exitNetwork || !strings.Contains(stderr, "no peer runs in "+dir) {
		t.Fatalf("code %d, %s", c, stderr)
	}
	taken, rewards := make(map[string]client.Taken), make(map[string]float64)
	l := require.Value(net.Listen("unix", filepath.Join(dir, "peerd.sock")))(t)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Decisions []client.Ask
			Rewards   []client.Reward
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		var doc any = []client.Arm{{Name: "red"}, {Name: "brown", Retired: true}, {Name: "green"}}
		var decided client.DecisionBatch
		var paid client.ReceiptBatch
		for _, a := range body.Decisions {
			_, known := taken[a.ID]
			taken[a.ID] = *a.Taken
			decided.Outcomes = append(decided.Outcomes, client.DecisionOutcome{Status: 200, Decision: &client.Decision{ID: a.ID, Action: a.Taken.Action, Repeated: known}})
			doc = decided
		}
		for _, x := range body.Rewards {
			rewards[x.ID] = x.Value
			paid.Outcomes = append(paid.Outcomes, client.ReceiptOutcome{Status: 200, Receipt: &client.Receipt{ID: x.ID}})
			doc = paid
		}
		_ = json.NewEncoder(w).Encode(doc)
	}))
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	for again, want := range []string{": 2 decisions with 2 rewards taken\n", ": 2 decisions with 2 rewards taken; 2 were there from an earlier import\n"} {
		if c, stdout, stderr := peerd(t, bring...); c != exitOK || stdout != log+want {
			t.Errorf("%d: code %d, %s%s", again, c, stdout, stderr)
		}
	}
	again := filepath.Join(dir, "log.txt.1")
	require.NoError(t, os.Rename(log, again))
	bring[2] = again
	if c, stdout, stderr := peerd(t, bring...); c != exitOK || !strings.Contains(stdout, "2 were there from an earlier import") {
		t.Errorf("under another name: code %d, %s%s", c, stdout, stderr)
	}
	sum := 0.
	for id, x := range taken {
		sum += rewards[id] * x.Propensity
		if want := map[float64]string{1: "red", .75: "green"}[rewards[id]]; x.Action != want || x.Propensity != .5 {
			t.Errorf("%+v, want %s", x, want)
		}
	}
	if len(taken) != 2 || len(rewards) != 2 || sum != .875 {
		t.Errorf("%v", taken)
	}
	for _, c := range []struct {
		args []string
		want string
		code code
	}{
		{[]string{"--format", "csv"}, `--format "csv", want obd, vw or vw-adf`, exitUsage},
		{[]string{"--costs", "1,0"}, "--costs 1,0: want two numbers", exitUsage},
		{[]string{"--costs=-1e308,1e308"}, "--costs -1e308,1e308: want two numbers", exitUsage},
		{[]string{"--costs", "0,Inf"}, "--costs 0,Inf: want two numbers", exitUsage},
		{[]string{"--actions", "red,green,red"}, `--actions: "red" is there twice: want every action once`, exitUsage},
		{[]string{"--rate", "0"}, "--rate 0: want a number above 0", exitUsage},
		{[]string{"--actions", "red,brown"}, `"brown" is no action of this network; ` + "`peerd status` shows its 2", exitUsage},
		{[]string{"--actions", "green"}, "line 2: this is number 2 of the log's actions, and there are names of 1", exitUnexpected},
		{[]string{"--costs", "0.5,1"}, "line 1: the cost is not from 0.5 to 1", exitUnexpected},
	} {
		if got, _, stderr := peerd(t, append(bring, c.args...)...); got != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: code %d, %s", c.args, got, stderr)
		}
	}
}

// TestWrongLinesHaveOneCode: whatever is wrong in a log, also that it is none, with the file's name and the line's number.
func TestWrongLinesHaveOneCode(t *testing.T) {
	dir := aSite(t, "arms=red,green", "api.shadow=propose")
	served(t, dir)
	const head = "item_id,click,propensity_score\n"
	for i, c := range []struct{ format, text, want string }{
		{"obd", head + "0,1,0.5\n\x00\x00\x00", "line 3: want as many cells as the first line has (1 decision"},
		{"obd", head + "0,1,\"0.5\n", "line 2: a quotation mark is alone"},
		{"obd", head + "0,1,1e-300\n", "line 2: propensity"},
		{"obd", head + "2,1,0.5\n", "line 2: this is number 3 of the log's actions"},
		{"obd", "item_id;click;propensity_score\n0;1;0.5\n", "line 1: no column item_id; the number of columns is 1, \"item_id;"},
		{"obd", "", "line 1: no column item_id"},
		{"vw", "1:0:0.5 | a\n1:0:0.5 | " + strings.Repeat("b", 1<<20) + "\n", "line 2: want a line of at most 1048576 bytes (1 decision"},
		{"vw", "1:0:0.5 a\n", "line 1: no |"},
	} {
		log := filepath.Join(dir, fmt.Sprint("log ", i))
		require.NoError(t, os.WriteFile(log, []byte(c.text), 0o600))
		if got, _, stderr := peerd(t, "decisions", "import", log, "--dir", dir, "--format", c.format); got != exitUnexpected || !strings.Contains(stderr, log+": "+c.want) {
			t.Errorf("%q: code %d, %s", c.text[:min(80, len(c.text))], got, stderr)
		}
	}
	for _, format := range []string{"obd", "vw"} {
		if got, _, stderr := peerd(t, "decisions", "import", dir, "--dir", dir, "--format", format); got != exitUnexpected || !strings.Contains(stderr, dir+": line 1: cannot be read") {
			t.Errorf("a folder: code %d, %s", got, stderr)
		}
	}
}

// TestALogIsForAShadowWithoutFeatures: the command says what the configuration lacks, before it asks the peer.
func TestALogIsForAShadowWithoutFeatures(t *testing.T) {
	for want, set := range map[string][]string{
		"api.shadow is off":         {"arms=red,green"},
		"learner.name is linucb in": {"arms=red,green", "api.shadow=learn", "features.context=hour=0..24"},
		"no peer runs in":           {"arms=red,green", "api.shadow=propose"},
	} {
		dir := aSite(t, set...)
		if c, _, stderr := peerd(t, "decisions", "import", "log.csv", "--format", "obd", "--dir", dir); c == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("code %d, %s, want %s", c, stderr, want)
		}
	}
}
