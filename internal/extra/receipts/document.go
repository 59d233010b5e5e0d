package api

import "time"

// LedgerReceipts are what peers have signed about ledgers. Its parts are lines of what an auditor is handed (docs/bundle.md).
type LedgerReceipts struct {
	Receipts    []LedgerReceipt    `json:"receipts" doc:"What neighbours have signed about this peer's ledger: of each the newest of every day, in ascending order of witness and then of time."`
	Checkpoints []LedgerCheckpoint `json:"checkpoints" doc:"What other peers have signed about their own ledgers, in ascending order of peer."`
}

// LedgerReceipt is a neighbour's statement that it remembered a checkpoint of this peer's ledger.
type LedgerReceipt struct {
	Kind      string    `json:"kind" enum:"receipt"`
	Witness   string    `json:"witness" doc:"The neighbour's id, with whose key it has signed."`
	Records   uint64    `json:"records" doc:"Number of records that the ledger had."`
	Head      string    `json:"head" doc:"Hash of the last of them, in hexadecimal."`
	Time      time.Time `json:"time" doc:"When, in seconds, by the neighbour's clock."`
	Signature string    `json:"signature" doc:"Ed25519 signature of what docs/network.md says, in hexadecimal."`
}

// LedgerCheckpoint is the newest that this peer remembers of another one's ledger.
type LedgerCheckpoint struct {
	Kind      string `json:"kind" enum:"checkpoint"`
	Peer      string `json:"peer" doc:"The peer's id, with whose key it has signed."`
	Records   uint64 `json:"records" doc:"Number of records in the ledger."`
	Head      string `json:"head" doc:"Hash of the last of them, in hexadecimal."`
	Signature string `json:"signature" doc:"Ed25519 signature of what docs/network.md says, in hexadecimal."`
}
