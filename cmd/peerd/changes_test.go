package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/ask"
	"peerd.dev/internal/command"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/lab/ports"
	"peerd.dev/internal/peerdtest"
)

// A running is a peer that runs in the test's process.
type running struct {
	stop  context.CancelFunc
	ended chan code
	said  bytes.Buffer // once it has ended
}

// runs runs the peer of a folder.
func runs(t *testing.T, dir string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := &running{stop: stop, ended: make(chan code, 1)}
	go func() { r.ended <- code(command.Execute(ctx, []string{"run", "--dir", dir}, &r.said, &r.said)) }()
	t.Cleanup(func() { r.end(t) })
	return r
}

// end ends the peer, and returns its exit code.
func (r *running) end(t *testing.T) code {
	t.Helper()
	r.stop()
	c := <-r.ended
	r.ended <- c
	if t.Failed() {
		t.Log(r.said.String())
	}
	return c
}

// does runs a command that must succeed.
func does(t *testing.T, args ...string) string {
	t.Helper()
	c, stdout, stderr := peerd(t, args...)
	if c != exitOK {
		t.Fatalf("peerd %v: code %d\n%s%s", args, c, stdout, stderr)
	}
	return stdout
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for last := time.Now().Add(30 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(last) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

// freeAddrs returns addresses of the loopback interface at which nothing listens.
func freeAddrs(t *testing.T, n int) (all []string) {
	t.Helper()
	free, err := ports.Free(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, port := range free {
		all = append(all, fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", port))
	}
	return all
}

var remembers = regexp.MustCompile(`remembers (\d+ records|no record)`)

// TestAPeerRemembersOthersThroughAChange of the network, also those that do not run meanwhile; a peer that replaces its key states how far
// its ledger is; and a peer that is removed ends.
func TestAPeerRemembersOthersThroughAChange(t *testing.T) {
	root := peerdtest.Dir(t)
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	addrs := freeAddrs(t, 2)
	does(t, "init", "--dir", a, "--set", "arms=[red, green]", "--set", "privacy.epsilon=1", "--set", "rounds.every=50ms",
		"--set", "world.kind=bernoulli", "--set", "world.bernoulli.means=[[0.9, 0.1]]", "--set", "listen=["+addrs[0]+"]")
	does(t, "network", "new", "--dir", a, "--name", "clinics", "--peer", "a", "--addr", addrs[0])
	first := runs(t, a)
	eventually(t, "why nothing is said of a's gain", func() bool {
		c, stdout, _ := peerd(t, "gain", "--dir", a)
		return c == exitOK && strings.HasPrefix(stdout, "what joining has gained is not known yet: ")
	})
	var token string
	eventually(t, "an invitation", func() bool {
		c, stdout, _ := peerd(t, "network", "invite", "b", "--dir", a)
		token = strings.TrimSpace(stdout)
		return c == exitOK
	})
	does(t, "join", token, "--yes", "--dir", b, "--listen", addrs[1], "--addr", addrs[1], "--set", "world.kind=bernoulli", "--set", "world.bernoulli.means=[[0.9, 0.1]]")
	second := runs(t, b)
	eventually(t, "records of b at a", func() bool {
		ps, err := ask.Peers(t.Context(), a)
		return err == nil && len(ps) == 1 && ps[0].Records > 0
	})
	for want, args := range map[string][]string{
		"cannot change while peers run": {"privacy.epsilon", "2"}, "no setting that the peers": {"log.level", "debug"}, "want a whole number from 1": {"protocol.phases.pull", "0"},
	} {
		if c, _, stderr := peerd(t, "network", "set", args[0], args[1], "--dir", a); c == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("set %v: code %d, %s, want %q", args, c, stderr, want)
		}
	}
	eventually(t, "a signature of a, once it has heard b", func() bool {
		c, _, _ := peerd(t, "network", "set", "protocol.phases.pull", "7", "--dir", a)
		return c == exitOK
	})
	eventually(t, "the setting at b", func() bool {
		_, stdout, _ := peerd(t, "network", "show", "--dir", b)
		return strings.Contains(stdout, "protocol.phases.pull is 7")
	})
	eventually(t, "what a has gained", func() bool {
		c, stdout, _ := peerd(t, "gain", "--dir", a)
		return c == exitOK && strings.Contains(stdout, "gained by joining")
	})
	if d, wrong := daemon.AskStatus(t.Context(), a); wrong != nil || d.Gain == nil || d.Gain.Saved == nil {
		t.Errorf("the status does not say what a has gained: %+v, %v", d.Gain, wrong)
	} else if _, stdout, _ := peerd(t, "status", "--dir", a); !strings.HasSuffix(stdout, d.Gain.Sentence+"\n") {
		t.Errorf("%q ends\n%s", d.Gain.Sentence, stdout)
	}
	second.end(t)

	does(t, "network", "invite", "c", "--dir", a)
	eventually(t, "a place for c", func() bool {
		ps, err := ask.Peers(t.Context(), a)
		return err == nil && len(ps) == 2
	})
	var said string
	eventually(t, "an answer to b's doctor", func() bool {
		_, said, _ = peerd(t, "doctor", "--dir", b)
		return remembers.MatchString(said)
	})
	if n := remembers.FindStringSubmatch(said)[1]; n == "no record" {
		t.Errorf("after a change a remembers nothing of b:\n%s", said)
	}

	second = runs(t, b)
	eventually(t, "b is linked", func() bool {
		d, err := daemon.AskStatus(t.Context(), b)
		return err == nil && d.LinksUp
	})
	before := strings.TrimSpace(does(t, "id", "--dir", b))
	if said = does(t, "network", "rotate", "--dir", b); !strings.Contains(said, "note: the peer takes the new key once it runs") {
		t.Errorf("rotate says\n%s", said)
	}
	eventually(t, "b has another key, and its ledger goes on with it", func() bool {
		ps, err := ask.Peers(t.Context(), a)
		return err == nil && ps[0].ID != before && ps[0].State == "up" && strings.Contains(does(t, "network", "show", "--dir", a, "--json"), `"closed"`)
	})
	does(t, "network", "remove", "b", "--dir", a)
	select {
	case c := <-second.ended:
		if second.ended <- c; c != exitConfig || !strings.Contains(second.said.String(), "this peer left the network in version") {
			t.Errorf("a peer that was removed ends with code %d\n%s", c, second.said.String())
		}
	case <-time.After(20 * time.Second):
		t.Error("a peer that was removed goes on")
	}
	for _, dir := range []string{a, b} { // b has left, with another key than its ledger began with
		does(t, "audit", "bundle", "--dir", dir, "-o", dir+".tar")
		verifiedByBoth(t, dir+".tar", "")
	}
	if c := first.end(t); c != exitOK {
		t.Errorf("a ends with code %d", c)
	}
}

// TestAnAdminSaysWhomItHasToHear: it has started and its neighbour does not run, so it is not confirmed that its folder is no old copy.
// It signs nothing, names the neighbour, and goes on with the word of its operator.
func TestAnAdminSaysWhomItHasToHear(t *testing.T) {
	root := peerdtest.Dir(t)
	a, addrs := filepath.Join(root, "a"), freeAddrs(t, 2)
	does(t, "init", "--dir", a, "--set", "arms=[red, green]", "--set", "privacy.epsilon=1", "--set", "listen=["+addrs[0]+"]")
	does(t, "network", "new", "--dir", a, "--name", "clinics", "--peer", "a", "--addr", addrs[0])
	first := runs(t, a)
	eventually(t, "a answers", func() bool { _, no := daemon.AskStatus(t.Context(), a); return no == nil })
	token := strings.TrimSpace(does(t, "network", "invite", "b", "--dir", a))
	does(t, "join", token, "--yes", "--dir", filepath.Join(root, "b"), "--addr", addrs[1])
	first.end(t)
	set := []string{"network", "set", "protocol.phases.pull", "7", "--dir", a}
	if c, _, stderr := peerd(t, set...); c != exitNetwork || !strings.Contains(stderr, "this peer signs once it has heard others: b. The folder may be older than what it has signed: start the peer") {
		t.Errorf("code %d, %s", c, stderr)
	}
	first = runs(t, a)
	eventually(t, "a names whom it has to hear", func() bool {
		d, no := daemon.AskStatus(t.Context(), a)
		return no == nil && slices.Equal(d.DocumentAwaits, []string{"b"})
	})
	if said := does(t, append(set, "--without", "b")...); !strings.Contains(said, "version 3,") {
		t.Error(said)
	}
	first.end(t)
}
