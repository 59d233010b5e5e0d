package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// network is two real peers, of which the first is measured.
type network struct {
	exe   string
	dir   string
	addr  string // of the first one's API
	token string
	peers []*exec.Cmd
	leash []io.Closer
}

// newNetwork makes the folders of a network whose peers have settings, in the form of peerd init
// --set, in addition to those that all networks here have.
func newNetwork(exe, dir string, settings ...string) (*network, error) {
	n := &network{exe: exe, dir: dir}
	var members, ports []string
	for range 3 {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // after the loop, so that the ports differ
		ports = append(ports, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	n.addr = "127.0.0.1:" + ports[2]
	for i := range 2 {
		own := filepath.Join(dir, fmt.Sprint("s", i))
		listen := "/ip4/127.0.0.1/tcp/" + ports[i]
		set := append([]string{
			"privacy.epsilon=1", "privacy.horizon=100000",
			"rounds.every=1s", "api.window=10m", "listen=[" + listen + "]", "network=" + filepath.Join(dir, "network.yaml"), "log.level=warn",
		}, settings...)
		if i == 0 {
			set = append(set, "api.listen="+n.addr)
		}
		args := []string{"init", "--dir", own, "--json"}
		for _, s := range set {
			args = append(args, "--set", s)
		}
		out, err := exec.Command(exe, args...).Output()
		if err != nil {
			return nil, fmt.Errorf("peerd init: %w", err)
		}
		var made struct{ ID string }
		if err := json.Unmarshal(out, &made); err != nil {
			return nil, err
		}
		members = append(members, fmt.Sprintf("  - {name: s%d, id: %s, addrs: [%s]}\n", i, made.ID, listen))
	}
	text := fmt.Sprintf("name: load\nstart: %s\nevery: 1s\nlinks: [[0, 1]]\npeers:\n%s", time.Now().UTC().Format(time.RFC3339), strings.Join(members, ""))
	return n, os.WriteFile(filepath.Join(dir, "network.yaml"), []byte(text), 0o600)
}

// start starts the peers once the ports are free again.
func (n *network) start() error {
	n.peers, n.leash = make([]*exec.Cmd, 2), make([]io.Closer, 2)
	for i := range n.peers {
		if err := n.run(i); err != nil {
			return err
		}
	}
	if err := n.ready(); err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(n.dir, "s0", "api.token"))
	n.token = string(b)
	return err
}

func (n *network) run(i int) (err error) {
	cmd := exec.Command(n.exe, "run", "--leash", "-c", filepath.Join(n.dir, fmt.Sprint("s", i), "peerd.yaml"))
	cmd.Stderr = os.Stderr
	if n.leash[i], err = cmd.StdinPipe(); err != nil {
		return err
	}
	n.peers[i] = cmd
	return cmd.Start()
}

// ready waits until the first peer decides and releases.
func (n *network) ready() error {
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		res, err := http.Get("http://" + n.addr + "/readyz")
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		if time.Now().After(end) {
			return errors.Join(errors.New("the peer is not ready"), err)
		}
	}
}

// restart kills the first peer and returns how long it takes until it is ready again, and how
// many decisions wait for their rewards.
func (n *network) restart() (took time.Duration, waiting uint64, err error) {
	_ = n.peers[0].Process.Kill()
	_ = n.peers[0].Wait() // returns an error because it was killed
	begin := time.Now()
	if err = errors.Join(n.run(0), n.ready()); err != nil {
		return 0, 0, err
	}
	took = time.Since(begin)
	req, err := http.NewRequest(http.MethodGet, "http://"+n.addr+"/v1/status", nil)
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Authorization", "Bearer "+n.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = res.Body.Close() }()
	var status struct{ Pending uint64 }
	err = json.NewDecoder(res.Body).Decode(&status)
	return took, status.Pending, err
}

func (n *network) stop() error {
	var errs []error
	for i, cmd := range n.peers {
		_ = n.leash[i].Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		errs = append(errs, cmd.Wait())
		stop()
		cancel()
	}
	return errors.Join(errs...)
}

// request returns a request whose body is written in parts, of which the last may be shared with
// other requests.
func (n *network) request(path, body string, rest ...[]byte) [][]byte {
	length := len(body)
	for _, part := range rest {
		length += len(part)
	}
	head := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, n.addr, n.token, length, body)
	return append([][]byte{head}, rest...)
}

// prepare makes the decisions of ids, a thousand at a time.
func (n *network) prepare(ids []string) error {
	type ask struct {
		ID      string `json:"id"`
		Subject string `json:"subject"`
	}
	for len(ids) > 0 {
		part := ids[:min(1000, len(ids))]
		ids = ids[len(part):]
		var asks []ask
		for _, id := range part {
			asks = append(asks, ask{id, id})
		}
		body, err := json.Marshal(map[string]any{"decisions": asks})
		if err != nil {
			return err
		}
		req, err := http.NewRequest(http.MethodPost, "http://"+n.addr+"/v1/decisions/batch", bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+n.token)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("decisions: %s %.200s %w", res.Status, b, err)
		}
	}
	return nil
}

// cpu returns the seconds of CPU that the first peer has used.
func (n *network) cpu() float64 { return usedCPU(n.peers[0].Process.Pid) }

// usedCPU returns the seconds of CPU that a process has used.
func usedCPU(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0 // not Linux
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return (user + system) / 100 // a tick is 10 ms
}
