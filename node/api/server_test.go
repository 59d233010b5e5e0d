package api

import (
	"bufio"
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
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
	"peerd.dev/node/internal/apitest"
)

// mark is a reward that must not appear anywhere.
const mark = 0.7310585

// tempDir is a folder with a short name, as a socket needs one.
func tempDir(t testing.TB) string {
	t.Helper()
	d, err := os.MkdirTemp("", "p") //nolint:usetesting // t.TempDir's names are too long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(d) })
	return d
}

// logs is a buffer for concurrent use.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// running is a server that answers until the test ends.
type running struct {
	*Server
	dir, base, token string
	log              *logs
	stop             func() error
}

func run(t testing.TB, b Backend) *running {
	t.Helper()
	r := &running{dir: tempDir(t), log: &logs{}}
	r.Server = require.Value(NewServer(Config{
		Dir: r.dir, Listen: "127.0.0.1:0", Backend: b, Version: "v1.2.3", Views: newFake().views(),
		Logger: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}))(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if wrong := r.stop(); wrong != nil {
			t.Error(wrong)
		}
	})
	r.base = "http://" + r.Addr().String()
	b1 := require.Value(os.ReadFile(filepath.Join(r.dir, TokenFile)))(t)
	r.token = string(b1)
	return r
}

// ask sends a request over TCP. With a body it is a POST.
func (r *running) ask(t testing.TB, path, body string) (int, http.Header, string) {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	req := require.Value(http.NewRequestWithContext(t.Context(), method, r.base+path, strings.NewReader(body)))(t)
	req.Header.Set("Content-Type", "application/json; charset=UTF-8")
	req.Header.Set("Authorization", "Bearer "+r.token)
	res := require.Value(http.DefaultClient.Do(req))(t)
	defer func() { _ = res.Body.Close() }()
	b := require.Value(io.ReadAll(res.Body))(t)
	return res.StatusCode, res.Header, string(b)
}

func unixClient(t testing.TB, dir string) *http.Client {
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", filepath.Join(dir, socketFile))
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func TestWrongRequestsAreRefused(t *testing.T) {
	for _, side := range []string{"tcp", "unix"} {
		t.Run(side, func(t *testing.T) {
			f := newFake()
			r := run(t, f)
			to := apitest.Target{
				Base: r.base, Client: &http.Client{}, Token: r.token,
				Expired: func(_ testing.TB, id string) { f.expired[id] = true },
				State:   func(testing.TB) string { return f.state() },
			}
			if side == "unix" {
				to.Base, to.Client, to.Token = "http://peer", unixClient(t, r.dir), ""
			}
			apitest.Wrong(t, to)
			if f.state() != "2 decisions, 2 rewards" { // earlier cases
				t.Error(f.state())
			}
			// Eight requests get this far: four that prepare, and those that only a backend that
			// knows the decisions can refuse.
			if f.calls != 4+6 {
				t.Errorf("the backend was asked %d times", f.calls)
			}
			if strings.Contains(r.log.String(), "ERROR") {
				t.Error(r.log)
			}
		})
	}
	if n := len(apitest.Cases(t)); n < 60 {
		t.Errorf("%d cases", n)
	}
}

func TestDecisionsAndRewards(t *testing.T) {
	r := run(t, newFake())
	for _, c := range []struct{ path, body, want string }{
		{
			"/v1/decisions", `{"id":"a","exclude":["red","blue"],"subject":"Ærøskøbing 7"}`,
			`{"id":"a","action":"red","propensity":0.5,"source":"learned","model":"1-2-3","counted":true,"repeated":false,"expires_at":"2030-01-02T03:04:05Z"}`,
		},
		{
			"/v1/decisions", "\t{ \"id\" : \"\\u0061\" }\r\n",
			`{"id":"a","action":"red","propensity":0.5,"source":"learned","model":"1-2-3","counted":true,"repeated":true,"expires_at":"2030-01-02T03:04:05Z"}`,
		},
		{
			"/v1/decisions", `{}`,
			`{"id":"made-1","action":"red","propensity":0.5,"source":"learned","model":"1-2-3","counted":true,"repeated":false,"expires_at":"2030-01-02T03:04:05Z"}`,
		},
		{"/v1/rewards", `{"value":-0.0,"id":"a"}`, `{"id":"a","duplicate":false,"counted":true}`},
		{"/v1/rewards", `{"id":"a","value":0e5}`, `{"id":"a","duplicate":true,"counted":true}`},
		{"/v1/rewards", `{"id":"a","value":1e-999}`, `{"id":"a","duplicate":true,"counted":true}`},
		{
			"/v1/rewards/batch", `{"rewards":[{"id":"made-1","value":1},{"id":"x y","value":1},{"id":"a","value":0.5},{"id":"a","value":0}]}`,
			`{"outcomes":[{"status":200,"receipt":{"id":"made-1","duplicate":false,"counted":true}},` +
				`{"status":422,"problem":{"title":"Unprocessable Entity","status":422,"detail":"body.rewards[1].id: want 1 to 128 characters out of A-Z a-z 0-9 . _ : -","code":"invalid","errors":[{"location":"body.rewards[1].id","message":"want 1 to 128 characters out of A-Z a-z 0-9 . _ : -"}]}},` +
				`{"status":409,"problem":{"title":"Conflict","status":409,"detail":"value: is not what was reported before","code":"conflict","errors":[{"location":"body.rewards[2].value","message":"is not what was reported before"}]}},` +
				`{"status":200,"receipt":{"id":"a","duplicate":true,"counted":true}}]}`,
		},
		{
			"/v1/decisions/batch", `{"decisions":[{"id":"a"},{"id":7}]}`,
			`{"outcomes":[{"status":200,"decision":{"id":"a","action":"red","propensity":0.5,"source":"learned","model":"1-2-3","counted":true,"repeated":true,"expires_at":"2030-01-02T03:04:05Z"}},` +
				`{"status":422,"problem":{"title":"Unprocessable Entity","status":422,"detail":"body.decisions[1].id: want a string","code":"invalid","errors":[{"location":"body.decisions[1].id","message":"want a string"}]}}]}`,
		},
	} {
		status, h, body := r.ask(t, c.path, c.body)
		if status != 200 || body != c.want || h.Get("Content-Type") != "application/json" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s:\n%d %s, want\n%s", c.path, c.body, status, body, c.want)
		}
	}
}

func TestRefusalsOfTheBackend(t *testing.T) {
	f := newFake()
	r := run(t, f)
	for _, c := range []struct {
		err          error
		status       int
		code, detail string
	}{
		{&decision.Refusal{Code: decision.Invalid, Reason: "why"}, 422, "invalid", "why"},
		{&decision.Refusal{Code: decision.Unknown, Reason: "why"}, 404, "unknown", "why"},
		{fmt.Errorf("wrapped: %w", &decision.Refusal{Code: decision.Conflict, Reason: "why"}), 409, "conflict", "why"},
		{&decision.Refusal{Code: decision.Expired, Reason: "why"}, 410, "expired", "why"},
		{&decision.Refusal{Code: decision.Full, Reason: "why"}, 507, "full", "why"},
		{&decision.Refusal{Code: decision.Simulated, Reason: "why"}, 403, "simulated", "why"},
		{&decision.Refusal{Code: decision.Unavailable, Reason: "why"}, 503, "unavailable", "why"},
		{&decision.Refusal{Code: "of the future", Reason: "secret"}, 500, "internal", "the peer failed"},
		{errors.New("secret"), 500, "internal", "the peer failed"},
		{context.DeadlineExceeded, 503, "unavailable", "in time"},
	} {
		f.refusal = c.err
		for path, body := range map[string]string{"/v1/decisions": `{}`, "/v1/rewards": `{"id":"a","value":0.5}`, "/v1/status": "", "/v1/arms": "", "/v1/peers": "", "/v1/ledger": ""} {
			status, h, got := r.ask(t, path, body)
			var p Problem
			if err := json.Unmarshal([]byte(got), &p); err != nil || status != c.status || p.Status != status || p.Code != c.code || !strings.Contains(p.Detail, c.detail) || strings.Contains(got, "secret") {
				t.Errorf("%v at %s: %d %s", c.err, path, status, got)
			}
			if retry := h.Get("Retry-After"); (status == 503) != (retry != "") {
				t.Errorf("%v: Retry-After %q", c.err, retry)
			}
		}
	}
	if n := strings.Count(r.log.String(), "level=ERROR"); n != 2*6 {
		t.Errorf("%d errors in the log:\n%s", n, r.log)
	}
}

func TestViews(t *testing.T) {
	f := newFake()
	r := run(t, f)
	for path, want := range map[string]string{
		"/v1/status":                `"epsilon_spent":0.25,"epsilon_left":0.75`,
		"/v1/arms":                  `[{"name":"red","pulls":4,"estimate":0.987654321,"samples":0.1,"noise_sd":0,"own":0,"borrowed":0,"borrowed_sites":0}]`,
		"/v1/peers":                 `[{"peer":1,"name":"b",`,
		"/v1/ledger?from=23":        "{\"seq\":23}\n{\"seq\":24}\n",
		"/v1/ledger?from=2&limit=1": "{\"seq\":2}\n",
		"/v1/ledger?from=99":        "",
		"/healthz":                  `{"status":"ok"}`,
		"/readyz":                   `{"status":"ok"}`,
		"/openapi.json":             `"openapi": "3.1.0"`,
		"/metrics":                  `peerd_build_info{version="v1.2.3"} 1`,
	} {
		if status, _, body := r.ask(t, path, ""); status != 200 || !strings.Contains(body, want) || want == "" && body != "" {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	f.alone = "peer 0 does not answer"
	for path, want := range map[string]string{"/readyz": `{"status":"ok","alone":"peer 0 does not answer"}`, "/v1/status": `"alone_reason":"peer 0 does`, "/metrics": "peerd_alone 1"} {
		if status, _, body := r.ask(t, path, ""); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s of a peer alone: %d %s", path, status, body)
		}
	}
	f.ready = errors.New("held since the folder was restored from a backup")
	if status, _, body := r.ask(t, "/readyz", ""); status != 503 || !strings.Contains(body, "restored") || !strings.Contains(body, `"code":"not_ready"`) {
		t.Errorf("%d %s", status, body)
	}
	f.broken = 20
	if res, err := unixClient(t, r.dir).Get("http://peer/v1/ledger"); err == nil {
		if b, err := io.ReadAll(res.Body); err == nil {
			t.Errorf("a ledger that breaks off was read as whole: %s", b)
		}
	}
	var s Status
	if err := Get(t.Context(), r.dir, "/v1/status", &s); err != nil || s.Pending != 3 {
		t.Error(s, err)
	}
	f.mu.Lock() // a ledger that broke off did not end properly
	f.refusal = &decision.Refusal{Code: decision.Unavailable, Reason: "the peer is ending"}
	f.mu.Unlock()
	if err := Get(t.Context(), r.dir, "/v1/status", &s); err == nil || !strings.Contains(err.Error(), "the peer is ending") {
		t.Error(err)
	}
}

func TestHealthNeedsNoToken(t *testing.T) {
	r := run(t, newFake())
	for _, path := range []string{"/healthz", "/readyz"} {
		for _, host := range []string{"", "localhost", "LOCALHOST:1", "127.9.9.9:8470", "[::1]:8470", "[::1]", "::1"} {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+path, nil)
			req.Host = host
			res, err := http.DefaultClient.Do(req)
			if err != nil || res.StatusCode != 200 {
				t.Fatal(path, host, res, err)
			}
			_ = res.Body.Close()
		}
	}
}

// TestARewardShowsNowhere sends a marked reward in requests that succeed, that fail, and that
// make the program panic.
func TestARewardShowsNowhere(t *testing.T) {
	f := newFake()
	r := run(t, f)
	var shown strings.Builder
	send := func(path, body string) int {
		status, h, got := r.ask(t, path, body)
		fmt.Fprintln(&shown, status, h, got)
		return status
	}
	send("/v1/decisions", `{"id":"a"}`)
	for _, body := range []string{
		fmt.Sprintf(`{"id":"a","value":%v}`, mark), fmt.Sprintf(`{"id":"a","value":%v}`, mark), fmt.Sprintf(`{"id":"b","value":%v}`, mark),
		fmt.Sprintf(`{"id":"a","value":"%v"}`, mark), fmt.Sprintf(`{"id":"a","value":%v,"value":%v}`, mark, mark),
		fmt.Sprintf(`{"id":"a","value":[%v]}`, mark), fmt.Sprintf(`{"id":%v,"value":1}`, mark), fmt.Sprintf(`{"id":"a","value":%v`, mark),
		fmt.Sprintf(`{"id":"a","value":%vx}`, mark), fmt.Sprintf(`%v`, mark), fmt.Sprintf(`{"id":"a","more":%v,"value":%v}`, mark, mark),
		fmt.Sprintf(`{"id":"a","value":1%v}`, mark), fmt.Sprintf(`{"id":"a","value":-%v}`, mark),
		`{"id":"a","value":1}`,
	} {
		send("/v1/rewards", body)
		send("/v1/rewards/batch", `{"rewards":[`+body+`]}`)
	}
	f.refusal = fmt.Errorf("store: %v", decision.Report{ID: "a", Value: mark})
	send("/v1/rewards", fmt.Sprintf(`{"id":"a","value":%v}`, mark))
	f.refusal = nil
	for _, p := range []any{
		func(v bandit.Reward) { panic(v) }, func(v bandit.Reward) { panic(float64(v)) }, func(v bandit.Reward) { panic(fmt.Sprint(float64(v))) },
		func(v bandit.Reward) { panic(fmt.Errorf("%v", float64(v))) },
	} {
		f.panics = p
		if status := send("/v1/rewards", fmt.Sprintf(`{"id":"a","value":%v}`, mark)); status != 500 {
			t.Error(status)
		}
		if status := send("/v1/rewards/batch", fmt.Sprintf(`{"rewards":[{"id":"a","value":%v}]}`, mark)); status != 500 {
			t.Error(status)
		}
	}
	send("/metrics", "")
	send("/v1/status", "")
	fmt.Fprintln(&shown, r.log)
	if n := strings.Count(r.log.String(), "api panicked"); n != 4*2+2 || !strings.Contains(r.log.String(), "fake_test.go:") {
		t.Errorf("%d panics in the log:\n%s", n, r.log)
	}
	for _, trace := range []string{"7310585", "0x3fe764", "goroutine "} { // in digits, in bits, in the trace that would have them
		if i := strings.Index(shown.String(), trace); i >= 0 {
			t.Errorf("%s is shown: %s", trace, shown.String()[max(0, i-200):i+100])
		}
	}
}

// TestReportsAreInNoMetric: metrics are the same whether rewards are reported or not, accepted or
// refused, one by one or in a batch.
func TestReportsAreInNoMetric(t *testing.T) {
	process := regexp.MustCompile(`(?m)^(go_|process_|peerd_api_request_seconds_(bucket|sum)|# ).*\n`) // of all work; times
	counted := func(bodies ...string) string {
		t.Helper()
		r := run(t, newFake())
		r.ask(t, "/v1/decisions", `{"id":"a"}`)
		for _, body := range bodies {
			r.ask(t, "/v1/rewards", body)
			r.ask(t, "/v1/rewards/batch", `{"rewards":[`+body+`]}`)
		}
		_, _, got := r.ask(t, "/metrics", "")
		return process.ReplaceAllString(got, "")
	}
	none := counted()
	some := counted(`{"id":"a","value":1}`, `{"id":"a","value":0.5}`, `{"id":"b","value":2}`, `{"id":`, `{"id":"nobody's","value":1}`)
	if none != some || !strings.Contains(none, "peerd_api_decisions_total") {
		t.Errorf("without reports\n%s\nwith them\n%s", none, some)
	}
}

func TestMetrics(t *testing.T) {
	f := newFake()
	r := run(t, f)
	r.ask(t, "/v1/decisions", `{"id":"a"}`)
	r.ask(t, "/v1/decisions/batch", `{"decisions":[{"id":"a"},{"id":7}]}`)
	r.ask(t, "/no/such/path", "")
	_, _, got := r.ask(t, "/metrics", "")
	for _, want := range []string{
		`peerd_api_requests_total{code="200",route="POST /v1/decisions"} 1`,
		`peerd_api_requests_total{code="404",route="none"} 1`,
		`peerd_api_request_seconds_count{route="POST /v1/decisions"} 1`,
		`peerd_api_decisions_total{code="200"} 2`,
		`peerd_api_decisions_total{code="422"} 1`,
		`peerd_rounds_total 7`, `peerd_epsilon_spent 0.25`, `peerd_epsilon_left 0.75`, `peerd_decisions_pending 3`,
		`peerd_neighbours 2`, `peerd_neighbours_up 1`, `peerd_stopped_sites 1`, `peerd_received_messages_total 6`, `peerd_ledger_records 25`,
		`peerd_ready 1`, `peerd_status_known 1`, `go_goroutines `, `process_cpu_seconds_total `,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing:\n%s", want, got)
		}
	}
	for _, estimate := range []string{"987654", "123456789"} {
		if strings.Contains(got, estimate) {
			t.Errorf("an estimate is a metric:\n%s", got)
		}
	}
	f.panics = "in a goroutine of the registry"
	if status, _, got := r.ask(t, "/metrics", ""); status != 200 || !strings.Contains(got, "peerd_ready 1") || !strings.Contains(r.log.String(), "api panicked") {
		t.Error(status, got)
	}
	f.panics = nil
	f.refusal = errors.New("broken")
	if status, _, got := r.ask(t, "/metrics", ""); status != 200 || !strings.Contains(got, "peerd_status_known 0") {
		t.Error(status, got)
	}
}

// TestRequestsUnderWayEnd shows that a request which the backend has is answered when the peer
// ends, and that ending does not wait forever.
func TestRequestsUnderWayEnd(t *testing.T) {
	f := newFake()
	f.entered, f.leave = make(chan struct{}), make(chan struct{})
	r := run(t, f)
	idle := require.Value(net.Dial("tcp", r.Addr().String()))(t)
	defer func() { _ = idle.Close() }()
	status := make(chan int)
	go func() {
		s, _, _ := r.ask(t, "/v1/decisions", `{}`)
		status <- s
	}()
	<-f.entered
	ended := make(chan error)
	go func() { ended <- r.stop() }()
	for { // until the listener is closed
		c, err := net.Dial("tcp", r.Addr().String())
		if err != nil {
			break
		}
		_ = c.Close()
	}
	close(f.leave)
	if s := <-status; s != 200 {
		t.Error(s)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * drainTimeout):
		t.Error("it does not end")
	}
	if _, err := os.Stat(filepath.Join(r.dir, socketFile)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the socket is still there", err)
	}
}

func TestListening(t *testing.T) {
	taken := require.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = taken.Close() }()
	for address, want := range map[string]string{
		"0.0.0.0:8470": "loopback", ":8470": "loopback", "[::]:8470": "loopback", "192.0.2.1:8470": "loopback", "peer.example:8470": "loopback",
		"127.0.0.1": "not an address", "127.0.0.1:http": "not an address", "127.0.0.1:65536": "not an address", "8470": "not an address", taken.Addr().String(): "in use",
	} {
		d := tempDir(t)
		s, err := NewServer(Config{Dir: d, Listen: address, Backend: newFake()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", address, err)
			_ = s.Close()
		}
		if _, err := os.Stat(filepath.Join(d, socketFile)); err == nil {
			t.Error("a socket is left")
		}
	}
	if _, err := NewServer(Config{Dir: filepath.Join(tempDir(t), strings.Repeat("long", 30)), Backend: newFake()}); err == nil || !strings.Contains(err.Error(), "shorter") {
		t.Error(err)
	}
}

func TestTheSocketIsItsOwnersOnly(t *testing.T) {
	d := tempDir(t)
	if err := os.WriteFile(filepath.Join(d, socketFile), nil, 0o666); err != nil { // from a killed peer
		t.Fatal(err)
	}
	s := require.Value(NewServer(Config{Dir: d, Backend: newFake()}))(t)
	info, err := os.Stat(filepath.Join(d, socketFile))
	if err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Error(info.Mode(), err)
	}
	if s.Addr() != nil {
		t.Error(s.Addr())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(d); len(left) > 0 { // without TCP there is no token
		t.Error(left)
	}
}

func TestToken(t *testing.T) {
	d := tempDir(t)
	made, err := token(d, TokenFile)
	if err != nil || len(made) != 43 {
		t.Fatal(string(made), err)
	}
	path := filepath.Join(d, TokenFile)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Error(info, err)
	}
	if again, err := token(d, TokenFile); err != nil || !bytes.Equal(again, made) {
		t.Error("another token", err)
	}
	if other, err := token(tempDir(t), TokenFile); err != nil || bytes.Equal(other, made) {
		t.Error("the same token in another folder", err)
	}
	refused := func(want string) {
		t.Helper()
		if _, err := token(d, TokenFile); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "remove it") || strings.Contains(err.Error(), string(made)) {
			t.Error(err)
		}
	}
	for _, m := range []os.FileMode{0o604, 0o640, 0o660} {
		require.NoError(t, os.Chmod(path, m))
		refused("others may have read it")
	}
	for _, text := range []string{"", "short", string(made) + "\n", string(made[:42])} {
		require.NoError(t, errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte(text), 0o600)))
		refused("does not hold a token")
	}
	require.NoError(t, errors.Join(os.Rename(path, path+"2"), os.Symlink(path+"2", path)))
	refused("is not a file")
}

func TestConnectionsAreLimited(t *testing.T) {
	inner := require.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	l := newLimited(inner, 2, 0)
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	for range 3 {
		c := require.Value(net.Dial("tcp", inner.Addr().String()))(t)
		defer func() { _ = c.Close() }()
	}
	first := <-accepted
	<-accepted
	select {
	case <-accepted:
		t.Error("a third")
	case <-time.After(50 * time.Millisecond):
	}
	_ = first.Close()
	_ = first.Close() // frees one place only
	<-accepted
	_ = l.Close()
	if _, more := <-accepted; more {
		t.Error("a fourth")
	}
}

// TestRawRequests sends requests that a client library would not.
func TestRawRequests(t *testing.T) {
	r := run(t, newFake())
	auth := "Authorization: Bearer " + r.token + "\r\n"
	for name, c := range map[string]struct{ send, want string }{
		"no host":              {"GET /healthz HTTP/1.0\r\n\r\n", "403 "},
		"absolute form":        {"GET http://attacker.example/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "403 "},
		"options of all":       {"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n" + auth + "\r\n", "404 "},
		"connect":              {"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n" + auth + "\r\n", "404 "},
		"two hosts":            {"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: attacker.example\r\n\r\n", "400 "},
		"length and chunks":    {"POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\n" + auth + "Content-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 "},
		"header of 15 kB":      {"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("x", 15_000) + "\r\n\r\n", "200 "},
		"header of 16.5 kB":    {"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("x", 16_500) + "\r\n\r\n", "431 "},
		"header of 20 kB":      {"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("x", 20_000) + "\r\n\r\n", "431 "},
		"header too large":     {"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("x", 32<<10) + "\r\n\r\n", "431 "},
		"body too large, said": {"POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\n" + auth + "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n", "413 "},
	} {
		conn, err := net.Dial("tcp", r.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		require.Value(io.WriteString(conn, c.send))(t)
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(line, c.want) {
			t.Errorf("%s: %q %v", name, line, err)
		}
		_ = conn.Close()
	}
	conn := require.Value(net.Dial("tcp", r.Addr().String()))(t)
	_, _ = io.WriteString(conn, "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\n"+auth+"Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{}")
	_ = conn.(*net.TCPConn).CloseWrite()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, "400 ") {
		t.Errorf("a body that ends early: %q %v", line, err)
	}
	_ = conn.Close()
}
