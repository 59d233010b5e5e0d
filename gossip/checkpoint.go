package gossip

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"peerd.dev/protocol"
)

// signedCheckpoint is the domain of signatures of checkpoints.
const signedCheckpoint = "peerd/checkpoint/1"

const (
	// checkpointTag is the first byte of a checkpoint's frame. No message begins with
	// it: messages begin with a field number, and there is no field 0.
	checkpointTag  = 0x00
	signatureSize  = 64
	tailSize       = 32 + signatureSize // of head and signature
	checkpointSize = 8 + tailSize       // in a hello
	maxCheckpoint  = 1 + binary.MaxVarintLen64 + tailSize
)

// checkpointFrame returns the frame that carries c: checkpointTag, then the number of records as
// a varint in its shortest form, the head, and the signature.
func checkpointFrame(c protocol.SignedCheckpoint) []byte {
	b := make([]byte, 1, maxCheckpoint)
	b[0] = checkpointTag
	b = binary.AppendUvarint(b, c.Records)
	return appendTail(b, c)
}

func appendTail(b []byte, c protocol.SignedCheckpoint) []byte {
	return append(append(b, c.Head[:]...), c.Signature[:]...)
}

func isCheckpoint(frame []byte) bool { return len(frame) > 0 && frame[0] == checkpointTag }

func parseCheckpoint(frame []byte) (c protocol.SignedCheckpoint, err error) {
	if len(frame) < 2+tailSize || len(frame) > maxCheckpoint || !isCheckpoint(frame) {
		return c, fmt.Errorf("%w: checkpoint of %d bytes", errViolation, len(frame))
	}
	c.Records, _ = binary.Uvarint(frame[1:])
	rest := frame[len(frame)-tailSize:]
	copy(c.Signature[:], rest[copy(c.Head[:], rest):])
	if !canonical(c) || !bytes.Equal(checkpointFrame(c), frame) {
		return protocol.SignedCheckpoint{}, fmt.Errorf("%w: checkpoint not in canonical form", errViolation)
	}
	return c, nil
}

// appendCheckpoint appends c in the form that a hello has.
func appendCheckpoint(b []byte, c protocol.SignedCheckpoint) []byte {
	return appendTail(binary.BigEndian.AppendUint64(b, c.Records), c)
}

// readCheckpoint reads a checkpoint in the form that a hello has.
func readCheckpoint(b []byte) (c protocol.SignedCheckpoint, err error) {
	c.Records = binary.BigEndian.Uint64(b)
	copy(c.Signature[:], b[8+copy(c.Head[:], b[8:]):])
	if !canonical(c) {
		return c, fmt.Errorf("%w: checkpoint with a head or a signature and no record", errViolation)
	}
	return c, nil
}

// canonical reports whether a checkpoint without records has neither head nor signature.
func canonical(c protocol.SignedCheckpoint) bool {
	return c.Records > 0 || c == protocol.SignedCheckpoint{}
}

// signed returns this peer's checkpoint with its signature, which covers the network's id.
func (c *Config) signed(x protocol.Checkpoint) (s protocol.SignedCheckpoint, err error) {
	s.Checkpoint = x.Normal()
	if s.Records == 0 {
		return s, nil
	}
	sig, err := c.Identity.Sign(signedCheckpoint, c.covered(s.Checkpoint))
	copy(s.Signature[:], sig)
	return s, err
}

// proves reports whether the peer in a place has signed a checkpoint with its present key, or stated it when its key was
// replaced. A checkpoint without records needs no proof, and one of more records than there can be has none.
func (c *Config) proves(of protocol.Peer, s protocol.SignedCheckpoint) bool {
	p := &c.Peers[of]
	switch {
	case s.Records == 0, s.Checkpoint == p.stated():
		return true
	case c.MostRecords > 0 && s.Records > c.MostRecords:
		return false
	}
	return Verify(p.ID, signedCheckpoint, c.covered(s.Checkpoint), s.Signature[:])
}

// Signer returns the id of the peer in a place if a checkpoint has the signature of its key, and "" otherwise.
func (c *Config) Signer(of protocol.Peer, s protocol.SignedCheckpoint) string {
	if id := c.Peers[of].ID; Verify(id, signedCheckpoint, c.covered(s.Checkpoint), s.Signature[:]) {
		return id
	}
	return ""
}

// formerly returns the number of records that the peer in a place stated when it replaced the key that has signed a checkpoint.
func (c *Config) formerly(of protocol.Peer, s protocol.SignedCheckpoint) (stated uint64, ok bool) {
	for _, x := range c.Peers[of].Closed {
		if Verify(x.ID, signedCheckpoint, c.covered(s.Checkpoint), s.Signature[:]) {
			return x.Ledger.Records, true
		}
	}
	return 0, false
}

// covered returns what the signature of a checkpoint covers.
func (c *Config) covered(x protocol.Checkpoint) []byte {
	b := binary.BigEndian.AppendUint64(append([]byte(c.Network), 0), x.Records)
	return append(b, x.Head[:]...)
}
