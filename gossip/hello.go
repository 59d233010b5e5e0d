package gossip

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"peerd.dev/protocol"
)

const (
	helloVersion = 6
	helloSize    = 1 + 4 + 4 + 32 + 1 + 2*checkpointSize + 2*8 // without the network id
	maxHello     = 384
)

// hello is the first frame of a stream, in both directions. Its fields are version, index and
// incarnation (big-endian, 4 bytes each), policy hash, 1 if checkpoints are exchanged or 0, two
// checkpoints (each a big-endian number of records, a head and a signature; zero if none are exchanged), two
// runs (8 bytes each), and network id.
type hello struct {
	self        protocol.Peer
	incarnation uint32
	policy      [32]byte
	checkpoints bool
	checkpoint  protocol.SignedCheckpoint // the sender's
	remembered  protocol.SignedCheckpoint // the receiver's highest that the sender knows
	run         Run                       // the sender's
	linked      Run                       // the receiver's run that the sender is connected with; zero for none
	network     string

	differ string // how the two ends' terms differ, if their policies do and both sent their terms; not sent
}

// hello returns a peer's hello without its checkpoints.
func (c *Config) hello() hello {
	return hello{
		self: c.Self, incarnation: c.Incarnation, policy: c.Policy, checkpoints: c.Checkpoints, network: c.Network,
	}
}

func (h *hello) encode() []byte {
	b := make([]byte, 0, maxHello)
	b = append(b, helloVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(h.self))
	b = binary.BigEndian.AppendUint32(b, h.incarnation)
	b = append(b, h.policy[:]...)
	flag := byte(0)
	if h.checkpoints {
		flag = 1
	}
	b = append(b, flag)
	b = appendCheckpoint(b, h.checkpoint)
	b = appendCheckpoint(b, h.remembered)
	b = binary.BigEndian.AppendUint64(b, uint64(h.run))
	b = binary.BigEndian.AppendUint64(b, uint64(h.linked))
	return append(b, h.network...)
}

func parseHello(b []byte) (hello, error) {
	if len(b) > 0 && b[0] != helloVersion {
		return hello{}, fmt.Errorf("%w: its link version is %d, ours %d", ErrMismatch, b[0], helloVersion)
	}
	if len(b) < helloSize {
		return hello{}, fmt.Errorf("%w: hello of %d bytes", errViolation, len(b))
	}
	h := hello{
		self:        protocol.Peer(binary.BigEndian.Uint32(b[1:])),
		incarnation: binary.BigEndian.Uint32(b[5:]),
		checkpoints: b[41] == 1,
	}
	copy(h.policy[:], b[9:])
	rest := b[42:]
	var wrong [2]error
	h.checkpoint, wrong[0] = readCheckpoint(rest)
	h.remembered, wrong[1] = readCheckpoint(rest[checkpointSize:])
	rest = rest[2*checkpointSize:]
	h.run, h.linked = Run(binary.BigEndian.Uint64(rest)), Run(binary.BigEndian.Uint64(rest[8:]))
	h.network = string(rest[16:])
	if err := errors.Join(wrong[:]...); err != nil {
		return hello{}, err
	}
	if b[41] > 1 || !h.checkpoints && (h.checkpoint != protocol.SignedCheckpoint{} || h.remembered != protocol.SignedCheckpoint{} || h.run != 0 || h.linked != 0) {
		return hello{}, fmt.Errorf("%w: hello not in canonical form", errViolation)
	}
	return h, nil
}

// check returns an error that lists all differences between h and theirs, the hello of
// the peer whose key the connection has.
func (h *hello) check(theirs *hello, of protocol.Peer) error {
	var differ []string
	if theirs.network != h.network {
		differ = append(differ, fmt.Sprintf("its network is %.*q, ours %q", maxNetwork, theirs.network, h.network))
	}
	if theirs.policy != h.policy && theirs.differ != "" {
		differ = append(differ, theirs.differ)
	} else if theirs.policy != h.policy {
		differ = append(differ, fmt.Sprintf("its policy hash is %x…, ours %x…", theirs.policy[:4], h.policy[:4]))
	}
	if theirs.self != of {
		differ = append(differ, fmt.Sprintf("it says it is peer %d, its key is peer %d's", theirs.self, of))
	}
	if theirs.checkpoints != h.checkpoints {
		differ = append(differ, "only one of the two exchanges checkpoints")
	}
	if differ == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrMismatch, strings.Join(differ, "; "))
}

func writeHello(w io.Writer, h *hello) error {
	f := frameWriter{w: bufio.NewWriterSize(w, maxHello+maxPrefix)}
	if err := f.write(string(h.encode())); err != nil {
		return err
	}
	return f.flush()
}

func readHello(r *bufio.Reader) (hello, error) {
	f := frameReader{r: r}
	b, err := f.next(maxHello)
	if err != nil {
		return hello{}, err
	}
	return parseHello(b)
}

// askHello sends a hello on a stream that this end opened, and returns the answer and how long it took.
func (c *Config) askHello(s network.Stream, r *bufio.Reader, ours *hello) (theirs hello, rtt time.Duration, err error) {
	began := time.Now()
	if err = writeHello(s, ours); err == nil {
		theirs, err = readHello(r)
	}
	if err != nil {
		return theirs, 0, fmt.Errorf("hello: %w", err)
	}
	rtt = time.Since(began)
	theirs.differ = c.tradeTerms(s, r, ours, &theirs, true)
	return theirs, rtt, nil
}

// tradeTerms trades terms after the hellos of two ends with different policies.
func (c *Config) tradeTerms(s network.Stream, r *bufio.Reader, ours, theirs *hello, opener bool) string {
	if theirs.policy == ours.policy {
		return ""
	}
	return tradeTerms(s, r, c.Terms, opener)
}
