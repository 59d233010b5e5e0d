package protocol

import (
	"slices"

	"peerd.dev/dp"
)

// Contents makes the contents of one peer's messages that are not signed. With Config.Reuse they are
// used again, once the Tick after the one that sent them is over and so every peer has read them.
type Contents struct {
	press Press
	reuse bool
	made  []*message // since the last turn
	sent  []*message // between the last two turns
	free  []*message
}

// Contents returns what makes a peer's contents.
func (p Press) Contents(reuse bool) Contents { return Contents{press: p, reuse: reuse} }

// maxReused is how many releases a content that is used again has room for.
const maxReused = 2

// Take returns a message with a body of up to two releases, which the caller fills in before it
// sends the message: they are empty, or hold memory that is free to be used. It panics if the kind
// is none of the protocol's.
func (c *Contents) Take(kind Kind, label Label, body int, refs ...Label) Message {
	c.press.check(kind)
	if !c.reuse {
		return Message{&message{kind: kind, label: label, refs: slices.Clone(refs), body: make([]dp.Release, body)}}
	}
	m := c.unused()
	m.kind, m.label, m.frame = kind, label, ""
	m.refs, m.body = append(m.refs[:0], refs...), m.body[:body]
	return Message{m}
}

// unused returns a content to fill in.
func (c *Contents) unused() *message {
	var m *message
	if n := len(c.free); n > 0 {
		m, c.free = c.free[n-1], c.free[:n-1]
	} else {
		m = &message{body: make([]dp.Release, maxReused)}
	}
	c.made = append(c.made, m)
	return m
}

// Turn ends a Tick.
func (c *Contents) Turn() {
	c.free = append(c.free, c.sent...)
	c.sent, c.made = c.made, c.sent[:0]
}
