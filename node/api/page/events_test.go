package page

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"peerd.dev/node/api"
)

// busy is a peer whose status is another whenever it is asked.
type busy struct {
	*fake
	asked  atomic.Uint64
	failed atomic.Bool
}

func (b *busy) Status(ctx context.Context) (api.Status, error) {
	s, err := b.fake.Status(ctx)
	s.Round = b.asked.Add(1)
	if b.failed.Load() {
		err = context.DeadlineExceeded
	}
	return s, err
}

// reader is a browser's end of a stream. It counts events, and takes no byte while stuck is open.
type reader struct {
	http.ResponseWriter
	events atomic.Int64
	stuck  chan struct{}
}

func (r *reader) Write(b []byte) (int, error) {
	if r.stuck != nil {
		<-r.stuck
	}
	r.events.Add(int64(bytes.Count(b, []byte("event: live\n"))))
	return len(b), nil
}

func (r *reader) FlushError() error              { return nil }
func (*reader) SetReadDeadline(time.Time) error  { return nil }
func (*reader) SetWriteDeadline(time.Time) error { return nil }

// stream opens a stream of a view, which ends with the page.
func stream(t *testing.T, p *Page, v view) *reader {
	w := &reader{ResponseWriter: httptest.NewRecorder()}
	go p.ServeHTTP(w, login(t, p, eventsPath+"?view="+v.Path))
	return w
}

// TestStreamsShareARendering: 16 streams of a view render it once a second, and none does without a stream. One that does not read
// holds up no other, and all end with their login.
func TestStreamsShareARendering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := &busy{fake: hostile()}
		p := newPage(views(), newSource(peer).show, pageOf(peer.fake).log)
		stuck := &reader{ResponseWriter: httptest.NewRecorder(), stuck: make(chan struct{})}
		go p.ServeHTTP(stuck, login(t, p, eventsPath+"?view="))
		var all []*reader
		for range mostStreams - 1 {
			time.Sleep(70 * time.Millisecond)
			all = append(all, stream(t, p, views()[0]))
		}
		const seconds = 100
		time.Sleep(seconds * time.Second)
		synctest.Wait()
		if n := peer.asked.Load(); n < seconds || n > seconds+3 {
			t.Errorf("%d renderings in %d s", n, seconds+1)
		}
		for i, r := range all {
			if n := r.events.Load(); n < seconds || n > seconds+3 {
				t.Errorf("stream %d has %d events", i, n)
			}
		}
		if n := stuck.events.Load(); n != 0 {
			t.Errorf("%d events were read where nobody reads", n)
		}
		close(stuck.stuck)

		peer.failed.Store(true)
		before := all[0].events.Load()
		time.Sleep(seconds * time.Second)
		if n := all[0].events.Load() - before; n > 1 {
			t.Errorf("%d events of a peer that does not answer", n)
		}
		peer.failed.Store(false)

		p.logins.mu.Lock()
		clear(p.logins.cookies)
		p.logins.mu.Unlock()
		time.Sleep(2 * eventEvery)
		synctest.Wait()
		if p.streams.open != 0 {
			t.Errorf("%d streams are open after the login", p.streams.open)
		}
		n := peer.asked.Load()
		time.Sleep(time.Minute)
		if now := peer.asked.Load(); now != n {
			t.Errorf("%d renderings for nobody", now-n)
		}
	})
}

// TestAnOpenPageDoesNotGrow: 16 streams take as much memory after ten minutes as after one.
func TestAnOpenPageDoesNotGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := &busy{fake: hostile()}
		peer.peers, peer.lines = 20, lines(100)
		p := newPage(views(), newSource(peer).show, pageOf(peer.fake).log)
		empty := used()
		for i := range mostStreams {
			stream(t, p, views()[i%5])
		}
		after := func(length time.Duration) int64 {
			time.Sleep(length)
			synctest.Wait()
			return used()
		}
		first := after(time.Minute)
		renderings := peer.asked.Load()
		last := after(5 * time.Minute)
		renderings = peer.asked.Load() - renderings
		t.Logf("16 streams take %d kB; after %d further renderings %d kB more", (first-empty)/1000, renderings, (last-first)/1000)
		if renderings < 5*5*60-10 || last-first > 200_000 {
			t.Errorf("%d renderings take %d bytes", renderings, last-first)
		}
		p.Close()
		synctest.Wait()
	})
}

// used returns the bytes of memory in use.
func used() int64 {
	var m runtime.MemStats
	for range 3 { // stacks shrink at each collection
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestPullsAreNotShown: views are the same, byte for byte, however often this site chose each action.
func TestPullsAreNotShown(t *testing.T) {
	shown := func(pulls uint64) (all []string) {
		p := pageOf(hostile())
		peer := chosen{hostile(), pulls}
		p.show = newSource(peer).show
		for _, v := range views() {
			all = append(all, ask(p, login(t, p, Prefix+v.Path)).Body.String())
		}
		return all
	}
	if !slices.Equal(shown(1), shown(1000)) {
		t.Error("the page follows from the number of choices")
	}
}

// chosen is a peer that chose each action so often.
type chosen struct {
	*fake
	pulls uint64
}

func (c chosen) Arms(ctx context.Context) ([]api.Arm, error) {
	all, err := c.fake.Arms(ctx)
	for i := range all {
		all[i].Pulls = c.pulls
	}
	return all, err
}

func (c chosen) Status(ctx context.Context) (api.Status, error) {
	s, err := c.fake.Status(ctx)
	s.Pulls, s.Pending = []uint64{c.pulls}, c.pulls
	return s, err
}
