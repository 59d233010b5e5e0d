//go:build linux

package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"peerd.dev/gossip"
	"peerd.dev/internal/change"
	"peerd.dev/internal/command"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/extra/doctor"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
)

// founded makes the folder of a network's first peer.
func founded(t *testing.T, dir string) {
	t.Helper()
	const addr = "/ip4/127.0.0.1/tcp/0"
	does(t, "init", "--dir", dir, "--set", "arms=red,green", "--set", "privacy.epsilon=1", "--set", "listen="+addr)
	does(t, "network", "new", "--dir", dir, "--name", "t", "--peer", "a", "--addr", "/ip4/127.0.0.1/tcp/4001")
}

// writers are the commands that change a folder, and readers those that do not.
func writers() [][]string {
	return [][]string{
		{"run"},
		{"recover"},
		{"network", "invite", "b"},
		{"network", "move", "--addr", "/ip4/127.0.0.1/tcp/4002"},
		{"network", "rotate"},
		{"network", "extend", "blue"},
		{"network", "remove", "a"},
		{"network", "sign", "x"},
		{"network", "rotate"},
	}
}

func readers(file string) [][]string {
	return [][]string{
		{"id"},
		{"network", "show"},
		{"doctor"},
		{"status"},
		{"peers"},
		{"gain"},
		{"config", "show"},
		{"privacy", "explain"},
		{"ledger", "show"},
		{"ledger", "export", "-o", file},
		{"decisions", "export", "-o", file},
		{"backup", "-o", file},
	}
}

// refuses runs a command on a folder and checks its code and what it says.
func refuses(t *testing.T, args []string, dir string, want code, says string) {
	t.Helper()
	c, stdout, stderr := peerd(t, slices.Concat(args, []string{"--dir", dir})...)
	if c != want || !strings.Contains(stdout+stderr, says) {
		t.Errorf("peerd %s: code %d, want %d and %q:\n%s%s", strings.Join(args, " "), c, want, says, stdout, stderr)
	}
}

// TestAFolderThatIsNotThereIsNamedFirst: whatever else is wrong, by every command, with one sentence.
func TestAFolderThatIsNotThereIsNamedFirst(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nosuch")
	for _, args := range slices.Concat(writers(), readers(dir+".out")) {
		refuses(t, args, dir, exitConfig, "peerd: no folder "+dir+": `peerd init`, `peerd join`, or another --dir\n")
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestAFolderOfAnotherUser: what would write in it is refused before it does, and what reads it leaves no file of this user.
func TestAFolderOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	const owner = 4711
	dir := filepath.Join(t.TempDir(), "a")
	founded(t, dir)
	for _, lock := range []string{"lock", "network.json.lock"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, lock)))
	}
	each := func(do func(path string, uid uint32) error) {
		t.Helper()
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			i, err := d.Info()
			if err != nil {
				return err
			}
			return do(path, i.Sys().(*syscall.Stat_t).Uid)
		}))
	}
	each(func(path string, _ uint32) error { return os.Lchown(path, owner, owner) })
	document := require.Value(os.ReadFile(filepath.Join(dir, "network.json")))(t)
	const says = "belongs to user 4711, and this is user 0: run it as that user (setpriv, sudo -u)"
	for _, args := range writers() {
		refuses(t, args, dir, exitConfig, says)
	}
	for _, args := range readers(filepath.Join(t.TempDir(), "out")) {
		if _, stdout, stderr := peerd(t, slices.Concat(args, []string{"--dir", dir})...); strings.Contains(stdout+stderr, says) {
			t.Errorf("peerd %s only reads:\n%s%s", strings.Join(args, " "), stdout, stderr)
		}
	}
	does(t, "id", "--dir", dir)
	does(t, "network", "show", "--dir", dir)
	each(func(path string, uid uint32) error {
		if uid != owner {
			t.Errorf("%s belongs to user %d", path, uid)
		}
		return nil
	})
	if is, err := os.ReadFile(filepath.Join(dir, "network.json")); err != nil || string(is) != string(document) {
		t.Errorf("the document changed (%v)", err)
	}
	require.NoError(t, errorsOf(os.Remove(filepath.Join(dir, "peerd.yaml")), os.Remove(filepath.Join(dir, "identity.key"))))
	refuses(t, []string{"init"}, dir, exitConfig, says)
	refuses(t, []string{"join", token(), "--yes"}, dir, exitConfig, says)
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// token returns an invitation of a peer that is not there.
func token() string {
	return (&change.Invitation{Name: "b", Network: "x", With: gossip.PeerInfo{ID: gossip.SeedIdentity([32]byte{1}).ID(), Addrs: []string{"/ip4/127.0.0.1/tcp/1"}}}).Token()
}

// TestAFolderWithALongPath: no peer is made there, and one that was moved there is refused before its store is made.
func TestAFolderWithALongPath(t *testing.T) {
	text := require.Value(os.ReadFile("testdata/long-path.txt"))(t)
	root := t.TempDir()
	dir := filepath.Join(root, strings.TrimSpace(string(text)))
	const says = "choose a shorter dir"
	refuses(t, []string{"init"}, dir, exitConfig, says)
	refuses(t, []string{"join", token(), "--yes"}, dir, exitConfig, says)
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	short := filepath.Join(root, "a")
	founded(t, short)
	require.NoError(t, errorsOf(os.MkdirAll(filepath.Dir(dir), 0o700), os.Rename(short, dir)))
	refuses(t, []string{"run"}, dir, exitConfig, says)
	if _, err := os.Stat(filepath.Join(dir, daemon.StoreDir)); err == nil {
		t.Error("a store was made")
	}
	peerdtest.Doctor(t, exitConfig, "--dir", dir).Want(t, "socket", doctor.Fail, says)
}

// TestAFullDiskHasItsCode: a command that the disk has no room for says so, with the code of a start.
func TestAFullDiskHasItsCode(t *testing.T) {
	if !peerdtest.Mountable(t) {
		return
	}
	room := peerdtest.Dir(t)
	if err := syscall.Mount("tmpfs", room, "tmpfs", 0, "size=8m,nr_inodes=30"); err != nil {
		t.Skipf("cannot mount a file system of 30 files: %v", err)
	}
	defer func() { _ = syscall.Unmount(room, syscall.MNT_DETACH) }()
	dir := filepath.Join(room, "a")
	founded(t, dir)
	peerdtest.TakeFiles(t, room)
	for _, args := range slices.Concat(writers()[2:6], [][]string{{"run"}, {"backup", "-o", filepath.Join(room, "b")}}) {
		refuses(t, args, dir, exitDisk, "the disk is full")
	}
	refuses(t, []string{"init"}, filepath.Join(room, "b"), exitDisk, "the disk is full")
	refuses(t, []string{"doctor"}, dir, exitUnexpected, "more files can be made; the last 16 are left alone")
}

// TestASignalEndsAStart, whatever it waits for.
func TestASignalEndsAStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	founded(t, dir)
	document := filepath.Join(dir, "network.json")
	lock := flock.New(document + ".lock") // for which a start waits
	require.NoError(t, lock.Lock())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- command.Execute(ctx, []string{"run", "--dir", dir}, t.Output(), t.Output()) }()
	select {
	case c := <-ended:
		t.Fatalf("code %d, and the document is locked", c)
	case <-time.After(100 * time.Millisecond):
	}
	cancel()
	select {
	case c := <-ended:
		if c != int(exitOK) {
			t.Errorf("code %d, want 0", c)
		}
	case <-time.After(5 * time.Second):
		t.Error("it still waits")
	}
	if err := errorsOf(os.Remove(document), lock.Unlock()); err != nil { // so that what is left behind ends, too
		t.Fatal(err)
	}
}

// TestAServiceIsStartedAgain after a panic, whose code Go chooses, and not after what a restart does not fix.
func TestAServiceIsStartedAgain(t *testing.T) {
	text := require.Value(os.ReadFile("../../deploy/systemd/peerd.service"))(t)
	line := regexp.MustCompile(`\nRestartPreventExitStatus=(.*)\n`).FindStringSubmatch(string(text))
	const panics = 2
	if line == nil || slices.Contains(strings.Fields(line[1]), strconv.Itoa(panics)) {
		t.Errorf("%q has the code of a panic", line)
	}
	for _, c := range []code{exitConfig, exitPrivacy, exitData, exitDisk} {
		if !slices.Contains(strings.Fields(line[1]), strconv.Itoa(int(c))) {
			t.Errorf("%q lacks %d", line, c)
		}
	}
}
