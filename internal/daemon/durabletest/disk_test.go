//go:build linux

package durabletest

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"peerd.dev/internal/daemon"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/node/store"
)

// TestAFullDiskLosesNothing: a store on a file system of 3 MiB.
func TestAFullDiskLosesNothing(t *testing.T) {
	if !peerdtest.Mountable(t) {
		return
	}
	a, rec, dir := onSmallDisk(t, "size=3m", 512<<10)
	s, l, ballast := a.s, a.s.lab, filepath.Join(dir, "ballast")
	taken := fill(a)
	l.await("the log says that the disk is full", time.Minute, func() bool { return strings.Contains(s.log(), "the disk is full") })
	d := s.status()
	code, text := s.get("/readyz")
	if !d.DiskFull || code != http.StatusServiceUnavailable || !strings.Contains(text, "disk is full") {
		t.Errorf("status says %v, readyz %d %s", d.DiskFull, code, text)
	}
	round := s.status().Round
	l.await("rounds go on, since room is left for them", time.Minute, func() bool { return s.status().Round > round+2 })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more"), make([]byte, 600<<10), 0o600))
	time.Sleep(300 * time.Millisecond)
	before := len(rec.received())
	time.Sleep(300 * time.Millisecond)
	if n := len(rec.received()) - before; n > 1 {
		t.Errorf("%d messages left a peer that cannot store anything", n)
	}
	if s.dead() {
		t.Fatalf("the peer has ended: %v\n%s", s.cmd.ProcessState, s.tail())
	}
	t.Logf("%d decisions and rewards until status 507 (%s)", taken, free(t, dir))

	require.NoError(t, errors.Join(os.Remove(ballast), os.Remove(filepath.Join(dir, "more"))))
	l.await("there is room again", time.Minute, func() bool {
		code, _ := s.get("/readyz")
		return code == http.StatusOK
	})
	round = s.status().Round
	l.await("rounds go on", time.Minute, func() bool { return s.status().Round > round+2 })
	for range 50 {
		if !a.try(a.make(.25)) {
			t.Fatal("no answer after there was room")
		}
	}
	t.Logf("room was made: 50 more without a restart (%s)", free(t, dir))
	more := fill(a)
	t.Logf("%d more until it was full again (%s)", more, free(t, dir))
	s.kill()
	s.start(launch{})
	full := func() bool {
		code, text := s.get("/readyz")
		return code == http.StatusOK || strings.Contains(text, "disk is full")
	}
	l.await("an answer of a peer that is killed and started on a full disk", time.Minute, func() bool { return s.dead() || full() })
	if s.dead() {
		t.Fatalf("killed on a full disk, it does not start: %v\n%s", s.cmd.ProcessState, s.tail())
	}
	t.Logf("killed and started on the full disk (%s)", free(t, dir))
	require.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=16m"))
	a.end(t)
	settled(a, rec)
	t.Logf("with more room: all %d that were acknowledged are there, once", len(a.asks))
}

// TestADiskThatOthersFillLosesNothing: another program takes the last byte between two checks of
// the free space, so that a write fails.
func TestADiskThatOthersFillLosesNothing(t *testing.T) {
	if !peerdtest.Mountable(t) {
		return
	}
	a, rec, dir := onSmallDisk(t, "size=3m", 0)
	s := a.s
	for range 200 {
		a.try(a.make(.5))
	}
	ballast := filepath.Join(dir, "ballast")
	_ = os.WriteFile(ballast, make([]byte, 4<<20), 0o600) // as much as there is room for
	t.Logf("filled by another: %s", free(t, dir))
	n, status := 0, 0
	for ; n < 100_000; n++ {
		ask := a.make(.5)
		if !a.decide(ask) {
			a.giveBack(ask)
			break
		}
		if _, status, _ = s.reward(ask.id, ask.value); status != http.StatusOK {
			break
		}
		ask.rewarded = true
	}
	time.Sleep(200 * time.Millisecond)
	if s.dead() {
		if c := s.cmd.ProcessState.ExitCode(); c != store.ExitIO || !strings.Contains(s.tail(), "no space left") {
			t.Errorf("ended with code %d, want %d and the reason:\n%s", c, store.ExitIO, s.tail())
		}
		t.Logf("after %d more the peer ended with code %d, since a write had failed", n, store.ExitIO)
	} else {
		t.Logf("after %d more: status %d", n, status)
		s.kill()
	}
	require.NoError(t, os.Remove(ballast))
	s.start(launch{})
	s.ready()
	a.faults = nil // 507 was one
	a.end(t)
	settled(a, rec)
	t.Logf("with room again: all %d that were acknowledged are there, once", len(a.asks))
}

// TestAFileSystemWithoutFilesLosesNothing: there are bytes, and no more files. Decisions are refused, a start ends at once,
// and with files again all goes on.
func TestAFileSystemWithoutFilesLosesNothing(t *testing.T) {
	if !peerdtest.Mountable(t) {
		return
	}
	a, rec, dir := onSmallDisk(t, "size=64m,nr_inodes=45", 0)
	s := a.s
	for range 20 {
		a.try(a.make(.5))
	}
	remove := peerdtest.TakeFiles(t, dir)
	refused := 0
	for range 50 {
		_, status, text := s.decide(a.make(.5).id)
		if status == http.StatusInsufficientStorage {
			refused++
			if !strings.Contains(text, "no more files") {
				t.Errorf("507 says %s", text)
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	d := s.status()
	if code, text := s.get("/readyz"); refused < 20 || code != http.StatusServiceUnavailable || !strings.Contains(text, "no more files") || !strings.Contains(d.State, "accepts nothing: the disk is full: no more files") {
		t.Errorf("%d of 50 decisions were refused, readyz %d %s, state %s\n%s", refused, code, text, d.State, s.tail())
	}
	s.kill()
	s.start(launch{})
	s.ends(10 * time.Second)
	if c := s.cmd.ProcessState.ExitCode(); c != store.ExitIO || !strings.Contains(s.tail(), "no more files can be made on it") {
		t.Errorf("a start ends with code %d\n%s", c, s.tail())
	}
	remove()
	s.start(launch{})
	s.ready()
	a.end(t)
	settled(a, rec)
}

// onSmallDisk starts a peer whose store is on a small file system, with ballast of as many bytes, and returns its application, its
// neighbour and the path of its store.
func onSmallDisk(t *testing.T, size string, ballast int) (*app, *recorder, string) {
	t.Helper()
	l := newLab(t, 2)
	s, rec := l.sites[0], l.sites[1].record()
	dir := filepath.Join(s.dir, daemon.StoreDir)
	require.NoError(t, os.Mkdir(dir, 0o700))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, size); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	if ballast > 0 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, ballast), 0o600))
	}
	s.start(launch{})
	s.ready()
	return &app{s: s, stop: make(chan struct{})}, rec, dir
}

// fill asks and rewards until the peer reports that the disk is full, and returns how often it
// could. The last reward is accepted: its room was reserved.
func fill(a *app) (taken int) {
	for ; ; taken++ {
		ask := a.make(.5)
		d, status, text := a.s.decide(ask.id)
		if status == http.StatusOK {
			ask.decided, ask.action = true, d.Action
			if _, status, text = a.s.reward(ask.id, ask.value); status != http.StatusOK {
				a.s.Fatalf("reward of %s: %d %s", ask.id, status, text)
			}
			ask.rewarded = true
		}
		switch status {
		case http.StatusOK:
		case http.StatusInsufficientStorage:
			if !strings.Contains(text, "disk is full") {
				a.s.Errorf("507 says %s", text)
			}
			return taken
		default:
			a.s.Fatalf("%s: %d %s\n%s", ask.id, status, text, a.s.tail())
		}
	}
}

// free returns how much room there is.
func free(t *testing.T, dir string) string {
	t.Helper()
	var f syscall.Statfs_t
	require.NoError(t, syscall.Statfs(dir, &f))
	return fmt.Sprintf("%d of %d kB free", int64(f.Bavail)*f.Bsize/1000, int64(f.Blocks)*f.Bsize/1000)
}
