package protocol

import (
	"slices"

	"peerd.dev/dp"
)

// contents makes the contents of one peer's messages. With Config.Reuse they are used
// again, once the Tick after the one that sent them is over and so everybody has read them.
type contents struct {
	reuse bool
	made  []*message // since the last turn
	sent  []*message // between the last two turns
	free  []*message
}

// maxReused is how many releases a content that is used again has room for.
const maxReused = 2

// take returns a content with a body of up to maxReused releases, which the caller fills in
// place: they are empty, or hold memory that is free to be used.
func (c *contents) take(kind Kind, label Label, body int, refs ...Label) Message {
	if !c.reuse {
		return Message{&message{kind: kind, label: label, refs: slices.Clone(refs), body: make([]dp.Release, body)}}
	}
	m := c.unused()
	m.kind, m.label, m.frame = kind, label, ""
	m.refs, m.body = append(m.refs[:0], refs...), m.body[:body]
	return Message{m}
}

// unused returns a content to fill in.
func (c *contents) unused() *message {
	var m *message
	if n := len(c.free); n > 0 {
		m, c.free = c.free[n-1], c.free[:n-1]
	} else {
		m = &message{body: make([]dp.Release, maxReused)}
	}
	c.made = append(c.made, m)
	return m
}

// turn ends a Tick.
func (c *contents) turn() {
	c.free = append(c.free, c.sent...)
	c.sent, c.made = c.made, c.sent[:0]
}
