package protocol

import "errors"

// A Press makes the messages of one peer, of releases. [New] gives one to a protocol, and there is no other way
// to get one: the zero Press makes nothing. So the drivers of this module, which see rewards, make no
// messages, and protocols, which make messages, see no reward. A protocol of another module
// shares memory with its program and has to keep apart from rewards itself. Its press opens nothing,
// unless a package of this module vouches for the keys.
type Press struct{ *press }

type press struct {
	keys  Keys
	kinds map[Kind]string // that it makes
}

// Message returns a message without a signature. It panics if the kind is none of the protocol's.
func (p Press) Message(c Content) Message { return Message{p.content(c)} }

// typical is a size of what is signed, in bytes, so that appending does not copy it several times.
const typical = 256

// Signed returns a message that this peer has signed. It panics if the kind is none of the protocol's.
func (p Press) Signed(c Content) Message {
	m := p.content(c)
	m.sig = string(p.keys.Sign(appendContent(make([]byte, 0, typical), m)))
	return Message{m}
}

func (p Press) content(c Content) *message {
	p.check(c.Kind)
	return &message{kind: c.Kind, label: c.Label, refs: c.Refs, body: c.Body, sealed: c.Sealed}
}

func (p Press) check(kind Kind) {
	if p.press == nil || p.kinds[kind] == "" {
		panic("protocol: this press makes no messages of that kind")
	}
}

// Authentic reports whether a message is signed by its origin.
func (p Press) Authentic(m Message) bool {
	return p.keys.Verify(m.label.Origin, appendContent(make([]byte, 0, typical), m.message), []byte(m.sig))
}

// unsigned are the keys of a peer that has none.
type unsigned struct{}

// Sign implements [Keys].
func (unsigned) Sign([]byte) []byte { panic("protocol: Config has no Keys, and the protocol signs") }

// Verify implements [Keys].
func (unsigned) Verify(Peer, []byte, []byte) bool { return false }

// Seal implements [Keys].
func (unsigned) Seal(Peer, []byte) ([]byte, error) {
	panic("protocol: Config has no Keys, and the protocol seals")
}

// Open implements [Keys].
func (unsigned) Open([]byte) ([]byte, error) { return nil, errors.New("no key") }

// SealOverhead is by how many bytes a sealed text is longer than what it holds: an X25519 key and
// the tag of Poly1305.
const SealOverhead = 32 + 16

// Keys signs and opens for this peer, and verifies and seals for all. What they open becomes a release.
type Keys interface {
	Sign(b []byte) []byte
	Verify(p Peer, b, sig []byte) bool
	// Seal encrypts b so that one peer alone can read it. It does not show who sealed it. The text
	// is [SealOverhead] bytes longer than b. An error says that the peer has no key to seal with.
	Seal(to Peer, b []byte) ([]byte, error)
	// Open decrypts what was sealed for this peer. An error says that the text is none, or was
	// sealed for another peer or in another network.
	Open(sealed []byte) ([]byte, error)
}
