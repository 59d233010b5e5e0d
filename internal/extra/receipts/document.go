package receipts

import "time"

// document is what peers have signed about ledgers. Its parts are lines of what an auditor is handed (docs/bundle.md).
type document struct {
	Receipts    []receipt    `json:"receipts"`
	Checkpoints []checkpoint `json:"checkpoints"`
}

// receipt is a neighbour's statement that it remembered a checkpoint of this peer's ledger.
type receipt struct {
	Kind      string    `json:"kind"`
	Witness   string    `json:"witness"`
	Records   uint64    `json:"records"`
	Head      string    `json:"head"`
	Time      time.Time `json:"time"`
	Signature string    `json:"signature"`
}

// checkpoint is the newest that this peer remembers of another one's ledger.
type checkpoint struct {
	Kind      string `json:"kind"`
	Peer      string `json:"peer"`
	Records   uint64 `json:"records"`
	Head      string `json:"head"`
	Signature string `json:"signature"`
}
