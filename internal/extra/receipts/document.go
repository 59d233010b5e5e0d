package receipts

import (
	"encoding/hex"
	"time"

	"peerd.dev/protocol"
)

// document is what peers have signed about ledgers. Its parts are lines of what an auditor is handed (docs/bundle.md).
type document struct {
	Receipts    []statement `json:"receipts"`    // of neighbours, about this peer's ledger
	Checkpoints []statement `json:"checkpoints"` // of other peers, about their own
}

// A statement is a receipt of a witness, or a checkpoint of a peer.
type statement struct {
	Kind      string    `json:"kind"`
	Witness   string    `json:"witness,omitempty"`
	Peer      string    `json:"peer,omitempty"`
	Records   uint64    `json:"records"`
	Head      string    `json:"head"`
	Time      time.Time `json:"time,omitzero"` // of a receipt
	Signature string    `json:"signature"`
}

func state(kind string, c protocol.Checkpoint, signature [64]byte) statement {
	return statement{Kind: kind, Records: c.Records, Head: hex.EncodeToString(c.Head[:]), Signature: hex.EncodeToString(signature[:])}
}
