package protocol

import "peerd.dev/dp"

// signed returns a message of this peer, or of an earlier life of it, with releases, signed.
func (c *Config) signed(kind Kind, label Label, body []dp.Release) Message {
	m := Message{&message{kind: kind, label: label, body: body}}
	m.sig = c.Keys.Sign(appendContent(nil, m.message))
	return m
}
