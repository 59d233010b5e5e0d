package api

import (
	"fmt"
	"net"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMemoryOfBodiesIsGivenBack: large bodies take little more memory than their bytes while they are read, and none after it.
func TestMemoryOfBodiesIsGivenBack(t *testing.T) {
	r := run(t, newFake())
	used := func() int64 { // by the process, of the heap
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapSys - m.HeapReleased)
	}
	debug.FreeOSMemory()
	before := used()
	body := make([]byte, MaxBody-1) // without the last byte
	var open []net.Conn
	var sent sync.WaitGroup
	for range 2 * mostTaken / MaxBody {
		c, err := net.Dial("tcp", r.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		open = append(open, c)
		sent.Go(func() {
			_, _ = fmt.Fprintf(c, "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", r.token, MaxBody)
			_, _ = c.Write(body)
		})
	}
	sent.Wait()
	if took := used() - before; took < mostTaken || took > mostTaken*5/4 {
		t.Errorf("%d bytes of bodies take %d of memory", mostTaken, took)
	}
	for _, c := range open {
		_ = c.Close()
	}
	end := time.Now().Add(10 * giveBackTime)
	for used()-before > mostTaken/8 {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are kept", used()-before)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestBodiesShareTheirMemory: however many large bodies are being sent, those that are read take 64 MiB
// together. More are refused with 503 and can be tried again; small ones are answered as ever.
func TestBodiesShareTheirMemory(t *testing.T) {
	r := run(t, newFake())
	var open []net.Conn
	for range 40 {
		c, err := net.Dial("tcp", r.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		_, err = fmt.Fprintf(c, "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", r.token, MaxBody)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	until := func(what string, taken int64) {
		t.Helper()
		for range 1000 {
			if r.taken.Load() == taken {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Fatalf("%s: %d bytes are taken, want %d", what, r.taken.Load(), taken)
	}
	until("all large ones are sent", mostTaken)
	large := `{"id":"` + strings.Repeat("a", 2*maxPooled) + `"}`
	if code, h, text := r.ask(t, "/v1/decisions", large); code != 503 || h.Get("Retry-After") == "" || !strings.Contains(text, "unavailable") {
		t.Errorf("one more: %d %s", code, text)
	}
	if code, _, text := r.ask(t, "/v1/decisions", `{"id":"small"}`); code != 200 {
		t.Errorf("a small one: %d %s", code, text)
	}
	for _, c := range open {
		_ = c.Close()
	}
	until("all large ones have ended", 0)
	if code, _, text := r.ask(t, "/v1/decisions", large); code != 422 {
		t.Errorf("a large one after them: %d %s", code, text)
	}
}
