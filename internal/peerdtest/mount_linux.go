package peerdtest

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// inNamespace marks a process that may mount.
const inNamespace = "LAB_NAMESPACE"

// Mountable runs the calling test again in a process that may mount file systems that no other
// process sees, and reports whether this is that process.
func Mountable(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inNamespace) != "" {
		if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
			t.Fatal(err)
		}
		return true
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, BeProcess+"=") }), inNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err = cmd.Start(); err != nil {
		t.Skipf("this machine lets no test mount a small file system: %v", err)
	}
	err = cmd.Wait()
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "===") && line != "PASS" {
			t.Log(line)
		}
	}
	if err != nil {
		t.Error(err)
	}
	return false
}
