package api

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"testing"
	"time"
)

// TestHalfRequestsKeepNobodyOut: a program without a token opens a thousand connections with half a request, again as soon as
// one is closed. A request with a token is answered within a second on a new connection, and at once on an open one.
func TestHalfRequestsKeepNobodyOut(t *testing.T) {
	r := run(t, newFake())
	reused := false
	trace := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }})
	ask := func(client *http.Client) {
		t.Helper()
		q, err := http.NewRequestWithContext(trace, http.MethodGet, r.base+"/v1/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Authorization", "Bearer "+r.token)
		for began := time.Now(); ; {
			a, err := client.Do(q)
			if err == nil {
				_, _ = io.Copy(io.Discard, a.Body)
				_ = a.Body.Close()
			}
			switch took := time.Since(began); {
			case err == nil && a.StatusCode == http.StatusOK && took < time.Second:
				return
			case took >= time.Second:
				t.Fatalf("no answer in %v: %v", took, err)
			}
		}
	}
	open := &http.Client{Timeout: time.Second}
	ask(open)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	for range 1000 {
		all.Go(func() {
			for ctx.Err() == nil {
				c, err := net.Dial("tcp", r.Addr().String())
				if err != nil {
					continue
				}
				closes := context.AfterFunc(ctx, func() { _ = c.Close() })
				_, _ = fmt.Fprintf(c, "GET /v1/status HTTP/1.1\r\nHost: localhost\r\n")
				_, _ = io.Copy(io.Discard, c)
				closes()
				_ = c.Close()
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	for range 3 {
		ask(&http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}})
		ask(open)
		if !reused {
			t.Error("a connection whose token was shown is closed")
		}
	}
}

// TestStrangersAreApart from connections that are known, which have a limit of their own.
func TestStrangersAreApart(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newLimited(inner, 2, 2)
	defer func() { _ = l.Close() }()
	enter := func() *limitedConn {
		t.Helper()
		far, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = far.Close() })
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return c.(*limitedConn)
	}
	is := func(c *limitedConn, open bool) {
		t.Helper()
		if _, err := c.Write([]byte("x")); (err == nil) != open {
			t.Errorf("%v, want open: %v", err, open)
		}
	}
	old, known := enter(), enter()
	began := time.Now()
	rest := enter()
	if took := time.Since(began); took > 2*strangerTime {
		t.Errorf("waited for %v", took)
	}
	if took := time.Since(old.since); took < strangerTime {
		t.Errorf("a stranger had %v, want %v", took, strangerTime)
	}
	is(old, false)
	known.introduce()
	known.introduce()
	enter()
	enter()
	is(rest, false)
	is(known, true)
	if len(l.room) != 1 || len(l.strangers) != 2 {
		t.Errorf("%d known, %d strangers, want 1 and 2", len(l.room), len(l.strangers))
	}
	last := l.strangers[0]
	last.introduce()
	l.strangers[0].introduce() // there is no room
	if len(l.room) != 2 || len(l.strangers) != 1 {
		t.Errorf("%d known, %d strangers, want 2 and 1", len(l.room), len(l.strangers))
	}
	for _, c := range []*limitedConn{known, known, last, old, rest, l.strangers[0]} {
		_ = c.Close()
	}
	if len(l.room) != 0 || len(l.strangers) != 0 {
		t.Errorf("%d known, %d strangers after all were closed", len(l.room), len(l.strangers))
	}
}
