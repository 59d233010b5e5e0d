package gossip

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"peerd.dev/protocol"
)

// ErrMismatch is wrapped by the errors that say why two peers do not talk: they
// are set up differently.
var ErrMismatch = errors.New("hello refused")

const (
	helloVersion = 1
	helloFixed   = 1 + 4 + 4 + 32
	maxHello     = 256
)

// hello is the first frame of a link stream, in both directions: version, index
// and incarnation (big-endian, 4 bytes each), policy hash, network id. A hello of
// another version may go on differently after its first byte.
type hello struct {
	version     byte
	self        protocol.Peer
	incarnation uint32
	policy      [32]byte
	network     string
}

func (h *hello) encode() []byte {
	b := []byte{h.version}
	b = binary.BigEndian.AppendUint32(b, uint32(h.self))
	b = binary.BigEndian.AppendUint32(b, h.incarnation)
	b = append(b, h.policy[:]...)
	return append(b, h.network...)
}

func parseHello(b []byte) (hello, error) {
	if len(b) > 0 && b[0] != helloVersion {
		return hello{version: b[0]}, nil
	}
	if len(b) < helloFixed {
		return hello{}, fmt.Errorf("%w: hello of %d bytes", errViolation, len(b))
	}
	h := hello{
		version:     b[0],
		self:        protocol.Peer(binary.BigEndian.Uint32(b[1:])),
		incarnation: binary.BigEndian.Uint32(b[5:]),
		network:     string(b[helloFixed:]),
	}
	copy(h.policy[:], b[9:])
	return h, nil
}

// check names all in which theirs, of the peer that the key belongs to, does not
// fit h.
func (h *hello) check(theirs *hello, of protocol.Peer) error {
	if theirs.version != h.version {
		return fmt.Errorf("%w: its link version is %d, ours %d", ErrMismatch, theirs.version, h.version)
	}
	var differ []string
	if theirs.network != h.network {
		differ = append(differ, fmt.Sprintf("its network is %.*q, ours %q", maxNetwork, theirs.network, h.network))
	}
	if theirs.policy != h.policy {
		differ = append(differ, fmt.Sprintf("its policy hash is %x…, ours %x…", theirs.policy[:4], h.policy[:4]))
	}
	if theirs.self != of {
		differ = append(differ, fmt.Sprintf("it says it is peer %d, its key is peer %d's", theirs.self, of))
	}
	if differ == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrMismatch, strings.Join(differ, "; "))
}
