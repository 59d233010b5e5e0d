package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

// Drawn is the Source of a decision that was drawn from a table. Its Model is the table's version.
const Drawn = "table"

// mostItems of a request report what waits.
const mostItems = 100

// TableState is the table that a client holds, and what became of its draws since the client was made.
type TableState struct {
	Version  string // of the table; empty without one
	MadeAt   time.Time
	Waiting  int    // decisions with something that the peer has not taken
	Drawn    int    // decisions
	Reported int    // of these, or of the file's, that the peer has taken
	Rewarded int    // rewards that had to wait, and that the peer has taken
	Expired  int    // dropped because the peer refused them as too old: decisions with their rewards, or rewards
	Refused  int    // dropped because the peer refused them for another reason
	Full     int    // decisions that were not drawn and rewards that were not kept: too many wait, or the disk refused them
	Problem  string // the last
}

// offline draws decisions from the newest table, keeps them and rewards, and reports them when the peer answers.
type offline struct {
	c       *Client
	every   time.Duration
	backlog *backlog
	down    atomic.Bool // a call got no answer, and none came since

	mu    sync.Mutex
	state TableState

	reporting chan struct{} // holds one while a report is made
	batch     map[string]int
	stop      context.CancelFunc
	stopped   context.Context //nolint:containedctx // the life of the goroutine, not of a call
	ended     chan struct{}
}

func newOffline(c *Client, path string, every time.Duration, bound int) (*offline, error) {
	b, problem, err := newBacklog(path, bound)
	if err != nil {
		return nil, err
	}
	o := &offline{
		c: c, every: every, backlog: b, reporting: make(chan struct{}, 1), ended: make(chan struct{}),
		batch: map[string]int{"decisions": mostItems, "rewards": mostItems}, state: TableState{Problem: problem},
	}
	o.stopped, o.stop = context.WithCancel(context.Background())
	go o.run()
	return o, nil
}

func (o *offline) count(change func(*TableState)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(&o.state)
}

// Table returns the table that the client holds, and what became of its draws.
func (c *Client) Table() (s TableState) {
	o := c.offline
	if o == nil {
		return s
	}
	o.mu.Lock()
	s = o.state
	o.mu.Unlock()
	o.backlog.mu.Lock()
	defer o.backlog.mu.Unlock()
	if t := o.backlog.table; t != nil {
		s.Version, s.MadeAt = t.Version, t.MadeAt
	}
	s.Waiting = o.backlog.order.Len()
	return s
}

// Draw draws a decision from the table, without asking the peer. The error wraps [ErrUnreachable] if nothing is drawn.
func (c *Client) Draw(ask Ask) (Decision, error) {
	if c.offline == nil {
		return Decision{}, fmt.Errorf("%w: the client was made without a table", ErrUnreachable)
	}
	if d, ok := c.offline.draw(named(ask), true); ok {
		return d, nil
	}
	problem := c.Table().Problem
	if problem == "" {
		problem = "there is no table yet"
	}
	return Decision{}, fmt.Errorf("%w: nothing is drawn: %s", ErrUnreachable, problem)
}

// remembered returns the decision that was drawn with an id and that the peer may not have. The caller holds the backlog's lock.
func (o *offline) remembered(id string) (Decision, bool) {
	w := o.backlog.find(id)
	if w == nil || w.Ask == nil {
		return Decision{}, false
	}
	return Decision{ID: id, Action: w.Action, Propensity: w.Propensity, Source: Drawn, Model: w.Ask.Table, Counted: true, Repeated: true}, true
}

var wellFormed = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// draw draws and keeps a decision; false if that cannot be, which is counted the last time. It has the id of the ask. If the peer
// has decided with it, and the answer was lost, the peer refuses the drawn one: one ask makes one record of a user.
func (o *offline) draw(ask Ask, last bool) (Decision, bool) {
	if ask.Features != nil || ask.Context != nil || ask.Taken != nil || o.stopped.Err() != nil {
		return Decision{}, false
	}
	for _, a := range ask.Actions {
		if a.Features != nil {
			return Decision{}, false
		}
	}
	b := o.backlog
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.find(ask.ID) != nil {
		return o.remembered(ask.ID)
	}
	if b.table == nil || !wellFormed.MatchString(ask.ID) {
		return Decision{}, false
	}
	found, ok := b.table.draw(ask.ID, ask.Exclude, ask.Actions)
	if !ok {
		return Decision{}, false
	}
	err := errors.New("too many decisions wait for the peer")
	ask.Table = b.table.Version
	if b.order.Len() < b.bound {
		err = b.add("drawn", drawn{ask, found.action, found.propensity}, true)
	}
	if err != nil {
		if last {
			o.full(err)
		}
		return Decision{}, false
	}
	o.count(func(s *TableState) { s.Drawn++ })
	d, _ := o.remembered(ask.ID)
	d.Repeated = false
	return d, true
}

func (o *offline) full(err error) {
	o.count(func(s *TableState) { s.Full++; s.Problem = err.Error() })
}

// early returns a decision for which the peer is not asked: it was drawn before, or no answer is expected.
func (o *offline) early(ask Ask) (Decision, bool) {
	if o == nil {
		return Decision{}, false
	}
	o.backlog.mu.Lock()
	d, ok := o.remembered(ask.ID)
	o.backlog.mu.Unlock()
	if ok || !o.down.Load() {
		return d, ok
	}
	return o.draw(ask, false)
}

// instead returns a decision for one that got no answer.
func (o *offline) instead(ask Ask) (d Decision, ok bool) {
	if o == nil {
		return d, false
	}
	if d, ok = o.draw(ask, true); ok {
		o.down.Store(true)
	}
	return d, ok
}

// asked notes that the peer decided with an id that it may have refused before.
func (o *offline) asked(id string) {
	if o == nil {
		return
	}
	o.backlog.mu.Lock()
	defer o.backlog.mu.Unlock()
	if _, refused := o.backlog.dropped[id]; refused {
		_ = o.backlog.add("asked", id, false)
	}
}

// kept keeps a reward that has to wait: its decision does, or no answer is expected. It is false for one to report now.
func (o *offline) kept(id string, reward any) (Receipt, bool, error) {
	if o == nil {
		return Receipt{}, false, nil
	}
	o.backlog.mu.Lock()
	status := o.backlog.dropped[id]
	waits := o.backlog.find(id) != nil
	o.backlog.mu.Unlock()
	if status != 0 { // the peer may have another decision with this id
		p := &Problem{Status: status, Code: "conflict", Detail: "the peer has refused the decision"}
		if status == http.StatusGone {
			p.Code = "expired"
		}
		return Receipt{}, false, p
	}
	if !waits && !o.down.Load() {
		return Receipt{}, false, nil
	}
	receipt, err := o.keep(id, reward, waits)
	if err != nil && !waits {
		return receipt, false, nil
	}
	return receipt, err == nil, err
}

// keep keeps a reward to report it later, which is counted if it cannot be, the last time.
func (o *offline) keep(id string, reward any, last bool) (Receipt, error) {
	b := o.backlog
	b.mu.Lock()
	defer b.mu.Unlock()
	err := fmt.Errorf("%w: too many rewards wait for the peer", ErrUnreachable)
	if o.stopped.Err() == nil && b.rewards < b.bound && (b.find(id) != nil || b.order.Len() < b.bound) {
		err = b.add("reward", reward, true)
	}
	if err != nil && last {
		o.full(err)
	}
	return Receipt{ID: id, Counted: true}, err
}

// later keeps a reward that got no answer.
func (o *offline) later(id string, reward any) (Receipt, bool) {
	if o == nil {
		return Receipt{}, false
	}
	receipt, err := o.keep(id, reward, true)
	if err == nil {
		o.down.Store(true)
	}
	return receipt, err == nil
}

// close reports until the deadline, and returns what is left.
func (o *offline) close(deadline time.Duration) []Waiting {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	o.stop()
	<-o.ended
	for !o.report(ctx) && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(firstPause):
		}
	}
	o.backlog.mu.Lock()
	defer o.backlog.mu.Unlock()
	o.backlog.close()
	return o.backlog.all()
}

func (o *offline) run() {
	defer close(o.ended)
	tick := time.NewTicker(min(o.every, time.Second))
	defer tick.Stop()
	var due time.Time
	for {
		answered := true
		if o.down.Load() || !time.Now().Before(due) {
			if answered = o.fetch(); answered {
				due = time.Now().Add(o.every)
			}
		}
		if answered {
			answered = o.report(o.stopped)
		}
		if answered {
			o.down.Store(false)
		}
		select {
		case <-o.stopped.Done():
			return
		case <-tick.C:
		}
	}
}

// fetch asks for the newest table, and reports whether the peer answered.
func (o *offline) fetch() bool {
	status, text, err := o.c.send(o.stopped, http.MethodGet, "/v1/table", nil)
	if err != nil || again(status) {
		return false
	}
	t := new(Table)
	if status == http.StatusOK {
		if err = json.Unmarshal(text, t); err == nil {
			err = t.check()
		}
	} else {
		err = fmt.Errorf("no table: %w", problem(status, text))
	}
	b := o.backlog
	b.mu.Lock()
	switch {
	case err == nil && (b.table == nil || b.table.Version != t.Version):
		err = b.add("table", t, false)
	case b.table != nil && (status == http.StatusNotFound || status == http.StatusUnprocessableEntity):
		_ = b.add("table", nil, false) // the peer has none now
	}
	b.mu.Unlock()
	if err != nil {
		o.count(func(s *TableState) { s.Problem = err.Error() })
	}
	return true
}
