package client_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"peerd.dev/node/api/client"
)

// A lossy port stands in front of a peer's port. It loses a third of all answers and closes the
// connection, after the peer has received the request.
type lossy struct {
	to string

	mu   sync.Mutex
	rng  *rand.Rand
	lost int
}

func (l *lossy) serve(in net.Listener) {
	for {
		near, err := in.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		go func() { _, _ = io.Copy(far, near) }()
		go func() {
			defer func() { _, _ = near.Close(), far.Close() }()
			b := make([]byte, 1<<20)
			for {
				n, err := far.Read(b)
				if err != nil || l.loses() {
					return
				}
				if _, err = near.Write(b[:n]); err != nil {
					return
				}
			}
		}()
	}
}

func (l *lossy) loses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rng.IntN(3) > 0 {
		return false
	}
	l.lost++
	return true
}

// TestLive uses a real peer, at PEERD_URL with PEERD_TOKEN_FILE, which nothing else asks at the
// same time: requests whose answers are lost count once.
func TestLive(t *testing.T) {
	at, token := os.Getenv("PEERD_URL"), os.Getenv("PEERD_TOKEN_FILE")
	if at == "" || token == "" {
		t.Skip("PEERD_URL and PEERD_TOKEN_FILE name no peer")
	}
	direct := dial(t, client.Options{Dir: filepath.Dir(token)})
	pulls := func() (n int64) {
		arms, err := direct.Arms(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range arms {
			n += a.Pulls
		}
		return n
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	in, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	port := &lossy{to: u.Host, rng: rand.New(rand.NewPCG(1, 1))}
	go port.serve(in)
	before := pulls()
	c := dial(t, client.Options{URL: "http://" + in.Addr().String(), TokenFile: token, Timeout: 2 * time.Second, Deadline: 20 * time.Second})
	ids, duplicates := make(map[string]bool), 0
	for range 60 {
		d, wrong := c.Decide(t.Context(), client.Ask{})
		if wrong != nil {
			t.Fatal(wrong)
		}
		ids[d.ID] = true
		r, wrong := c.Reward(t.Context(), d.ID, 1)
		if wrong != nil {
			t.Fatal(wrong)
		}
		if r.Duplicate {
			duplicates++
		}
		if _, err = c.Reward(t.Context(), d.ID, 0); !errors.Is(err, client.ErrConflict) {
			t.Fatal(err)
		}
	}
	all, err := c.DecideBatch(t.Context(), make([]client.Ask, 60))
	if err != nil {
		t.Fatal(err)
	}
	var rewards []client.Reward
	for _, o := range all {
		ids[o.Decision.ID] = true
		rewards = append(rewards, client.Reward{ID: o.Decision.ID, Value: 1})
	}
	outcomes, err := c.RewardBatch(t.Context(), rewards)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if o.Receipt == nil || !o.Receipt.Counted {
			t.Errorf("%+v", o)
		}
	}
	if _, err = c.Reward(t.Context(), "never-decided", 1); !errors.Is(err, client.ErrUnknown) {
		t.Error(err)
	}
	s, err1 := direct.Status(t.Context())
	peers, err2 := direct.Peers(t.Context())
	if err := errors.Join(err1, err2); err != nil || s.Name == "" || len(peers) == 0 {
		t.Error(s, peers, err)
	}
	if got := pulls() - before; got != 120 || len(ids) != 120 || port.lost < 30 || duplicates < 10 {
		t.Errorf("%d counted of %d, %d answers lost, %d duplicates", got, len(ids), port.lost, duplicates)
	}
}
