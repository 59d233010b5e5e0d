package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// peer is the daemon of the site.
type peer struct {
	client   *http.Client
	patience time.Duration
}

func newPeer(socket string, patience time.Duration) *peer {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	return &peer{&http.Client{Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 64}, Timeout: 10 * time.Second}, patience}
}

// ask sends a request until it is answered, and decodes the answer into out. refused is an answer
// that repeating would not change; lost means that there was none.
func (p *peer) ask(path string, body, out any) (refused, lost error) {
	text, err := json.Marshal(body)
	if err != nil {
		return err, nil
	}
	for end := time.Now().Add(p.patience); ; {
		code, answer, err := p.send(http.MethodPost, path, text)
		switch {
		case err == nil && code == http.StatusOK:
			return json.Unmarshal(answer, out), nil
		case err == nil && code != http.StatusServiceUnavailable:
			return fmt.Errorf("%s: %d %s", path, code, answer), nil
		case time.Now().After(end):
			return nil, fmt.Errorf("%s: %d %w", path, code, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (p *peer) send(method, path string, body []byte) (code int, answer []byte, err error) {
	q, err := http.NewRequest(method, "http://peer"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	q.Header.Set("Content-Type", "application/json")
	a, err := p.client.Do(q)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = a.Body.Close() }() // it was read, or the error explains why not
	answer, err = io.ReadAll(a.Body)
	return a.StatusCode, answer, err
}

// linked returns how many neighbours the peer has and how many of them are linked, or an error if
// it does not answer.
func (p *peer) linked() (neighbours, up int, err error) {
	_, answer, err := p.send(http.MethodGet, "/v1/peers", nil)
	if err != nil {
		return 0, 0, err
	}
	var peers []struct {
		Neighbour bool   `json:"neighbour"`
		State     string `json:"state"`
	}
	if err = json.Unmarshal(answer, &peers); err != nil {
		return 0, 0, err
	}
	for _, one := range peers {
		if one.Neighbour {
			neighbours++
		}
		if one.State == "up" {
			up++
		}
	}
	return neighbours, up, nil
}
