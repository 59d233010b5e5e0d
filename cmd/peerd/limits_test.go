//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"peerd.dev/internal/command"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/extra/doctor"
	"peerd.dev/internal/peerdtest"
)

// TestALimitOfFilesIsNoFaultOfTheDisk: a process that may not write larger files says whose limit that is, with the code of a
// write that failed, and doctor has it in a row.
func TestALimitOfFilesIsNoFaultOfTheDisk(t *testing.T) {
	if c := command.CodeOf(command.Coded(fmt.Errorf("store: %w", &os.PathError{Op: "write", Path: "x", Err: syscall.EFBIG}))); c != exitDisk {
		t.Errorf("code %d", c)
	}
	dir := aStoppedSite(t)
	for _, c := range []struct {
		limit, command string
		want           code
		says           string
	}{{"-f 4", "run", exitDisk, "This process may not write larger files: raise the limit (ulimit -f, LimitFSIZE of a unit)"}, {"-f 64", "doctor", exitOK, "no file can be larger than"}, {"-n 64", "doctor", exitOK, "LimitNOFILE"}} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf(`ulimit %s; exec "$0" %s --dir "$1"`, c.limit, c.command), os.Args[0], dir)
		cmd.Env = append(os.Environ(), peerdtest.BeProcess+"=1")
		out, err := cmd.CombinedOutput()
		if got := code(cmd.ProcessState.ExitCode()); got != c.want || !strings.Contains(string(out), c.says) || strings.Contains(string(out), "Check the disk") {
			t.Errorf("ulimit %s, %s: code %d (%v):\n%s", c.limit, c.command, got, err, out)
		}
	}
	peerdtest.Doctor(t, exitOK, "--dir", dir).Want(t, "limits", doctor.Pass, "of any size")
}

// TestDoctorNamesAnAddressThatTheMachineHasNot: others dial what no interface has, which only a router can forward.
func TestDoctorNamesAnAddressThatTheMachineHasNot(t *testing.T) {
	for addr, says := range map[string]string{"/ip4/192.0.2.7/tcp/8471": "right only behind a router that forwards", "/dns4/a.example/tcp/8471": "this command knows of none that did"} {
		dir := filepath.Join(t.TempDir(), "a")
		does(t, "init", "--dir", dir, "--set", "arms=red,green", "--set", "privacy.epsilon=1", "--set", "listen=/ip4/0.0.0.0/tcp/8471")
		does(t, "network", "new", "--dir", dir, "--name", "t", "--peer", "a", "--addr", addr)
		_, stdout, stderr := peerd(t, "doctor", "--dir", dir)
		if !strings.Contains(stdout, says) {
			t.Errorf("%s: %s%s", addr, stdout, stderr)
		}
	}
}

// TestAStoreThatIsNoFolderIsDamage: with the code and the way out of other damage.
func TestAStoreThatIsNoFolderIsDamage(t *testing.T) {
	dir := aStoppedSite(t)
	at := filepath.Join(dir, daemon.StoreDir)
	if err := errorsOf(os.RemoveAll(at), os.WriteFile(at, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	refuses(t, []string{"run"}, dir, exitDisk, "the store is damaged: "+at+" is no folder")
	refuses(t, []string{"ledger", "show"}, dir, exitDisk, "peerd recover --dir")
}
