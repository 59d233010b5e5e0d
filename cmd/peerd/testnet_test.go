package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/command"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/testnet"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/graphs"
)

// smallMeans are the means of three actions, the same at every site.
const smallMeans = "world.bernoulli.means=[[0.9, 0.1, 0.2]]"

// smallNet are arguments for three processes and a second of rounds.
func smallNet(more ...string) []string {
	return append([]string{
		"testnet", "-c", "../../configs/testnet.yaml", "-n", "3", "-t", "path", "--json",
		"--set", "rounds.count=400", "--set", smallMeans,
	}, more...)
}

// TestATestnetEndsByItself: with a consistent document.
func TestATestnetEndsByItself(t *testing.T) {
	set := []string{"testnet.nodes=3", "testnet.topology=path", "privacy.horizon=200", smallMeans}
	t.Cleanup(func() { noneLeft(t) })
	for _, p := range covering(t, "../../configs/average.yaml", set...) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel() // most of the time is the wait for the start
			d := playTestnet(t, p.flags())
			for tries := 1; tries < 5 && !allPlayed(&d); tries++ { // the machine was busy until all rounds were over
				d = playTestnet(t, p.flags())
			}
			if !d.Private || d.Epsilon != 1 || d.Rounds != 200 || d.Learners != 3 || d.Together <= 0 || d.Alone <= 0 {
				t.Errorf("%+v", d)
			}
			for _, s := range d.Sites {
				if len(d.Sites) > 3 && len(s.Pulls) == 0 { // it has no arms
					continue
				}
				var pulls uint64
				for _, n := range s.Pulls {
					pulls += n
				}
				if pulls+s.Skipped != 200 || s.Spent < .99 || s.Spent > 1 || s.Spent+s.Left != 1 || s.BytesOut == 0 || !s.LinksUp {
					t.Errorf("%s: %+v", s.Name, s)
				}
			}
		})
	}
}

// playTestnet runs a network and returns its result.
func playTestnet(t *testing.T, flags []string) (d testnet.Document) {
	t.Helper()
	var out, trouble bytes.Buffer
	if code := command.Execute(t.Context(), append([]string{"testnet", "-c", "../../configs/average.yaml", "--json"}, flags...), &out, &trouble); code != 0 {
		t.Fatalf("exit code %d\n%s", code, &trouble)
	}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("%v in %s", err, &out)
	}
	return d
}

// allPlayed reports whether every site with arms was there for half of the rounds.
func allPlayed(d *testnet.Document) bool {
	return !slices.ContainsFunc(d.Sites, func(s api.Status) bool { return len(s.Pulls) > 0 && s.Skipped > d.Rounds/2 })
}

// TestATestnetHasARelay: which has no regret and no favourite.
func TestATestnetHasARelay(t *testing.T) {
	c, stdout, stderr := peerd(t, "testnet", "../../configs/relay.yaml", "--json", "--set", "rounds.count=200")
	var d testnet.Document
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || c != exitOK {
		t.Fatalf("code %d, %v: %s%s", c, err, stdout, stderr)
	}
	if relay := d.Sites[0]; d.Learners != 4 || relay.Spent != 0 || relay.Released != 0 || relay.LedgerRecords != 1 || relay.BytesOut == 0 {
		t.Errorf("%d sites have arms; the relay: %+v", d.Learners, relay)
	}
	if !regexp.MustCompile(`(?m)^site-1 +200 +- +\(no arms\) `).MatchString(stderr) || !regexp.MustCompile(`(?m)^site-2 +200 +[0-9.]+ +\w+ `).MatchString(stderr) {
		t.Errorf("the table:\n%s", stderr)
	}
}

// TestAnInterruptEndsATestnet: within three seconds, with its exit code, and without remaining
// processes. A busy machine may delay four of five tries.
func TestAnInterruptEndsATestnet(t *testing.T) {
	for tries := 1; ; tries++ {
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(1500*time.Millisecond, interrupt)
		var out, trouble bytes.Buffer
		begin := time.Now()
		if code := command.Execute(ctx, smallNet("--set", "rounds.every=1s"), &out, &trouble); code != int(exitInterrupted) {
			t.Fatalf("exit code %d, want %d\n%s", code, exitInterrupted, &trouble)
		}
		took := time.Since(begin)
		noneLeft(t)
		if took <= 4500*time.Millisecond {
			return
		}
		if tries == 5 {
			t.Fatalf("ended after %v\n%s", took, &trouble)
		}
	}
}

// TestATestnetEndsOnThePage: it has the sentences of the terminal while the command waits, and an interrupt then is no failure.
func TestATestnetEndsOnThePage(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	ctx, interrupt := context.WithCancel(t.Context())
	jar, _ := cookiejar.New(nil) // no error without options
	client, body := http.Client{Jar: jar}, ""
	var out bytes.Buffer
	args := slices.DeleteFunc(smallNet("--open", "--set", "rounds.count=100"), func(arg string) bool { return arg == "--json" })
	code := command.Execute(ctx, args, &out, writes(func(text string) {
		link := regexp.MustCompile(`a minute, or until Ctrl-C; .* (http:.*/)enter.*`).FindStringSubmatch(text)
		if link == nil {
			return
		}
		defer interrupt()
		noneLeft(t)
		for _, url := range []string{text[strings.Index(text, "http:") : len(text)-1], link[1]} {
			r, err := client.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r.Body)
			if body = html.UnescapeString(string(b)); errors.Join(err, r.Body.Close()) != nil {
				t.Fatal(err)
			}
		}
	}))
	_, lines, _ := strings.Cut(out.String(), "\njoining ")
	for line := range strings.Lines("joining " + lines) {
		if !strings.Contains(body, "<li>"+strings.TrimSuffix(line, "\n")+"</li>") {
			t.Errorf("%q is missing", line)
		}
	}
	if code != 0 || strings.Count(lines, "\n") < 4 || !strings.Contains(body, "The testnet is over.") {
		t.Errorf("exit code %d\n%s\n%s", code, &out, body)
	}
}

// writes is a writer that calls a function with each text.
type writes func(text string)

func (f writes) Write(b []byte) (int, error) {
	f(string(b))
	return len(b), nil
}

// TestABrokenPeerIsNamed: the testnet reports the reason that a peer gives for its end.
func TestABrokenPeerIsNamed(t *testing.T) {
	t.Setenv("PEERD_DATA", "")
	var out, trouble bytes.Buffer
	code := command.Execute(t.Context(), []string{"testnet", "-c", "../../configs/diabetes.yaml"}, &out, &trouble)
	if code != int(exitData) || !strings.Contains(trouble.String(), "fetch-data.sh") {
		t.Errorf("exit code %d, want %d\n%s", code, exitData, &trouble)
	}
}

// TestARestartGoesOnAndPaysNothing: a peer that is stopped and started again continues to
// release, charges nothing more, and is the same peer to others.
func TestARestartGoesOnAndPaysNothing(t *testing.T) {
	dir := peerdtest.Dir(t)
	c, err := plan.Schema().Load("../../configs/average.yaml", []string{"testnet.nodes=2", "testnet.topology=path", smallMeans, "rounds.every=20ms"})
	if err != nil {
		t.Fatal(err)
	}
	n := &testnet.Net{Settings: &c.Settings, Dir: dir}
	if n.Graph, _, err = graphs.Build("path", 2, 1); err != nil {
		t.Fatal(err)
	}
	if err = n.WriteFolders(); err != nil {
		t.Fatal(err)
	}
	defer n.Stop()
	if err = n.Start(); err != nil {
		t.Fatal(err)
	}
	before := released(n, t, 1)
	n.Stop()
	n.Processes = nil
	if err = n.Start(); err != nil {
		t.Fatal(err)
	}
	after := released(n, t, before.Released+1)
	if after.Spent != 1 || after.Left != 0 || after.Incarnation != before.Incarnation || after.LedgerRecords < before.LedgerRecords+1 {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
}

// released waits until site 1 has drawn n releases.
func released(t *testnet.Net, tb *testing.T, n uint64) api.Status {
	tb.Helper()
	for ; ; time.Sleep(20 * time.Millisecond) {
		d, err := t.Processes[0].Status(tb.Context())
		if err == nil && d.Released >= n {
			return d
		}
		if err = t.Processes[0].Exited(); err != nil {
			tb.Fatal(err)
		}
	}
}

// noneLeft fails if a process of this test still runs a peer.
func noneLeft(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err = exec.LookPath("pgrep"); err != nil {
		t.Log("not checked whether processes are left behind: no pgrep")
		return
	}
	b, _ := exec.CommandContext(context.WithoutCancel(t.Context()), "pgrep", "-f", exe+" run").Output() // finding none is an error as well
	if len(b) > 0 {
		t.Errorf("left behind: %s", b)
	}
}

// TestATestnetOfTooManyProcessesOrOneIsRefused: an experiment with as many simulated peers is
// not.
func TestATestnetOfTooManyProcessesOrOneIsRefused(t *testing.T) {
	c, _, stderr := peerd(t, "testnet", "../../configs/testnet.yaml", "-n", "201")
	if c != exitConfig || !strings.Contains(stderr, "testnet.nodes: 201: want at most 200") || !strings.Contains(stderr, "`peerd experiment run` simulates more") {
		t.Errorf("code %d: %s", c, stderr)
	}
	c, _, stderr = peerd(t, "testnet", "../../configs/testnet.yaml", "-n", "1", "-t", "path", "--set", smallMeans)
	if c != exitConfig || !strings.Contains(stderr, "testnet.nodes: 1: want at least 2") || !strings.Contains(stderr, "`peerd experiment run` simulates one") {
		t.Errorf("code %d: %s", c, stderr)
	}
	one := playFile(t, t.TempDir(), "../../configs/testnet.yaml", "testnet.nodes=1", "testnet.topology=path", smallMeans, "rounds.count=100", "experiment.seeds=1", "experiment.figure.kind=none")
	if len(one.Cells) != 1 || one.Cells[0].Peers != 1 || one.Cells[0].Messages != 0 || one.Cells[0].Regret.Mean <= 0 {
		t.Errorf("one peer: %+v", one.Document)
	}
}
