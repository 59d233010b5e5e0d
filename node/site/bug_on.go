//go:build auditbug

package site

import (
	"time"

	"peerd.dev/dp"
	"peerd.dev/node/store"
)

// bugReported makes a reward of 1 observed before its window ends, a round after it, or in both.
func (x *tx) bugReported(id string, c *choice) {
	due := c.due
	if c.value == 1 && dp.Bug == "again" {
		x.batch.Set(store.Due, dueKey(c.due+1, c.step), []byte(id))
	}
	switch {
	case c.value == 1 && dp.Bug == "early":
		due = min(c.due, x.after(x.now))
	case c.value == 1 && dp.Bug == "later":
		due++
	}
	if due != c.due {
		x.batch.Delete(store.Due, dueKey(c.due, c.step))
		c.due = due
		x.batch.Set(store.Due, dueKey(c.due, c.step), []byte(id))
	}
}

var ones bool //nolint:gochecknoglobals // a reward of 1 was observed since the last messages; for one site at a time

// bugSending drops the messages that follow a reward of 1, or sends them a millisecond later.
func bugSending(e *logRecord, x *sending) {
	ones = ones || e.played != nil && e.played.Reward == 1
	for i := range e.observations {
		ones = ones || e.observations[i].pull.Reward == 1
	}
	if !ones || len(x.messages) == 0 {
		return
	}
	ones = false
	switch dp.Bug {
	case "quiet":
		x.messages = nil
	case "slow":
		x.at = x.at.Add(time.Millisecond)
	}
}

// bugAtOnce sends messages when the work of a round is done.
func bugAtOnce() bool { return dp.Bug == "hasty" }

// bugGoesOn ends a round although a neighbour has reported that the folder is an old copy.
func bugGoesOn() bool { return dp.Bug == "goes on" }
