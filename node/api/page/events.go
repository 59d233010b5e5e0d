package page

import (
	"bytes"
	"net/http"
	"sync"
	"time"
)

const (
	eventsPath  = Prefix + "events"
	mostStreams = 16
	eventEvery  = time.Second
	quietEvery  = 15 * time.Second // a comment, so that a broken connection is noticed
	eventTime   = 10 * time.Second // to write an event
)

// streams counts the streams of events that are open.
type streams struct {
	mu    sync.Mutex
	open  int
	ended chan struct{}
	once  sync.Once
}

func (s *streams) close() { s.once.Do(func() { close(s.ended) }) }

// enter reports whether there is room for a further stream.
func (s *streams) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == mostStreams {
		return false
	}
	s.open++
	return true
}

func (s *streams) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
}

// events sends the part of a view that changes, whenever it has changed. The interval does not depend on rewards.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	v, ok := p.viewAt(Prefix + r.URL.Query().Get("view"))
	if !ok {
		p.refuse(w, http.StatusNotFound, "There is no such page.")
		return
	}
	if !p.streams.enter() {
		w.Header().Set("Retry-After", "30")
		p.refuse(w, http.StatusServiceUnavailable, "The page is open too often to be renewed everywhere.")
		return
	}
	defer p.streams.leave()
	c := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	if c.SetReadDeadline(time.Time{}) != nil { // the deadline of a request's body would end the stream
		return
	}
	tick := time.NewTicker(eventEvery)
	defer tick.Stop()
	var shown []byte
	sent := p.now()
	for {
		b, err := p.render(r.Context(), v, "live")
		switch now := p.now(); {
		case err == nil && !bytes.Equal(b, shown):
			shown, sent = b, now
			var event bytes.Buffer
			event.WriteString("event: live\n")
			for line := range bytes.Lines(b) {
				event.WriteString("data: ")
				event.Write(line)
			}
			event.WriteString("\n\n")
			b = event.Bytes()
		case now.Sub(sent) >= quietEvery:
			sent, b = now, []byte(": still here\n\n")
		default:
			b = nil
		}
		if b != nil {
			if c.SetWriteDeadline(time.Now().Add(eventTime)) != nil {
				return
			}
			if _, err = w.Write(b); err != nil || c.Flush() != nil {
				return
			}
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-p.streams.ended:
			return
		}
	}
}
