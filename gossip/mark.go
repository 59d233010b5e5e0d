package gossip

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// A Mark says how far a peer's ledger has come. A ledger is only ever added to,
// and each record's hash covers the one before, so a ledger that goes back to an
// earlier mark, or has another head with the same count, was restored from a
// backup or is kept twice. The zero Mark is that of an empty ledger, and stands
// for knowing nothing.
type Mark struct {
	Records uint64
	Head    [32]byte // hash of the last record; counts for nothing if there is none
}

// Follows reports whether a ledger that had mark o before can have mark m now.
// With more records it can: what lies between is not to be seen.
func (m Mark) Follows(o Mark) bool {
	return m.Records > o.Records || m.plain() == o.plain()
}

// String tells the mark to people.
func (m Mark) String() string {
	if m.Records == 0 {
		return "no record"
	}
	return fmt.Sprintf("%d records to %x", m.Records, m.Head[:4])
}

// plain returns m in the one form that an empty ledger's mark has.
func (m Mark) plain() Mark {
	if m.Records == 0 {
		return Mark{}
	}
	return m
}

const (
	// markTag begins a mark's frame and no message's: those begin with a field
	// number, and there is no field 0.
	markTag  = 0x00
	minMark  = 1 + 1 + 32
	maxMark  = 1 + binary.MaxVarintLen64 + 32
	markSize = 8 + 32 // in a hello
)

// frame returns the frame that carries m: markTag, the count as a varint in its
// shortest form, the head.
func (m Mark) frame() []byte {
	b := make([]byte, 1, maxMark)
	b[0] = markTag
	b = binary.AppendUvarint(b, m.Records)
	return append(b, m.Head[:]...)
}

func isMark(frame []byte) bool { return len(frame) > 0 && frame[0] == markTag }

func parseMark(frame []byte) (Mark, error) {
	var m Mark
	if len(frame) < minMark || len(frame) > maxMark || !isMark(frame) {
		return m, fmt.Errorf("%w: mark of %d bytes", errViolation, len(frame))
	}
	m.Records, _ = binary.Uvarint(frame[1:])
	copy(m.Head[:], frame[len(frame)-len(m.Head):])
	if m != m.plain() || !bytes.Equal(m.frame(), frame) {
		return Mark{}, fmt.Errorf("%w: mark not in its one form", errViolation)
	}
	return m, nil
}

// appendMark appends m as it stands in a hello.
func appendMark(b []byte, m Mark) []byte {
	return append(binary.BigEndian.AppendUint64(b, m.Records), m.Head[:]...)
}

// markIn reads a mark at the beginning of b.
func markIn(b []byte) (Mark, error) {
	m := Mark{Records: binary.BigEndian.Uint64(b)}
	copy(m.Head[:], b[8:])
	if m != m.plain() {
		return m, fmt.Errorf("%w: mark with a head and no record", errViolation)
	}
	return m, nil
}
