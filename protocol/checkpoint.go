package protocol

import (
	"encoding/binary"
	"fmt"
)

// A Checkpoint is the length of a ledger and the hash of its last record. A ledger is only appended
// to, and each record's hash covers the one before; so a ledger that returns to an earlier
// checkpoint, or has another hash at the same length, was restored from a backup or is kept twice.
// The zero Checkpoint belongs to an empty ledger, and stands for an unknown one.
type Checkpoint struct {
	Records uint64
	Head    [32]byte // hash of the last record; ignored if there is none
}

// A SignedCheckpoint is a checkpoint with its owner's signature, so that what others remember of a peer
// proves itself. The signature of a checkpoint without records is zero.
type SignedCheckpoint struct {
	Checkpoint
	Signature [64]byte
}

// A Receipt is a statement that a witness signs: at a time, it remembered a checkpoint of another peer's ledger.
type Receipt struct {
	Checkpoint
	Time      int64  // Unix time in seconds, by the witness's clock
	Witness   string // id of the key of the signature
	Signature [64]byte
}

// ReceiptSize is the size of [Receipt.Bytes].
const ReceiptSize = 8 + 32 + 8 + 64

// Bytes returns the receipt without its witness: records, head, time and signature.
func (r *Receipt) Bytes() []byte {
	b := append(binary.BigEndian.AppendUint64(make([]byte, 0, ReceiptSize), r.Records), r.Head[:]...)
	return append(binary.BigEndian.AppendUint64(b, uint64(r.Time)), r.Signature[:]...)
}

// ParseReceipt reads what [Receipt.Bytes] returns, which has [ReceiptSize] bytes.
func ParseReceipt(b []byte, witness string) Receipt {
	r := Receipt{Checkpoint: Checkpoint{binary.BigEndian.Uint64(b), [32]byte(b[8:])}, Witness: witness}
	r.Time, r.Signature = int64(binary.BigEndian.Uint64(b[40:])), [64]byte(b[48:])
	return r
}

// Follows reports whether a ledger that was at o can be at c now. With more records it can: records
// in between are not compared.
func (c Checkpoint) Follows(o Checkpoint) bool {
	return c.Records > o.Records || c.Normal() == o.Normal()
}

// Normal returns c without a head if it has no records, so that equal checkpoints
// compare equal.
func (c Checkpoint) Normal() Checkpoint {
	if c.Records == 0 {
		return Checkpoint{}
	}
	return c
}

// String returns the number of records and the first bytes of the head.
func (c Checkpoint) String() string {
	if c.Records == 0 {
		return "no record"
	}
	return fmt.Sprintf("%d records to %x", c.Records, c.Head[:4])
}
