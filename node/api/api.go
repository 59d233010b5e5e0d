// Package api is how a site's application and its operator's tools ask a running
// peer: HTTP over a unix socket in the peer's directory, which only its owner can
// open, and, if asked for, over TCP on the loopback interface with a token.
//
// An answer with status 200 is durable. No log line, metric or problem holds a
// reward. docs/api.md describes the whole, docs/openapi.json every document.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	socketFile = "peerd.sock"
	maxPath    = 100 // of a socket; the kernel takes 107 bytes
	timeout    = 5 * time.Second
)

// ErrNotRunning is returned by [Get] where no node answers.
var ErrNotRunning = errors.New("no node is running in this directory")

// Answer makes the document that answers a question.
type Answer func(ctx context.Context) (any, error)

// Serve answers questions by path until ctx is done. The socket is removed at
// the end. A socket left by a killed node is replaced; the caller holds the lock
// of the directory.
func Serve(ctx context.Context, dir string, answers map[string]Answer) error {
	l, err := listenUnix(dir)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for p, answer := range answers {
		mux.HandleFunc("GET "+p, func(w http.ResponseWriter, r *http.Request) {
			doc, err := answer(r.Context())
			if err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(doc) // the client is gone: nobody to tell
		})
	}
	s := &http.Server{Handler: mux, ReadHeaderTimeout: timeout, ReadTimeout: timeout, WriteTimeout: timeout}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Get asks the node of a directory and decodes its answer into doc.
func Get(ctx context.Context, dir, path string, doc any) error {
	name, err := socket(dir)
	if err != nil {
		return err
	}
	c := http.Client{Timeout: timeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", name)
		},
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://node"+path, nil)
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return fmt.Errorf("%w (%s): %w", ErrNotRunning, dir, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<16))
		if p := new(Problem); json.Unmarshal(b, p) == nil {
			return fmt.Errorf("node in %s: %w", dir, p)
		}
		return fmt.Errorf("node in %s: %s: %s", dir, res.Status, b)
	}
	return json.NewDecoder(res.Body).Decode(doc)
}
