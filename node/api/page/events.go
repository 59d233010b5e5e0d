package page

import (
	"bytes"
	"context"
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

// streams are the streams of events that are open.
type streams struct {
	mu     sync.Mutex
	open   int
	ended  chan struct{}
	once   sync.Once
	events map[string]*event // by view
	one    sync.Mutex        // rendering at a time, so that the application keeps the other processors
}

// An event is the part of a view that changes. The first stream that asks in a second renders it for all of them.
type event struct {
	mu     sync.Mutex
	second int64
	text   []byte // nil if the peer could not answer
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

// newest returns the event of this second. It is not written to later.
func (p *Page) newest(ctx context.Context, v view) []byte {
	e := p.streams.events[v.Name]
	e.mu.Lock()
	defer e.mu.Unlock()
	second := p.now().Unix()
	if second == e.second {
		return e.text
	}
	e.second = second
	p.streams.one.Lock()
	defer p.streams.one.Unlock()
	b, err := p.render(context.WithoutCancel(ctx), v, "live", false) // others wait for it, too; the menu is not in it
	if err != nil {
		e.text = nil
		return nil
	}
	var text bytes.Buffer
	text.WriteString("event: live\n")
	for line := range bytes.Lines(b) {
		text.WriteString("data: ")
		text.Write(line)
	}
	text.WriteString("\n\n")
	if !bytes.Equal(text.Bytes(), e.text) {
		e.text = bytes.Clone(text.Bytes())
	}
	return e.text
}

// events sends the part of a view that changes, whenever it has changed. The interval does not depend on rewards.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	v, ok := p.viewAt(Prefix + r.URL.Query().Get("view"))
	if !ok {
		p.refuse(w, http.StatusNotFound, "There is no such page.")
		return
	}
	if !p.allows(r, v) {
		p.refuse(w, http.StatusForbidden, notInside)
		return
	}
	if !p.streams.enter() {
		w.Header().Set("Retry-After", "30")
		w.Header().Set("Connection", "close") // it would keep a place of another
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
		b := p.newest(r.Context(), v)
		switch now := p.now(); {
		case b != nil && !bytes.Equal(b, shown):
			shown, sent = b, now
		case now.Sub(sent) >= quietEvery:
			sent, b = now, []byte(": still here\n\n")
		default:
			b = nil
		}
		if b != nil {
			if c.SetWriteDeadline(time.Now().Add(eventTime)) != nil {
				return
			}
			if _, err := w.Write(b); err != nil || c.Flush() != nil {
				return
			}
		}
		select {
		case <-tick.C:
			if !p.allows(r, v) { // the login has ended
				return
			}
		case <-r.Context().Done():
			return
		case <-p.streams.ended:
			return
		}
	}
}
