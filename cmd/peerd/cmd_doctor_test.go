package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/node/api"
)

// seeDoctor runs `peerd doctor` and returns its report.
func seeDoctor(t *testing.T, want code, args ...string) doctorDoc {
	t.Helper()
	args = append([]string{"doctor", "--json"}, args...)
	c, stdout, stderr := peerd(t, args...)
	var doc doctorDoc
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || stderr != "" { // one document, and nothing else
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	if c != want || doc.Code != want || doc.OK != (want == exitOK) {
		t.Errorf("%v: code %d, in the report %d, want %d\n%s", args, c, doc.Code, want, stdout)
	}
	return doc
}

// of returns what was found about something: the worst of it.
func (doc doctorDoc) of(check string) (f finding) {
	rank := map[outcome]int{"": 0, pass: 1, warn: 2, fail: 3}
	for _, o := range doc.Checks {
		if o.Check == check && rank[o.Result] > rank[f.Result] {
			f = o
		}
	}
	return f
}

func (doc doctorDoc) want(t *testing.T, check string, result outcome, text string) {
	t.Helper()
	f := doc.of(check)
	if f.Result != result || !strings.Contains(f.Detail+" → "+f.Remedy, text) || result == fail && f.Remedy == "" {
		t.Errorf("%s: %+v, want %s with %q", check, f, result, text)
	}
}

// TestDoctor sees a network from one of its folders: running, stopped, with other
// settings, alone, and restored from a backup.
func TestDoctor(t *testing.T) {
	dir, err := os.MkdirTemp("", "peerd") //nolint:usetesting // t.TempDir's names are too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	c, err := loadConfig("../../configs/testnet.yaml", []string{"testnet.nodes=2", "testnet.topology=path", "world.means=[[0.9, 0.1, 0.2]]", "rounds.every=20ms"})
	if err != nil {
		t.Fatal(err)
	}
	n := &testnet{s: &c.Settings, dir: dir}
	if n.graph, _, err = buildGraph("path", 2, 1); err != nil {
		t.Fatal(err)
	}
	if err = n.lay(); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(dir, n.names[0])
	neighbour := "neighbour " + n.names[1]
	fresh := seeDoctor(t, exitNetwork, "--dir", first) // nobody else is there
	fresh.want(t, neighbour, fail, "connection refused")
	fresh.want(t, "ledger", pass, "none yet; ε 1 to spend")

	defer n.stop()
	if err = n.start(); err != nil {
		t.Fatal(err)
	}
	n.released(t, 3)
	doc := seeDoctor(t, exitOK, "--dir", first)
	if !doc.Running {
		t.Error("it runs")
	}
	for _, check := range []string{"configuration", "folder", "key", "store", "clock", "space", "network file", "peer", "port", neighbour, "budget"} {
		if f := doc.of(check); f.Result != pass {
			t.Errorf("%s: %+v", check, f)
		}
	}
	doc.want(t, "port", pass, "held by the running peer")
	doc.want(t, neighbour, pass, "linked")
	if f := doc.of("disk"); f.Result != pass && f.Result != warn || !strings.Contains(f.Detail, "p99") { // a test's machine may be slow
		t.Errorf("%+v", f)
	}

	stop(n.procs[0])
	old := filepath.Join(dir, "old")
	copyFolder(t, first, old)
	doc = seeDoctor(t, exitOK, "--dir", first)
	if doc.Running {
		t.Error("it does not run")
	}
	doc.want(t, "port", pass, "is free")
	doc.want(t, neighbour, pass, "agrees")
	doc.want(t, "ledger", pass, "records verified; ε 1 of 1 charged")
	seeDoctor(t, exitConfig, "--dir", first, "--set", "privacy.horizon=77").want(t, neighbour, fail, "its policy hash is")

	// It goes on, and then its folder is replaced by the copy.
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if n.procs[0], err = startProcess(exe, first, n.names[0], n.logPath(0)); err != nil {
		t.Fatal(err)
	}
	n.released(t, n.released(t, 0).Released+3)
	stop(n.procs[0])
	if err = os.Rename(first, first+"-lost"); err != nil {
		t.Fatal(err)
	}
	if err = os.Rename(old, first); err != nil {
		t.Fatal(err)
	}
	seeDoctor(t, exitUnexpected, "--dir", first).want(t, "ledger", fail, "restored from a backup")

	// A folder that is in use by a process that does not answer.
	unlock, err := lockDir(first)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	seeDoctor(t, exitUnexpected, "--dir", first).want(t, "peer", fail, "in use by another peerd")
}

func stop(p *process) {
	p.release()
	p.wait(3 * time.Second)
}

// copyFolder makes a backup.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, f os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := os.FileMode(0o600)
		if f.IsDir() {
			mode = 0o700
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDoctorNamesWhatIsWrong, and how to mend it.
func TestDoctorNamesWhatIsWrong(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "peer")
	if c, _, stderr := peerd(t, "init", "--dir", dir, "--set", "arms=[a, b]", "--set", "privacy.epsilon=1", "--set", "privacy.horizon=100"); c != exitOK {
		t.Fatal(stderr)
	}
	file := filepath.Join(dir, configName)
	at := func(args ...string) []string { return append([]string{"--dir", dir}, args...) }
	chmod := func(name string, mode os.FileMode) {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Base(new(Settings).IdentityPath())

	seeDoctor(t, exitConfig, at()...).want(t, "network file", fail, "network.yaml")
	seeDoctor(t, exitConfig, at("--set", "privacy.epsilon=-1")...).want(t, "configuration", fail, "privacy.epsilon: -1")
	seeDoctor(t, exitConfig, at("--set", "privacy.epsilon=-1")...).want(t, "key", pass, "12D3KooW")
	seeDoctor(t, exitUnexpected, "--dir", filepath.Join(dir, "not-there"), "-c", file).want(t, "folder", fail, "peerd init")
	seeDoctor(t, exitUnexpected, "--dir", file, "-c", file).want(t, "folder", fail, "is a file")

	chmod("", 0o750)
	seeDoctor(t, exitConfig, at()...).want(t, "folder", fail, "chmod 700")
	chmod("", 0o700)
	chmod(key, 0o640)
	seeDoctor(t, exitConfig, at()...).want(t, "key", fail, "chmod 600")
	chmod(key, 0o600)
	if err := os.WriteFile(filepath.Join(dir, api.TokenFile), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	seeDoctor(t, exitConfig, at()...).want(t, "token", fail, "has mode 0644, want 0600")
	chmod(api.TokenFile, 0o600)
	if err := os.WriteFile(filepath.Join(dir, storeDir), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	seeDoctor(t, exitConfig, at()...).want(t, "store", fail, "something else")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	seeDoctor(t, exitConfig, at()...).want(t, "clock", warn, "it went back")
	if err := os.Rename(filepath.Join(dir, key), filepath.Join(dir, "lost")); err != nil {
		t.Fatal(err)
	}
	seeDoctor(t, exitConfig, at()...).want(t, "key", fail, "is not there")
	for _, e := range []string{".doctor-*", "lock"} {
		if left, err := filepath.Glob(filepath.Join(dir, e)); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// TestDoctorOfAPeerOutsideItsNetwork also sees a port that is taken.
func TestDoctorOfAPeerOutsideItsNetwork(t *testing.T) {
	dir, err := os.MkdirTemp("", "peerd") //nolint:usetesting // t.TempDir's names are too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	addr := fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", l.Addr().(*net.TCPAddr).Port)
	var ids []string
	for _, name := range []string{"a", "b", "c"} {
		at := filepath.Join(dir, name)
		c, stdout, stderr := peerd(t, "init", "--json", "--dir", at, "--set", "arms=[a, b]", "--set", "privacy.epsilon=1", "--set", "privacy.horizon=100",
			"--set", "network="+filepath.Join(dir, "network.yaml"), "--set", "listen=["+addr+"]", "--set", "rounds.every=1s")
		var doc initDoc
		if err = json.Unmarshal([]byte(stdout), &doc); err != nil || c != exitOK {
			t.Fatal(err, stderr)
		}
		ids = append(ids, doc.ID)
	}
	// b has no address: it dials c, and is dialled by nobody.
	n := &Network{
		Name: "test", Start: time.Now().Add(48 * time.Hour), Every: time.Second, Links: [][2]int{{0, 1}},
		Peers: []Member{{Name: "b", ID: ids[1]}, {Name: "c", ID: ids[2], Addrs: []string{"/ip4/127.0.0.1/tcp/1"}}},
	}
	if err = writeNetwork(filepath.Join(dir, "network.yaml"), n); err != nil {
		t.Fatal(err)
	}
	doc := seeDoctor(t, exitNetwork, "--dir", filepath.Join(dir, "a"))
	doc.want(t, "network file", fail, "is not in")
	doc.want(t, "clock", warn, "the network starts at")
	doc = seeDoctor(t, exitNetwork, "--dir", filepath.Join(dir, "c"))
	doc.want(t, "neighbour b", warn, "no address")
	doc.want(t, "port", fail, addr)

	c, stdout, stderr := peerd(t, "doctor", "--dir", filepath.Join(dir, "c")) // for people
	if c != exitNetwork || stderr != "" || !strings.Contains(stdout, "\nFAIL  port ") || !strings.Contains(stdout, "→ end what listens there") ||
		!strings.HasSuffix(stdout, " with a warning\n") || !strings.Contains(stdout, ", 1 failed, ") {
		t.Errorf("code %d\n%s%s", c, stdout, stderr)
	}
}
