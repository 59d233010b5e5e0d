package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"peerd.dev/protocol"
)

// Sizes of a hello, in bytes.
const (
	helloVersion = 6
	helloSize    = 1 + 4 + 4 + 32 + 1 + 2*CheckpointSize + 2*8 // without the network id
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

// Encode returns the bytes of a hello.
func (h *Hello) Encode() []byte {
	b := make([]byte, 0, MaxHello)
	b = append(b, helloVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(h.Self))
	b = binary.BigEndian.AppendUint32(b, h.Incarnation)
	b = append(b, h.Policy[:]...)
	flag := byte(0)
	if h.Checkpoints {
		flag = 1
	}
	b = append(b, flag)
	b = AppendCheckpoint(b, h.Checkpoint)
	b = AppendCheckpoint(b, h.Remembered)
	b = binary.BigEndian.AppendUint64(b, uint64(h.Run))
	b = binary.BigEndian.AppendUint64(b, uint64(h.Linked))
	return append(b, h.Network...)
}

// ParseHello reads a hello in its canonical form.
func ParseHello(b []byte) (Hello, error) {
	if len(b) > 0 && b[0] != helloVersion {
		return Hello{}, fmt.Errorf("%w: its link version is %d, ours %d", ErrMismatch, b[0], helloVersion)
	}
	if len(b) < helloSize {
		return Hello{}, fmt.Errorf("%w: hello of %d bytes", ErrViolation, len(b))
	}
	h := Hello{
		Self:        protocol.Peer(binary.BigEndian.Uint32(b[1:])),
		Incarnation: binary.BigEndian.Uint32(b[5:]),
		Checkpoints: b[41] == 1,
	}
	copy(h.Policy[:], b[9:])
	rest := b[42:]
	var wrong [2]error
	h.Checkpoint, wrong[0] = ReadCheckpoint(rest)
	h.Remembered, wrong[1] = ReadCheckpoint(rest[CheckpointSize:])
	rest = rest[2*CheckpointSize:]
	h.Run, h.Linked = Run(binary.BigEndian.Uint64(rest)), Run(binary.BigEndian.Uint64(rest[8:]))
	h.Network = string(rest[16:])
	if err := errors.Join(wrong[:]...); err != nil {
		return Hello{}, err
	}
	if b[41] > 1 || !h.Checkpoints && (h.Checkpoint != protocol.SignedCheckpoint{} || h.Remembered != protocol.SignedCheckpoint{} || h.Run != 0 || h.Linked != 0) {
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
