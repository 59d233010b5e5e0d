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

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/extra/doctor"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/testnet"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/graphs"
)

// TestDoctor examines a network from one of its folders: running, stopped, with other settings,
// alone, and restored from a backup.
func TestDoctor(t *testing.T) {
	dir := peerdtest.Dir(t)
	c, err := plan.Schema().Load("../../configs/average.yaml", []string{"testnet.nodes=2", "testnet.topology=path", "world.bernoulli.means=[[0.9, 0.1, 0.2]]", "rounds.every=20ms"})
	if err != nil {
		t.Fatal(err)
	}
	n := &testnet.Net{Settings: &c.Settings, Dir: dir}
	if n.Graph, _, err = graphs.Build("path", 2, 1); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, n.WriteFolders())
	first := filepath.Join(dir, n.Names[0])
	neighbour := "neighbour " + n.Names[1]
	fresh := peerdtest.Doctor(t, exitNetwork, "--dir", first) // no other peer is there
	fresh.Want(t, neighbour, doctor.Fail, "connection refused")
	fresh.Want(t, "ledger", doctor.Pass, "none yet; ε 1 to spend")

	defer n.Stop()
	require.NoError(t, n.Start())
	released(n, t, 3)
	doc := peerdtest.Doctor(t, exitOK, "--dir", first)
	if !doc.Running {
		t.Error("it runs")
	}
	for _, check := range []string{"configuration", "folder", "key", "store", "clock", "space", "network file", "peer", "port", neighbour, "budget"} {
		if f := doc.Of(check); f.Result != doctor.Pass {
			t.Errorf("%s: %+v", check, f)
		}
	}
	doc.Want(t, "port", doctor.Pass, "held by the running peer")
	doc.Want(t, neighbour, doctor.Pass, "linked")
	if f := doc.Of("disk"); f.Result != doctor.Pass && f.Result != doctor.Warn || !strings.Contains(f.Detail, "p99") { // a test's machine may be slow
		t.Errorf("%+v", f)
	}

	stop(n.Processes[0])
	old := filepath.Join(dir, "old")
	copyFolder(t, first, old)
	doc = peerdtest.Doctor(t, exitOK, "--dir", first)
	if doc.Running {
		t.Error("it does not run")
	}
	doc.Want(t, "port", doctor.Pass, "is free")
	doc.Want(t, neighbour, doctor.Pass, "agrees")
	doc.Want(t, "ledger", doctor.Pass, "records verified; ε 1 of 1 charged")
	peerdtest.Doctor(t, exitConfig, "--dir", first, "--set", "privacy.horizon=77").Want(t, neighbour, doctor.Fail, "its privacy.horizon is 15000, ours is 77")

	// It continues, and then its folder is replaced by the copy.
	exe := require.Value(os.Executable())(t)
	n.Processes[0] = require.Value(testnet.StartProcess(exe, first, n.Names[0], n.LogPath(0)))(t)
	released(n, t, released(n, t, 0).Released+3)
	stop(n.Processes[0])
	require.NoError(t, os.Rename(first, first+"-lost"))
	require.NoError(t, os.Rename(old, first))
	peerdtest.Doctor(t, exitUnexpected, "--dir", first).Want(t, "ledger", doctor.Fail, "restored from a backup")

	// A folder that is used by a process that does not answer.
	unlock := require.Value(daemon.LockDir(first))(t)
	defer unlock()
	peerdtest.Doctor(t, exitUnexpected, "--dir", first).Want(t, "peer", doctor.Fail, "in use by another peerd")
}

// stop ends processes, and gives them time to end.
func stop(ps ...*testnet.Process) {
	for _, p := range ps {
		p.Release()
	}
	for _, p := range ps {
		p.Wait(time.Minute)
	}
}

// copyFolder makes a backup.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	require.NoError(t, filepath.WalkDir(to, func(path string, f os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := os.FileMode(0o600)
		if f.IsDir() {
			mode = 0o700
		}
		return os.Chmod(path, mode)
	}))
}

// TestDoctorNamesWhatIsWrong: and how to fix it.
func TestDoctorNamesWhatIsWrong(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "peer")
	if c, _, stderr := peerd(t, "init", "--dir", dir, "--set", "arms=[a, b]", "--set", "privacy.epsilon=1", "--set", "privacy.horizon=100"); c != exitOK {
		t.Fatal(stderr)
	}
	file := filepath.Join(dir, config.FileName)
	at := func(args ...string) []string { return append([]string{"--dir", dir}, args...) }
	chmod := func(name string, mode os.FileMode) {
		require.NoError(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	key := filepath.Base(new(config.Settings).IdentityPath())

	peerdtest.Doctor(t, exitConfig, at()...).Want(t, "network file", doctor.Fail, "network.yaml")
	peerdtest.Doctor(t, exitConfig, at("--set", "privacy.epsilon=-1")...).Want(t, "configuration", doctor.Fail, "privacy.epsilon: -1")
	peerdtest.Doctor(t, exitConfig, at("--set", "privacy.epsilon=-1")...).Want(t, "key", doctor.Pass, "12D3KooW")
	peerdtest.Doctor(t, exitConfig, "--set", "dir="+filepath.Join(dir, "not-there"), "-c", file).Want(t, "folder", doctor.Fail, "peerd init")
	peerdtest.Doctor(t, exitUnexpected, "--dir", file, "-c", file).Want(t, "folder", doctor.Fail, "is a file")

	chmod("", 0o750)
	peerdtest.Doctor(t, exitConfig, at()...).Want(t, "folder", doctor.Fail, "chmod 700")
	chmod("", 0o700)
	chmod(key, 0o640)
	peerdtest.Doctor(t, exitConfig, at()...).Want(t, "key", doctor.Fail, "chmod 600")
	chmod(key, 0o600)
	require.NoError(t, os.WriteFile(filepath.Join(dir, api.TokenFile), []byte("x"), 0o644))
	chmod(api.TokenFile, 0o644) // whatever the umask is
	peerdtest.Doctor(t, exitConfig, at()...).Want(t, api.TokenFile, doctor.Fail, "has mode 0644, want 0600")
	chmod(api.TokenFile, 0o600)
	require.NoError(t, os.WriteFile(filepath.Join(dir, daemon.StoreDir), []byte("x"), 0o600))
	peerdtest.Doctor(t, exitConfig, at()...).Want(t, "store", doctor.Fail, "something else")
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(file, later, later))
	peerdtest.Doctor(t, exitConfig, at()...).Want(t, "clock", doctor.Warn, "it was set back")
	require.NoError(t, os.Rename(filepath.Join(dir, key), filepath.Join(dir, "lost")))
	peerdtest.Doctor(t, exitConfig, at()...).Want(t, "key", doctor.Fail, "is not there")
	for _, e := range []string{".doctor-*", "lock"} {
		if left, err := filepath.Glob(filepath.Join(dir, e)); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// TestDoctorOfAPeerOutsideItsNetwork also checks a port that is taken.
func TestDoctorOfAPeerOutsideItsNetwork(t *testing.T) {
	dir := peerdtest.Dir(t)
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
		var doc daemon.Made
		if err = json.Unmarshal([]byte(stdout), &doc); err != nil || c != exitOK {
			t.Fatal(err, stderr)
		}
		ids = append(ids, doc.ID)
	}
	// b has no address: it dials c, and no peer dials it.
	n := &config.Network{
		Name: "test", Start: time.Now().Add(48 * time.Hour), Every: time.Second, Links: [][2]int{{0, 1}},
		Peers: []config.Member{{Name: "b", ID: ids[1]}, {Name: "c", ID: ids[2], Addrs: []string{"/ip4/127.0.0.1/tcp/1"}}},
	}
	require.NoError(t, config.WriteNetwork(filepath.Join(dir, "network.yaml"), n))
	doc := peerdtest.Doctor(t, exitNetwork, "--dir", filepath.Join(dir, "a"))
	doc.Want(t, "network file", doctor.Fail, "is not in")
	doc.Want(t, "clock", doctor.Warn, "the network starts at")
	doc = peerdtest.Doctor(t, exitNetwork, "--dir", filepath.Join(dir, "c"))
	doc.Want(t, "neighbour b", doctor.Warn, "no address")
	doc.Want(t, "port", doctor.Fail, addr)

	c, stdout, stderr := peerd(t, "doctor", "--dir", filepath.Join(dir, "c")) // for people
	if c != exitNetwork || stderr != "" || !strings.Contains(stdout, "\nFAIL  port ") || !strings.Contains(stdout, "→ end what listens there") ||
		!strings.HasSuffix(stdout, " with a warning\n") || !strings.Contains(stdout, ", 1 failed, ") {
		t.Errorf("code %d\n%s%s", c, stdout, stderr)
	}
}

// TestDoctorFindsAnOfferThatIsNoAction: a typing error in api.offer would keep an added action from all requests that name none.
func TestDoctorFindsAnOfferThatIsNoAction(t *testing.T) {
	dir := aSite(t, "arms=[a, b]", "api.offer=[b, blu]")
	r := peerdtest.Doctor(t, exitOK, "--dir", dir)
	r.Want(t, "offer", doctor.Warn, `api.offer has "blu", which is no action of this network`)
}
