package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"peerd.dev/protocol"
)

// Sizes of a hello, in bytes.
const (
	helloVersion = 6
	MaxHello     = 384
)

// MaxNetwork bounds the length of a network id.
const MaxNetwork = 64

// A Hello is the first frame of a stream, in both directions. Its fields are version, index and
// incarnation (big-endian, 4 bytes each), policy hash, 1 if checkpoints are exchanged or 0, two
// checkpoints (each a big-endian number of records, a head and a signature; zero if none are exchanged), two
// runs (8 bytes each), and network id.
type Hello struct {
	Self        protocol.Peer
	Incarnation uint32
	Policy      [32]byte
	Checkpoints bool
	Checkpoint  protocol.SignedCheckpoint // the sender's
	Remembered  protocol.SignedCheckpoint // the receiver's highest that the sender knows
	Run         Run                       // the sender's
	Linked      Run                       // the receiver's run that the sender is connected with; zero for none
	Network     string

	Differ string // how the two ends' terms differ, if their policies do and both sent their terms; not sent
}

// A head is what a hello is on the wire, without the network id.
type head struct {
	Version     byte
	Self        protocol.Peer
	Incarnation uint32
	Policy      [32]byte
	Checkpoints bool
	Known       [2]protocol.SignedCheckpoint
	Runs        [2]Run
}

// Encode returns the bytes of a hello.
func (h *Hello) Encode() []byte {
	x := head{helloVersion, h.Self, h.Incarnation, h.Policy, h.Checkpoints, [2]protocol.SignedCheckpoint{h.Checkpoint, h.Remembered}, [2]Run{h.Run, h.Linked}}
	b, _ := binary.Append(make([]byte, 0, MaxHello), binary.BigEndian, &x) // numbers have a size
	return append(b, h.Network...)
}

// ParseHello reads a hello in its canonical form.
func ParseHello(b []byte) (Hello, error) {
	if len(b) > 0 && b[0] != helloVersion {
		return Hello{}, fmt.Errorf("%w: its link version is %d, ours %d", ErrMismatch, b[0], helloVersion)
	}
	var x head
	n, err := binary.Decode(b, binary.BigEndian, &x)
	if err != nil {
		return Hello{}, fmt.Errorf("%w: hello of %d bytes", ErrViolation, len(b))
	}
	h := Hello{x.Self, x.Incarnation, x.Policy, x.Checkpoints, x.Known[0], x.Known[1], x.Runs[0], x.Runs[1], string(b[n:]), ""}
	bare := Hello{Self: h.Self, Incarnation: h.Incarnation, Policy: h.Policy, Network: h.Network}
	if !canonical(h.Checkpoint) || !canonical(h.Remembered) || !bytes.Equal(h.Encode(), b) || !h.Checkpoints && h != bare {
		return Hello{}, fmt.Errorf("%w: hello not in canonical form", ErrViolation)
	}
	return h, nil
}

// Check returns an error that lists all differences between h and theirs, the hello of
// the peer whose key the connection has.
func (h *Hello) Check(theirs *Hello, of protocol.Peer) error {
	var differ []string
	if theirs.Network != h.Network {
		differ = append(differ, fmt.Sprintf("its network is %.*q, ours %q", MaxNetwork, theirs.Network, h.Network))
	}
	if theirs.Policy != h.Policy && theirs.Differ != "" {
		differ = append(differ, theirs.Differ)
	} else if theirs.Policy != h.Policy {
		differ = append(differ, fmt.Sprintf("its policy hash is %x…, ours %x…", theirs.Policy[:4], h.Policy[:4]))
	}
	if theirs.Self != of {
		differ = append(differ, fmt.Sprintf("it says it is peer %d, its key is peer %d's", theirs.Self, of))
	}
	if theirs.Checkpoints != h.Checkpoints {
		differ = append(differ, "only one of the two exchanges checkpoints")
	}
	if differ == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrMismatch, strings.Join(differ, "; "))
}

// WriteHello writes a hello in a frame.
func WriteHello(w io.Writer, h *Hello) error {
	f := Writer{Out: bufio.NewWriterSize(w, MaxHello+MaxPrefix)}
	if err := f.Put(string(h.Encode())); err != nil {
		return err
	}
	return f.Flush()
}

// ReadHello reads a hello in a frame.
func ReadHello(r *bufio.Reader) (Hello, error) {
	f := Reader{In: r}
	b, err := f.Next(MaxHello)
	if err != nil {
		return Hello{}, err
	}
	return ParseHello(b)
}
