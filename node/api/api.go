// Package api serves HTTP to a site's application and to its operator's tools: over a unix socket
// in the peer's directory, which only its owner can open, and, if configured, over TCP on the
// loopback interface with a token.
//
// What is answered with status 200 is durable. No log line, metric or problem contains a reward
// or a feature. docs/api.md describes the API, docs/openapi.json every document.
package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"syscall"
	"time"
)

const (
	socketFile = "peerd.sock"
	maxPath    = 100 // of a socket; the kernel allows 107 bytes
	timeout    = 5 * time.Second
	maxLine    = 1 << 20
)

// ErrNotRunning is returned by [Get] if no peer answers.
var ErrNotRunning = errors.New("the peer does not run")

// Get asks the node of a directory and decodes its answer into doc.
func Get(ctx context.Context, dir, path string, doc any) error {
	return answer(ctx, dir, http.MethodGet, path, doc)
}

// Post asks the node of a directory for what changes something in it, and decodes its answer into doc.
func Post(ctx context.Context, dir, path string, doc any) error {
	return answer(ctx, dir, http.MethodPost, path, doc)
}

func answer(ctx context.Context, dir, method, path string, doc any) error {
	body, err := ask(ctx, dir, method, path, timeout)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	return json.NewDecoder(body).Decode(doc)
}

// Lines asks the node of a directory and yields the lines of its answer. Each is valid until the
// next.
func Lines(ctx context.Context, dir, path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		body, err := ask(ctx, dir, http.MethodGet, path, timeout)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = body.Close() }()
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			if !yield(lines.Bytes(), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// Download asks the node of a directory and writes its answer, which may take long.
func Download(ctx context.Context, dir, path string, to io.Writer) error {
	body, err := ask(ctx, dir, http.MethodGet, path, 0)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	_, err = io.Copy(to, body)
	return err
}

// Socket returns the way to the node of a directory, whatever the host of a request.
func Socket(dir string) (*http.Transport, error) {
	name, err := socket(dir)
	return &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", name)
	}}, err
}

// ask returns the body of an answer, which must have been read within a time; 0 for any.
func ask(ctx context.Context, dir, method, path string, within time.Duration) (io.ReadCloser, error) {
	way, err := Socket(dir)
	if err != nil {
		return nil, err
	}
	c := http.Client{Timeout: within, Transport: way}
	req, err := http.NewRequestWithContext(ctx, method, "http://peer"+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := c.Do(req)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w: peerd run --dir %s", ErrNotRunning, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%s): %w", ErrNotRunning, dir, err)
	}
	if res.StatusCode != http.StatusOK {
		defer func() { _ = res.Body.Close() }()
		b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<16))
		if p := new(Problem); json.Unmarshal(b, p) == nil {
			return nil, fmt.Errorf("the peer in %s answers: %w", dir, p)
		}
		return nil, fmt.Errorf("the peer in %s answers: %s: %s", dir, res.Status, b)
	}
	return res.Body, nil
}
