package protocol

import "peerd.dev/dp"

// signed returns a message of this peer, or of an earlier life of it, with releases, signed.
func (c *Config) signed(kind Kind, label Label, body []dp.Release) Message {
	m := &message{kind: kind, label: label, body: body}
	c.sign(m)
	return Message{m}
}

// sign signs a message that is complete but for that.
func (c *Config) sign(m *message) { m.sig = c.Keys.Sign(appendContent(nil, m)) }

// authentic reports whether a message is signed by its origin.
func (c *Config) authentic(m *Message) bool {
	return c.Keys.Verify(m.label.Origin, appendContent(nil, m.message), m.sig)
}
