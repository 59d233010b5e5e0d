package protocol

import (
	"fmt"
	"slices"

	"peerd.dev/dp"
)

// Kind is the type of a message. Every protocol has its own kinds.
type Kind uint8

// A Message is the only thing that crosses the wire. Its fields are unexported: only a [Press]
// fills them in, which protocols have, and the only payload is a [dp.Release].
//
// A Message is a handle: copies share one content, which does not change once the Message is in an
// [Outbox] or was decoded. With Config.Reuse alone a Tick may use the contents of the Tick before
// the last one again, and a protocol that keeps part of another peer's message copies it. The zero
// Message has no content and no method may be called on it.
type Message struct{ *message }

// message is a Message's content.
type message struct {
	kind   Kind
	label  Label
	refs   []Label // labels of other messages
	body   []dp.Release
	sealed []dp.Sealed // releases that only the owner of a key can read
	round  Round       // of the sender; 0 in kinds without one
	sig    string      // by label.Origin over everything except round

	frame string // the canonical form; empty until it is needed
}

// NoMessage returns a Message of kind 0, which no protocol sends. It stands where there is
// no message yet.
func NoMessage() Message { return Message{&message{}} }

// Kind returns the message's kind.
func (m Message) Kind() Kind { return m.kind }

// Label returns the message's label.
func (m Message) Label() Label { return m.label }

// Round returns the sender's round; 0 in kinds without one.
func (m Message) Round() Round { return m.round }

// Refs returns the number of labels of other messages.
func (m Message) Refs() int { return len(m.refs) }

// Ref returns label i of another message.
func (m Message) Ref(i int) Label { return m.refs[i] }

// Body returns the number of releases in the message.
func (m Message) Body() int { return len(m.body) }

// Release returns release i of the body. It must not be changed.
func (m Message) Release(i int) *dp.Release { return &m.body[i] }

// Sealed returns the releases that only the holder of a key can read. The list must not be changed.
func (m Message) Sealed() []dp.Sealed { return m.sealed }

// Signature returns the signature of the origin; empty if there is none.
func (m Message) Signature() string { return m.sig }

// Content returns a copy of what the message says.
func (m Message) Content() Content {
	return Content{m.kind, m.label, slices.Clone(m.refs), slices.Clone(m.body), slices.Clone(m.sealed)}
}

// Refuse returns the error with which a protocol refuses the message. It wraps [ErrPeer].
func (m Message) Refuse(format string, args ...any) error {
	return fmt.Errorf("%w: kind %d of peer %d, number %d: %s", ErrPeer, m.kind, m.label.Origin, m.label.Seq, fmt.Sprintf(format, args...))
}

// Content is the content of a message. The message keeps the slices.
type Content struct {
	Kind   Kind         // one of the protocol's [Traits]
	Label  Label        // of this peer, or of an earlier life of it
	Refs   []Label      // labels of other messages, at most 4096
	Body   []dp.Release // at most 1024
	Sealed []dp.Sealed  // at most 1024
}
