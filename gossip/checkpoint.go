package gossip

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"peerd.dev/protocol"
)

const (
	// checkpointTag is the first byte of a checkpoint's frame. No message begins with
	// it: messages begin with a field number, and there is no field 0.
	checkpointTag  = 0x00
	minCheckpoint  = 1 + 1 + 32
	maxCheckpoint  = 1 + binary.MaxVarintLen64 + 32
	checkpointSize = 8 + 32 // in a hello
)

// checkpointFrame returns the frame that carries c: checkpointTag, then the number of records as
// a varint in its shortest form, then the head.
func checkpointFrame(c protocol.Checkpoint) []byte {
	b := make([]byte, 1, maxCheckpoint)
	b[0] = checkpointTag
	b = binary.AppendUvarint(b, c.Records)
	return append(b, c.Head[:]...)
}

func isCheckpoint(frame []byte) bool { return len(frame) > 0 && frame[0] == checkpointTag }

func parseCheckpoint(frame []byte) (protocol.Checkpoint, error) {
	var c protocol.Checkpoint
	if len(frame) < minCheckpoint || len(frame) > maxCheckpoint || !isCheckpoint(frame) {
		return c, fmt.Errorf("%w: checkpoint of %d bytes", errViolation, len(frame))
	}
	c.Records, _ = binary.Uvarint(frame[1:])
	copy(c.Head[:], frame[len(frame)-len(c.Head):])
	if c != c.Normal() || !bytes.Equal(checkpointFrame(c), frame) {
		return protocol.Checkpoint{}, fmt.Errorf("%w: checkpoint not in canonical form", errViolation)
	}
	return c, nil
}

// appendCheckpoint appends c in the form that a hello has.
func appendCheckpoint(b []byte, c protocol.Checkpoint) []byte {
	return append(binary.BigEndian.AppendUint64(b, c.Records), c.Head[:]...)
}

// readCheckpoint reads a checkpoint in the form that a hello has from the beginning of b.
func readCheckpoint(b []byte) (protocol.Checkpoint, error) {
	c := protocol.Checkpoint{Records: binary.BigEndian.Uint64(b)}
	copy(c.Head[:], b[8:])
	if c != c.Normal() {
		return c, fmt.Errorf("%w: checkpoint with a head and no record", errViolation)
	}
	return c, nil
}
