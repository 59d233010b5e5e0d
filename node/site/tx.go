package site

import (
	"crypto/sha256"
	"fmt"
	"time"

	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// tx is one call's transaction of decisions or rewards, with the site locked.
type tx struct {
	site  *Site // locked
	batch *store.Batch
	now   time.Time
	wait  bool // an answer repeats a decision that may not be durable yet
	made  bool // a decision was made
	fill  int  // least size of the batch, in bytes

	reports bool                         // of rewards: nothing in it may be visible to others, not even which batches there are
	written []written                    // what the batch writes, to be put into [recent] once it is applied
	places  map[string]int               // in written, by id; nil for one item, after which there is no lookup
	noted   map[string]bool              // decisions whose late reports the batch notes, by id
	known   map[[sha256.Size]byte]uint64 // number of decisions, by subject
}

// written is a decision that was made or changed.
type written struct {
	id    string
	value []byte // in its stored form
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (tx) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Format implements [fmt.Formatter] as [logRecord] does.
func (written) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// open locks the site for a number of items, unless it accepts nothing. Reports of rewards are
// accepted with less free room.
func (x *tx) open(items int) error {
	switch {
	case x.site.agent.Idle():
		return &decision.Refusal{Code: decision.Simulated, Reason: "this peer has a role without actions, so it makes no decisions and takes no rewards; ask a peer that has actions"}
	case x.site.c.World != nil:
		return &decision.Refusal{Code: decision.Simulated, Reason: "this peer plays a simulated world, which pays its own rewards; set world.kind: application to serve one"}
	}
	x.site.mu.Lock()
	if !x.reports {
		x.site.store.Look()
	}
	switch {
	case x.site.closing || x.site.broken:
		x.site.mu.Unlock()
		return &decision.Refusal{Code: decision.Unavailable, Reason: "this peer is ending; ask again when it is back"}
	case x.site.store.Full() || !x.reports && x.site.store.Low():
		x.site.mu.Unlock()
		return &decision.Refusal{Code: decision.Full, Reason: fmt.Sprintf("%v. Nothing was stored; make room, then ask again", x.site.store.Lack())}
	}
	x.batch, x.now = x.site.store.Batch(), x.site.c.Now()
	if x.reports {
		x.batch.Quiet()
	}
	if items > 1 {
		x.places = make(map[string]int, items)
	}
	return nil
}

// close unlocks the site and waits until the answers are durable.
func (x *tx) close() error {
	if x.batch.Empty() {
		if !x.wait {
			x.batch.Drop()
			x.site.mu.Unlock()
			return nil
		}
		x.batch.Set(store.Meta, []byte(syncKey), nil) // durable after everything before it
	}
	var shown *durableStatus
	if x.made {
		shown = x.site.newest()
	}
	if x.made && x.site.step-x.site.saved >= x.site.saveEvery { // a round can be long
		if err := x.site.saveSnapshot(x.batch); err != nil {
			defer x.site.mu.Unlock()
			return x.site.broke(err)
		}
	}
	x.batch.Fill(x.fill - x.batch.Room())
	p := x.batch.Apply()
	for i := range x.written {
		x.site.recent.put(x.written[i].id, x.written[i].value)
	}
	x.site.mu.Unlock()
	if err := p.Wait(); err != nil {
		return err
	}
	x.site.show(shown)
	return nil
}

// find returns the decision with an id.
func (x *tx) find(id string) (c choice, ok bool, err error) {
	v, kept := x.site.recent.of[id]
	if i, here := x.places[id]; here {
		v, kept = x.written[i].value, true
	}
	if !kept {
		v, err = x.site.store.Get(store.Decision, []byte(id))
	}
	if err != nil || v == nil {
		return c, false, err
	}
	c, err = parseChoice(v, x.site.c.shape())
	return c, true, err
}

// write stores a decision and returns its room.
func (x *tx) write(id string, c *choice) int {
	b := c.bytes()
	if x.places != nil {
		x.places[id] = len(x.written)
	}
	x.written = append(x.written, written{id, b})
	x.batch.Set(store.Decision, []byte(id), b)
	return roomOf(id, b)
}
