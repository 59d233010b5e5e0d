//go:build linux && amd64

package durabletest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"peerd.dev/internal/daemon"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
)

// Environment of the tracer.
const (
	tracerAt    = "LAB_TRACE_AT"    // the call before which to kill, from 1; 0 for none
	tracerFail  = "LAB_TRACE_FAIL"  // instead of killing, make the sync with that number fail
	tracerDir   = "LAB_TRACE_DIR"   // only calls on files in it, and on its watermark, count
	tracerCalls = "LAB_TRACE_CALLS" // file for the names of the calls that count
)

// traced is a launch under the tracer. strace could do it, but counts by thread, and so cannot
// identify every call of a Go program.
func traced(s *labSite, at int) launch {
	exe := require.Value(os.Executable())(s)
	return launch{
		wrap: []string{
			"env", "-u", peerdtest.BeProcess, tracerAt + "=" + strconv.Itoa(at), tracerDir + "=" + filepath.Join(s.dir, daemon.StoreDir),
			tracerCalls + "=" + s.callsPath(), exe, "-test.run=^TestTracer$",
		},
		env: []string{"GOMAXPROCS=1"}, // few threads, so that runs are alike
	}
}

// failing is a launch in which a sync of the store, by its number, fails with EIO.
func failing(s *labSite, at int) launch {
	o := traced(s, at)
	o.wrap = slices.Insert(o.wrap, 3, tracerFail+"=1")
	return o
}

// failedPath is a file that shows when a sync failed.
func failedPath(dir string) string { return filepath.Join(dir, "failed") }

func (s *labSite) callsPath() string { return filepath.Join(s.lab.dir, "calls") }

// calls returns the calls that counted in the last traced run.
func (s *labSite) calls() []string {
	b := require.Value(os.ReadFile(s.callsPath()))(s)
	return strings.Fields(string(b))
}

// TestTracer is not a test but the tracer: it runs the command in its arguments and kills it just
// before one of its calls.
func TestTracer(t *testing.T) {
	at, err := strconv.Atoi(os.Getenv(tracerAt))
	if err != nil {
		t.Skip("not a test")
	}
	t.Setenv(peerdtest.BeProcess, "1")
	runtime.LockOSThread() // ptrace knows threads
	r := tracer{at: at, dir: os.Getenv(tracerDir), fail: os.Getenv(tracerFail) != ""}
	err = r.run(flag.Args())
	require.NoError(t, errors.Join(err, os.WriteFile(os.Getenv(tracerCalls), []byte(strings.Join(r.calls, "\n")), 0o600)))
	if r.status.Exited() {
		os.Exit(r.status.ExitStatus())
	}
}

type tracer struct {
	at     int
	dir    string
	fail   bool
	failed int // thread in whose call it is
	pid    int
	calls  []string // the calls that counted
	status syscall.WaitStatus
}

const (
	waitAll     = 0x40000000 // __WALL
	exitKill    = 0x100000   // PTRACE_O_EXITKILL
	traceTrap   = syscall.SIGTRAP | 0x80
	traceEvents = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK | syscall.PTRACE_O_TRACEVFORK
)

func (r *tracer) run(line []string) error {
	p, err := os.StartProcess(line[0], line, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return err
	}
	r.pid = p.Pid
	var ws syscall.WaitStatus
	if _, err = syscall.Wait4(r.pid, &ws, waitAll, nil); err != nil {
		return err
	}
	if err = syscall.PtraceSetOptions(r.pid, traceEvents|exitKill); err != nil {
		return err
	}
	if err = syscall.PtraceSyscall(r.pid, 0); err != nil {
		return err
	}
	known := map[int]bool{r.pid: true}
	for {
		tid, err := syscall.Wait4(-1, &ws, waitAll, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if ws.Exited() || ws.Signaled() {
			if tid == r.pid {
				r.status = ws
				return nil
			}
			continue
		}
		deliver := 0
		switch sig := ws.StopSignal(); {
		case sig == traceTrap:
			r.call(tid)
		case sig == syscall.SIGTRAP:
		case sig == syscall.SIGSTOP && !known[tid]: // a new thread
		default:
			deliver = int(sig)
		}
		known[tid] = true
		_ = syscall.PtraceSyscall(tid, deliver) // it may be dead by now
	}
}

// call handles the beginning or the end of a call. At the beginning of the requested call it
// kills the process, so that the call does not happen.
func (r *tracer) call(tid int) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) != nil {
		return
	}
	if tid == r.failed {
		r.failed = 0
		eio := -int64(syscall.EIO)
		regs.Rax = uint64(eio)
		_ = syscall.PtraceSetRegs(tid, &regs)
		return
	}
	if int64(regs.Rax) != -int64(syscall.ENOSYS) {
		return // its end
	}
	name, path := "", ""
	switch regs.Orig_rax {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64, syscall.SYS_WRITEV, syscall.SYS_FSYNC, syscall.SYS_FDATASYNC,
		syscall.SYS_FTRUNCATE, syscall.SYS_FALLOCATE, syscall.SYS_SYNC_FILE_RANGE:
		name = fmt.Sprint("fd", regs.Orig_rax)
		path, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", r.pid, regs.Rdi))
	case syscall.SYS_OPENAT:
		if regs.Rdx&syscall.O_CREAT != 0 {
			name, path = "create", r.text(tid, regs.Rsi)
		}
	case syscall.SYS_RENAMEAT, sysRenameAt2:
		name, path = "rename", r.text(tid, regs.R10)
	case syscall.SYS_UNLINKAT, syscall.SYS_MKDIRAT:
		name, path = "entry", r.text(tid, regs.Rsi)
	case syscall.SYS_RENAME:
		name, path = "rename", r.text(tid, regs.Rsi)
	case syscall.SYS_UNLINK, syscall.SYS_MKDIR:
		name, path = "entry", r.text(tid, regs.Rdi)
	}
	if path != r.dir && !strings.HasPrefix(path, r.dir+"/") && !strings.HasPrefix(path, r.dir+".watermark") {
		return
	}
	if i := slices.Index(fdCalls(), name); i >= 0 {
		name = fdCalls()[i+1]
	}
	if r.fail && !strings.HasSuffix(name, "sync") {
		return
	}
	r.calls = append(r.calls, name+":"+filepath.Base(path))
	switch {
	case len(r.calls) != r.at:
	case r.fail:
		r.failed = tid
		_ = os.WriteFile(failedPath(filepath.Dir(r.dir)), []byte(time.Now().Format(time.RFC3339Nano)), 0o600)
		regs.Orig_rax = ^uint64(0) // no call
		_ = syscall.PtraceSetRegs(tid, &regs)
	default:
		_ = syscall.Kill(r.pid, syscall.SIGKILL)
	}
}

const sysRenameAt2 = 316

// fdCalls names the calls on open files, by number.
func fdCalls() []string {
	return []string{
		"fd1", "write", "fd18", "pwrite", "fd20", "writev", "fd74", "fsync", "fd75", "fdatasync",
		"fd77", "truncate", "fd285", "allocate", "fd277", "syncrange",
	}
}

// text reads a string of the process.
func (r *tracer) text(tid int, addr uint64) string {
	b := make([]byte, 512)
	n, err := syscall.PtracePeekData(tid, uintptr(addr), b)
	if err != nil {
		return ""
	}
	s, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(s)
}
