package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"peerd.dev/protocol"
)

// Sizes of checkpoints, in bytes.
const (
	// checkpointTag is the first byte of a checkpoint's frame. No message begins with
	// it: messages begin with a field number, and there is no field 0.
	checkpointTag  = 0x00
	SignatureSize  = 64
	tailSize       = 32 + SignatureSize // of head and signature
	CheckpointSize = 8 + tailSize       // in a hello
	MaxCheckpoint  = 1 + binary.MaxVarintLen64 + tailSize
)

// CheckpointFrame returns the frame that carries c: checkpointTag, then the number of records as
// a varint in its shortest form, the head, and the signature.
func CheckpointFrame(c protocol.SignedCheckpoint) []byte {
	b := make([]byte, 1, MaxCheckpoint)
	b[0] = checkpointTag
	b = binary.AppendUvarint(b, c.Records)
	return appendTail(b, c)
}

func appendTail(b []byte, c protocol.SignedCheckpoint) []byte {
	return append(append(b, c.Head[:]...), c.Signature[:]...)
}

// IsCheckpoint reports whether a frame carries a checkpoint.
func IsCheckpoint(frame []byte) bool { return len(frame) > 0 && frame[0] == checkpointTag }

// ParseCheckpoint reads the checkpoint that a frame carries.
func ParseCheckpoint(frame []byte) (c protocol.SignedCheckpoint, err error) {
	if len(frame) < 2+tailSize || len(frame) > MaxCheckpoint || !IsCheckpoint(frame) {
		return c, fmt.Errorf("%w: checkpoint of %d bytes", ErrViolation, len(frame))
	}
	c.Records, _ = binary.Uvarint(frame[1:])
	rest := frame[len(frame)-tailSize:]
	copy(c.Signature[:], rest[copy(c.Head[:], rest):])
	if !canonical(c) || !bytes.Equal(CheckpointFrame(c), frame) {
		return protocol.SignedCheckpoint{}, fmt.Errorf("%w: checkpoint not in canonical form", ErrViolation)
	}
	return c, nil
}

// AppendCheckpoint appends c in the form that a hello has.
func AppendCheckpoint(b []byte, c protocol.SignedCheckpoint) []byte {
	return appendTail(binary.BigEndian.AppendUint64(b, c.Records), c)
}

// ReadCheckpoint reads a checkpoint in the form that a hello has.
func ReadCheckpoint(b []byte) (c protocol.SignedCheckpoint, err error) {
	c.Records = binary.BigEndian.Uint64(b)
	copy(c.Signature[:], b[8+copy(c.Head[:], b[8:]):])
	if !canonical(c) {
		return c, fmt.Errorf("%w: checkpoint with a head or a signature and no record", ErrViolation)
	}
	return c, nil
}

// canonical reports whether a checkpoint without records has neither head nor signature.
func canonical(c protocol.SignedCheckpoint) bool {
	return c.Records > 0 || c == protocol.SignedCheckpoint{}
}
