package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"testing"
	"time"

	"peerd.dev/internal/require"
)

// TestHalfRequestsKeepNobodyOut: a program without a token opens a thousand connections with half a request, again as soon as
// one is closed. A request with a token is answered within a second on a new connection, and at once on an open one.
func TestHalfRequestsKeepNobodyOut(t *testing.T) {
	r := run(t, newFake())
	reused := false
	trace := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }})
	ask := func(client *http.Client) {
		t.Helper()
		q := require.Value(http.NewRequestWithContext(trace, http.MethodGet, r.base+"/v1/status", nil))(t)
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
	inner := require.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	l := newLimited(inner, 2, 2)
	defer func() { _ = l.Close() }()
	enter := func() *limitedConn {
		t.Helper()
		far := require.Value(net.Dial("tcp", inner.Addr().String()))(t)
		t.Cleanup(func() { _ = far.Close() })
		c := require.Value(l.Accept())(t)
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
	known.introduce(true)
	known.introduce(true)
	enter()
	enter()
	is(rest, false)
	is(known, true)
	if len(l.room) != 1 || len(l.strangers) != 2 {
		t.Errorf("%d known, %d strangers, want 1 and 2", len(l.room), len(l.strangers))
	}
	last := l.strangers[0]
	last.introduce(true)
	l.strangers[0].introduce(true) // there is no room
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

// TestReadersTakeNoPlaceOfTheApplication: 600 connections of the read role stay open. They have some places, and
// a new connection with the write token, and one of a further reader, is answered within a second. A reader that writes is no reader.
func TestReadersTakeNoPlaceOfTheApplication(t *testing.T) {
	r := run(t, newFake())
	ask := func(c net.Conn, token string) error {
		_, _ = fmt.Fprintf(c, "GET /v1/status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", token)
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		a, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil {
			_, err = io.Copy(io.Discard, a.Body)
		}
		if err == nil && a.StatusCode != http.StatusOK {
			err = errors.New(a.Status)
		}
		return err
	}
	open := func(token string) (net.Conn, error) {
		c := require.Value(net.Dial("tcp", r.Addr().String()))(t)
		t.Cleanup(func() { _ = c.Close() })
		return c, ask(c, token)
	}
	read, write := string(r.tokens[reads]), string(r.tokens[writes])
	first, err := open(read)
	if err == nil {
		err = ask(first, write)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxConns + 88 {
		if _, err = open(read); err != nil {
			t.Fatalf("reader %d: %v", i, err)
		}
	}
	for range 3 {
		if _, err = open(write); err != nil {
			t.Errorf("the application: %v", err)
		}
	}
	if err = ask(first, read); err != nil {
		t.Errorf("a reader that has written is closed: %v", err)
	}
}

// TestABusyReaderIsNotClosed: while all readers are busy, a further one remains a stranger.
func TestABusyReaderIsNotClosed(t *testing.T) {
	l := newLimited(nil, 2*maxReaders, maxReaders)
	enter := func() *limitedConn {
		near, far := net.Pipe()
		t.Cleanup(func() { _ = far.Close() })
		c := &limitedConn{Conn: near, l: l}
		l.enter(c)
		c.introduce(false)
		return c
	}
	var all []*limitedConn
	for range maxReaders {
		all = append(all, enter())
	}
	stranger := enter()
	if len(l.readers) != maxReaders || stranger.known {
		t.Errorf("%d readers, want %d", len(l.readers), maxReaders)
	}
	all[9].idle.Store(true)
	if stranger.introduce(false); !stranger.known || all[9].known || len(l.room) != maxReaders || len(l.strangers) != 0 {
		t.Errorf("%d places, %d strangers", len(l.room), len(l.strangers))
	}
	if all[0].introduce(true); len(l.readers) != maxReaders-1 || len(l.room) != maxReaders {
		t.Errorf("%d readers in %d places", len(l.readers), len(l.room))
	}
	for _, c := range append(all, stranger) {
		_ = c.Close()
	}
	if len(l.room)+len(l.readers) != 0 {
		t.Errorf("%d places, %d readers after all were closed", len(l.room), len(l.readers))
	}
}
