package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/terminal"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/api"
	"peerd.dev/node/store"
)

const (
	syncs     = 100
	syncBytes = 300              // about as many as a step's
	syncLimit = 10 * time.Second // for all of them
	slowSync  = 20 * time.Millisecond

	largeFile = 1 << 30 // bytes
	openFiles = 256

	maxDrift = 20 * time.Millisecond // between wall clock and monotonic clock in a test of a second or so
	future   = time.Minute           // how far a file may be ahead of the clock
	farAway  = 24 * time.Hour        // for a network's start
)

// folder checks the peer's folder. Without one, nothing else can be checked.
func (d *doctor) folder() bool {
	dir := d.c.Dir
	if err := daemon.FindDir(dir); err != nil {
		d.fail(config.ErrRefused, "folder", "peerd init --dir "+terminal.Quote(dir), "%v", err)
		return false
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		d.fail(config.ErrUnexpected, "folder", "run this as the user that the peer runs as", "%v", err)
		return false
	case !info.IsDir():
		d.fail(config.ErrUnexpected, "folder", "name the peer's folder with --dir", "%s is a file", dir)
		return false
	}
	uid := daemon.OwnerOf(info)
	switch mode := info.Mode().Perm(); {
	case mode&0o077 != 0:
		d.fail(config.ErrRefused, "folder", "chmod 700 "+terminal.Quote(dir), "%s has mode %04o and is open to others than its owner", dir, mode)
	case uid != os.Geteuid():
		d.warn("folder", fmt.Sprintf("run the peer, and this, as user %d", uid), "%s belongs to user %d, and this runs as user %d", dir, uid, os.Geteuid())
	default:
		d.pass("folder", "%s, mode %04o", dir, mode)
	}
	return true
}

// socket checks that the API's socket can be made. Without it no peer runs here.
func (d *doctor) socket() bool {
	if err := api.CheckDir(d.c.Dir); err != nil {
		d.fail(config.ErrRefused, "socket", "move the folder", "%v", err)
		return false
	}
	d.pass("socket", "its path is short enough")
	return true
}

// secrets checks the files that others must not read.
func (d *doctor) secrets() {
	if d.c.Mode == config.Lockstep {
		d.pass("key", "comes from the seed in lockstep, which protects no one")
	} else if d.private("key", d.c.IdentityPath(), 0o600, "restore it from a backup; without one, begin with a new folder: peerd init --dir "+terminal.Quote(d.c.Dir+"-2")) {
		if id, err := d.c.Identity(); err != nil {
			d.fail(config.ErrUnexpected, "key", "restore it from a backup; with another key this is another peer", "%v", err)
		} else if _, err = d.c.LedgerIdentity(); err != nil {
			d.fail(config.ErrUnexpected, "first key", "restore it from a backup; the ledger names it", "%v", err)
		} else {
			d.pass("key", "of %s", id.ID())
		}
	}
	for _, name := range api.TokenFiles() {
		if d.private(name, filepath.Join(d.c.Dir, name), 0o600, "") {
			d.pass(name, "of the API, for its owner alone")
		}
	}
	if d.private("store", filepath.Join(d.c.Dir, daemon.StoreDir), 0o700, "") {
		d.pass("store", "for its owner alone")
	}
}

// private reports whether a file exists and only its owner can reach it, and adds a finding if
// not. A missing file without a remedy is not a finding.
func (d *doctor) private(check, path string, mode fs.FileMode, missing string) bool {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && missing == "":
		d.pass(check, "none yet; the peer makes one when it needs it")
		return false
	case errors.Is(err, fs.ErrNotExist):
		d.fail(config.ErrUnexpected, check, missing, "%s is not there", path)
		return false
	case err != nil:
		d.fail(config.ErrUnexpected, check, "run this as the user that the peer runs as", "%v", err)
		return false
	case info.IsDir() != (mode&0o100 != 0) || info.Mode()&(fs.ModeIrregular|fs.ModeSymlink) != 0:
		d.fail(config.ErrUnexpected, check, "move it away", "%s is something else: %v", path, info.Mode())
		return false
	case info.Mode().Perm()&^mode != 0:
		d.fail(config.ErrUnexpected, check, fmt.Sprintf("chmod %o %s; others may have read it", mode, terminal.Quote(path)), "%s has mode %04o, want %04o", path, info.Mode().Perm(), mode)
		return false
	}
	owner := daemon.OwnerOf(info)
	if dir, err := os.Stat(d.c.Dir); err == nil {
		if uid := daemon.OwnerOf(dir); uid != owner {
			d.fail(config.ErrUnexpected, check, fmt.Sprintf("chown -R %d %s", uid, terminal.Quote(d.c.Dir)), "%s belongs to user %d, its folder to user %d", path, owner, uid)
			return false
		}
	}
	return true
}

// clock compares the wall clock with other times that are known.
func (d *doctor) clock() {
	const remedy = "set the clock and keep NTP running"
	now := time.Now()
	text := now.Format(time.RFC3339)
	if now.Year() < 2020 {
		d.fail(config.ErrUnexpected, "clock", remedy, "it says %s", text)
		return
	}
	for _, name := range []string{config.FileName, filepath.Base(d.c.IdentityPath()), daemon.StoreDir, "lock", api.TokenFile} {
		if info, err := os.Stat(filepath.Join(d.c.Dir, name)); err == nil && info.ModTime().Sub(now) > future {
			d.warn("clock", remedy, "it shows %s, but %s was written at %s: it was set back", text, name, info.ModTime().Format(time.RFC3339))
			return
		}
	}
	if n, err := config.ReadNetwork(d.c.NetworkPath()); err == nil {
		switch wait := n.Start.Sub(now); {
		case wait > farAway:
			d.warn("clock", remedy+", or wait", "it shows %s, and the network starts at %s", text, n.Start.Format(time.RFC3339))
			return
		case wait > 0:
			d.pass("clock", "%s; the network starts in %v", text, wait.Round(time.Second))
			return
		}
	}
	d.pass("clock", "%s", text)
}

// disk checks room and speed, and at the same time the clock's pace.
func (d *doctor) disk() {
	d.room()
	d.limits()
	began := time.Now()
	took, err := syncTimes(d.c.Dir)
	ended := time.Now()
	if err != nil {
		d.fail(config.ErrUnexpected, "disk", "check the disk first", "%v", err)
		return
	}
	slices.Sort(took)
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	const text = "%d synced writes of %d bytes: p50 %v, p99 %v"
	args := []any{len(took), syncBytes, p50.Round(time.Microsecond), p99.Round(time.Microsecond)}
	if p99 > slowSync {
		d.warn("disk", "every answer of the API waits for a sync: use a faster disk, or expect this latency", text, args...)
	} else {
		d.pass("disk", text, args...)
	}
	elapsed := ended.Sub(began) // by the monotonic clock
	if drift := (ended.Round(0).Sub(began.Round(0)) - elapsed).Abs(); drift > maxDrift {
		d.warn("clock", "see what sets it: rounds hang on it", "it was moved by %v in %v", drift.Round(time.Millisecond), elapsed.Round(time.Millisecond))
	}
}

// room compares the free space with what the store keeps free.
func (d *doctor) room() {
	x, err := store.SpaceOf(d.c.Dir)
	if err != nil {
		d.warn("space", "", "the system does not say how much is free: %v", err)
		return
	}
	bytes, files := x.Reserve(d.c.Store.Reserve << 20)
	text := fmt.Sprintf("%s free; the last %s are left alone", columns.Bytes(x.FreeBytes), columns.Bytes(bytes))
	if x.FreeFiles < 4*files {
		text = fmt.Sprintf("%d more files can be made; the last %d are left alone, and %s are free", x.FreeFiles, files, columns.Bytes(x.FreeBytes))
	}
	switch {
	case x.FreeBytes < bytes || x.FreeFiles < files:
		d.fail(config.ErrUnexpected, "space", "make room: with so little nothing is taken in", "%s", text)
	case x.FreeBytes < 4*bytes || x.FreeFiles < 4*files:
		d.warn("space", "make room", "%s", text)
	default:
		d.pass("space", "%s", text)
	}
}

// limits looks at what this process may use; a unit or a container may give the peer less.
func (d *doctor) limits() {
	files, size, err := store.Limits()
	switch {
	case err != nil:
	case size < largeFile:
		d.warn("limits", store.LargerFiles, "no file can be larger than %s, which the store's become", columns.Bytes(size))
	case files < openFiles:
		d.warn("limits", "raise the limit (ulimit -n, LimitNOFILE of a unit)", "%d files can be open", files)
	default:
		d.pass("limits", "%d files can be open, of any size", files)
	}
}

// syncTimes measures how long it takes to make some bytes durable.
func syncTimes(dir string) (took []time.Duration, err error) {
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	b := make([]byte, syncBytes)
	for end := time.Now().Add(syncLimit); len(took) < syncs && (len(took) == 0 || time.Now().Before(end)); {
		began := time.Now()
		if _, err := f.Write(b); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}
