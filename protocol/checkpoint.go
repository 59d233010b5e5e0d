package protocol

import "fmt"

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
