package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

// startBare starts this program as a bare server.
func startBare(kind, dir string) (server, func() error, error) {
	exe, err := os.Executable()
	if err != nil {
		return server{}, nil, err
	}
	cmd := exec.Command(exe, "-bare", kind, "-dir", dir)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return server{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return server{}, nil, err
	}
	stop := func() error { return errors.Join(in.Close(), cmd.Wait()) }
	var addr string
	if _, err := fmt.Fscanln(out, &addr); err != nil {
		return server{}, nil, errors.Join(err, stop())
	}
	return server{addr, func() float64 { return usedCPU(cmd.Process.Pid) }}, stop, nil
}

// serveBare answers every request once it has read its body and, if it writes, appended and
// synced 300 bytes. Its answers are as long as those to decisions or rewards.
func serveBare(kind, dir string) error {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	answer, keep := bytes.Repeat([]byte(" "), 190), func() error { return nil }
	if kind == "write" {
		f, err := os.Create(filepath.Join(dir, "bare"))
		if err != nil {
			return err
		}
		g := &group{f: f}
		g.more.L = &g.mu
		go g.run()
		answer, keep = answer[:60], g.append
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:gosec // without timeouts, as it has one client
		_, err := io.Copy(io.Discard, r.Body)
		if err = errors.Join(err, keep()); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	}))
}

// A group syncs the appends of many requests together.
type group struct {
	f    *os.File
	mu   sync.Mutex
	more sync.Cond
	buf  []byte
	wait []chan error
}

func (g *group) append() error {
	done := make(chan error, 1)
	g.mu.Lock()
	g.buf = append(g.buf, make([]byte, 300)...)
	g.wait = append(g.wait, done)
	g.mu.Unlock()
	g.more.Signal()
	return <-done
}

func (g *group) run() {
	for {
		g.mu.Lock()
		for len(g.wait) == 0 {
			g.more.Wait()
		}
		buf, wait := g.buf, g.wait
		g.buf, g.wait = nil, nil
		g.mu.Unlock()
		_, err := g.f.Write(buf)
		err = errors.Join(err, syncData(g.f))
		for _, done := range wait {
			done <- err
		}
	}
}
