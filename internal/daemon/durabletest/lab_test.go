//go:build unix

package durabletest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/ports"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/protocol"
)

// A lab is a network on this machine. Some of its peers are real processes that tests kill, stop,
// copy and restore; others are hosts in the test that record everything that they receive.
type lab struct {
	*testing.T
	dir   string
	net   *config.Network
	sites []*labSite

	features [][]float64 // of every decision; nil for learners without features
}

// labBase are the settings of every peer of a lab, which a test may override.
func labBase() map[string]string {
	return map[string]string{
		"arms": "[a, b, c]", "privacy.epsilon": "1", "privacy.horizon": "1000000",
		"protocol.name": "rows", "protocol.rows.every": "5", "protocol.rows.pull": "5",
		"rounds.every": "10ms", "api.settle": "arrival", "log.format": "text", "privacy.mechanism": "tree", // which vaults read
	}
}

// newLab makes a network of n peers on a line, with changes to labBase given as keys and values
// in turn.
func newLab(t *testing.T, n int, changes ...string) *lab {
	t.Helper()
	l := &lab{T: t, dir: peerdtest.Dir(t)}
	l.lay(n, changes)
	return l
}

func (l *lab) lay(n int, changes []string) {
	l.Helper()
	values := labBase()
	for k, v := range peerdtest.Pairs(changes) {
		values[k] = v
	}
	every := require.Value(time.ParseDuration(values["rounds.every"]))(l)
	free := require.Value(ports.Free(n))(l)
	l.net = &config.Network{Name: "lab", Start: time.Now(), Every: every}
	for i := range n {
		s := &labSite{lab: l, i: protocol.Peer(i), dir: filepath.Join(l.dir, fmt.Sprint("s", i))}
		s.client = dialer(filepath.Join(s.dir, "peerd.sock"))
		l.sites = append(l.sites, s)
		id := require.Value(gossip.CreateIdentity(filepath.Join(s.mkdir(), "identity.key")))(l)
		addr := fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", free[i])
		own := map[string]string{"dir": s.dir, "network": filepath.Join(l.dir, "network.yaml"), "listen": "[" + addr + "]"}
		for k, v := range values {
			own[k] = v
		}
		require.NoError(l, os.WriteFile(s.config(), []byte(plan.Schema().Text("A lab.\n", own)), 0o600))
		l.net.Peers = append(l.net.Peers, config.Member{Name: fmt.Sprint("s", i), ID: id.ID(), Addrs: []string{addr}})
		if i > 0 {
			l.net.Links = append(l.net.Links, [2]int{i - 1, i})
		}
	}
	l.writeNetwork()
}

func (l *lab) writeNetwork() {
	l.Helper()
	require.NoError(l, config.WriteNetwork(filepath.Join(l.dir, "network.yaml"), l.net))
}

// A labSite is one peer of a lab and, while it runs, its process.
type labSite struct {
	*lab
	i      protocol.Peer
	dir    string
	client *http.Client

	cmd   *exec.Cmd
	began time.Time
	leash io.Closer
	gone  chan struct{} // closed when the process has ended
}

func (s *labSite) mkdir() string {
	s.Helper()
	require.NoError(s, os.MkdirAll(s.dir, 0o700))
	return s.dir
}

func (s *labSite) config() string { return filepath.Join(s.dir, config.FileName) }

func (s *labSite) logPath() string { return filepath.Join(s.lab.dir, filepath.Base(s.dir)+".log") }

// A launch says how to start a peer.
type launch struct {
	exe  string   // the program; the tests' own binary if empty
	env  []string // in addition to the usual environment
	wrap []string // command that runs the peer
	args []string // additional ones
}

// start starts the peer's process. Its output goes to the end of its log.
func (s *labSite) start(o launch) {
	s.Helper()
	exe := o.exe
	if exe == "" {
		var err error
		if exe, err = os.Executable(); err != nil {
			s.Fatal(err)
		}
	}
	log := require.Value(os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))(s)
	defer func() { _ = log.Close() }()
	line := slices.Concat(o.wrap, []string{exe, "run", "--leash", "-c", s.config(), "--set", "dir=" + s.dir}, o.args)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(withoutSettings(), o.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal does not reach it
	leash := require.Value(cmd.StdinPipe())(s)
	s.began = time.Now()
	require.NoError(s, cmd.Start())
	gone := make(chan struct{})
	s.cmd, s.leash, s.gone = cmd, leash, gone
	go func() {
		_ = cmd.Wait()
		close(gone)
	}()
	s.Cleanup(func() {
		_ = leash.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-gone
	})
}

// dialer returns a client of the API behind a socket.
func dialer(name string) *http.Client {
	return &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", name)
		},
	}}
}

// withoutSettings returns the environment without settings: a site's settings are in its file.
func withoutSettings() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "PEERD_") && !strings.HasPrefix(e, "PEERD_DATA=")
	})
}

// kill ends the process, and its wrapper, at once.
func (s *labSite) kill() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.gone
}

// stop ends the process cleanly.
func (s *labSite) stop() {
	s.Helper()
	_ = s.leash.Close()
	s.ends(time.Minute)
	if c := s.cmd.ProcessState.ExitCode(); c != 0 {
		s.Fatalf("peer %d ended with code %d\n%s", s.i, c, s.tail())
	}
}

// ends waits for the end of the process.
func (s *labSite) ends(patience time.Duration) {
	s.Helper()
	select {
	case <-s.gone:
	case <-time.After(patience):
		s.Fatalf("peer %d still runs after %v\n%s", s.i, patience, s.tail())
	}
}

// dead reports whether the process has ended.
func (s *labSite) dead() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

func (s *labSite) log() string {
	b, _ := os.ReadFile(s.logPath())
	return string(b)
}

// tail returns the end of the log.
func (s *labSite) tail() string {
	log := s.log()
	return log[max(0, len(log)-4000):]
}

// get sends a request and returns the status and the text of the answer; the status is 0 if there
// is none.
func (s *labSite) get(path string) (int, string) {
	res, err := s.client.Get("http://peer" + path)
	return answerOf(res, err)
}

func answerOf(res *http.Response, err error) (int, string) {
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(b)
}

// post sends a document.
func (s *labSite) post(path string, doc any) (int, string) {
	b, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	res, err := s.client.Post("http://peer"+path, "application/json", bytes.NewReader(b))
	return answerOf(res, err)
}

// The documents of the API that tests read.
type (
	labDecision struct {
		ID       string `json:"id"`
		Action   string `json:"action"`
		Counted  bool   `json:"counted"`
		Kept     bool   `json:"kept"`
		Repeated bool   `json:"repeated"`
	}
	labReceipt struct {
		ID        string `json:"id"`
		Duplicate bool   `json:"duplicate"`
		Counted   bool   `json:"counted"`
	}
)

// labAsk asks for a decision.
type labAsk struct {
	ID       string      `json:"id"`
	Features [][]float64 `json:"features,omitempty"`
}

// decide asks for a decision.
func (s *labSite) decide(id string) (d labDecision, status int, text string) {
	status, text = s.post("/v1/decisions", labAsk{id, s.features})
	if status == http.StatusOK {
		d = parsed[labDecision](text)
	}
	return d, status, text
}

// reward reports a reward.
func (s *labSite) reward(id string, value float64) (r labReceipt, status int, text string) {
	status, text = s.post("/v1/rewards", map[string]any{"id": id, "value": value})
	if status == http.StatusOK {
		r = parsed[labReceipt](text)
	}
	return r, status, text
}

func parsed[T any](text string) (doc T) {
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		panic(fmt.Sprintf("%v in %s", err, text))
	}
	return doc
}

// status returns the peer's state.
func (s *labSite) status() api.Status {
	s.Helper()
	code, text := s.get("/v1/status")
	if code != http.StatusOK {
		s.Fatalf("status: %d %s\n%s", code, text, s.tail())
	}
	return parsed[api.Status](text)
}

// await waits until cond is true.
func (l *lab) await(what string, patience time.Duration, cond func() bool) {
	l.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			for _, s := range l.sites {
				if s.cmd != nil {
					l.Logf("peer %d:\n%s", s.i, s.tail())
				}
			}
			l.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// ready waits until the peer decides and releases, and returns how long that took
// from the start of its process.
func (s *labSite) ready() time.Duration {
	s.Helper()
	s.await(fmt.Sprintf("peer %d is ready", s.i), 60*time.Second, func() bool {
		if s.dead() {
			s.Fatalf("peer %d has ended: %v\n%s", s.i, s.cmd.ProcessState, s.tail())
		}
		code, _ := s.get("/readyz")
		return code == http.StatusOK
	})
	return time.Since(s.began)
}

// settings returns the peer's settings.
func (s *labSite) settings() *config.Settings {
	s.Helper()
	c := require.Value(plan.Schema().Load(s.config(), []string{"dir=" + s.dir}))(s)
	return &c.Settings
}

// peerd runs a command of the program on the peer's folder.
func (s *labSite) peerd(args ...string) (command.Code, string) {
	var out bytes.Buffer
	c := command.Execute(s.Context(), append(args, "--dir", s.dir), &out, &out)
	return command.Code(c), out.String()
}

// A recorder is a peer that keeps everything that it receives. It answers only what links need.
type recorder struct {
	host *gossip.Host
	stop chan struct{}
	done chan struct{}

	mu     sync.Mutex
	all    []protocol.Delivery
	values map[recordKey][]byte
	twice  []string                  // what came with two values
	seen   protocol.SignedCheckpoint // highest checkpoint of peer 0
}

// recordKey identifies what may have one value only.
type recordKey struct {
	kind  protocol.Kind
	label protocol.Label
}

// record puts a recorder in the place of a peer.
func (s *labSite) record() *recorder {
	s.Helper()
	r := &recorder{values: make(map[recordKey][]byte), stop: make(chan struct{}), done: make(chan struct{})}
	r.host = s.host(func(_ protocol.Peer, m protocol.SignedCheckpoint) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if m.Records > r.seen.Records {
			r.seen = m
		}
	})
	go func() {
		defer close(r.done)
		for {
			select {
			case d := <-r.host.Inbox():
				r.take(d)
			case <-r.stop:
				return
			}
		}
	}()
	s.Cleanup(func() { _ = r.close() })
	return r
}

// host puts a host of the test in the place of a peer.
func (s *labSite) host(seen func(protocol.Peer, protocol.SignedCheckpoint)) *gossip.Host {
	s.Helper()
	deployment := require.Value(daemon.NewDeployment(s.settings()))(s)
	c := deployment.HostConfig(1, slog.New(slog.DiscardHandler))
	c.Checkpoints, c.OnCheckpoint = true, seen
	return require.Value(gossip.NewHost(c))(s)
}

func (r *recorder) close() error {
	select {
	case <-r.stop:
		return nil
	default:
	}
	close(r.stop)
	<-r.done
	return r.host.Close()
}

// Kinds of messages. Some may change under one label: an open question is repeated with what is
// known by then, and an answer names no rows if it has nothing to ask for.
const (
	kindPresence  = 2
	kindAsk       = 18
	kindCounts    = 19
	kindDelta     = 16
	kindRow       = 32
	kindDigest    = 33
	kindWant      = 34
	kindBatches   = 40 // a row of protocol phases
	kindDescribed = 88 // a row of protocol batch
	kindAnswer    = 42 // want of protocol phases
)

func (r *recorder) take(d protocol.Delivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, d)
	m := d.Message
	if k := m.Kind(); k == kindAsk || k == kindDigest || k == kindWant || k == kindAnswer {
		return
	}
	key, frame := recordKey{m.Kind(), m.Label()}, protocol.Encode(nil, m)
	if old, ok := r.values[key]; ok && !bytes.Equal(old, frame) {
		r.twice = append(r.twice, fmt.Sprintf("kind %d %+v: %x and %x", m.Kind(), m.Label(), old, frame))
	}
	r.values[key] = frame
}

// received returns all messages so far.
func (r *recorder) received() []protocol.Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[:len(r.all):len(r.all)]
}

// mark returns the highest checkpoint that the peer has sent.
func (r *recorder) mark() protocol.SignedCheckpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

// contradictions returns what came with two values.
func (r *recorder) contradictions() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.twice)
}

// lines returns the lines of a peer's ledger, read in pages.
func (s *labSite) lines() [][]byte {
	s.Helper()
	const page = 10_000
	var all [][]byte
	for {
		code, text := s.get(fmt.Sprintf("/v1/ledger?from=%d&limit=%d", len(all), page))
		if code != http.StatusOK {
			s.Fatalf("ledger: %d %s", code, text)
		}
		n := len(all)
		for line := range strings.Lines(text) {
			all = append(all, []byte(strings.TrimSuffix(line, "\n")))
		}
		if len(all)-n < page {
			return all
		}
	}
}

// copyDir copies a folder except sockets and pipes.
func copyDir(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), info.Mode())
		case !info.Mode().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(filepath.Join(to, rel), b, info.Mode()))
	}))
}
