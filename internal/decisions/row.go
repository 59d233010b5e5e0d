package decisions

import (
	"time"

	"peerd.dev/node/decision"
)

// A Row is a decision with its outcome, with the names of the Open Bandit Pipeline (Saito et al.
// 2021) where it has one: action, position, reward, pscore, context and action_context. It is raw data.
type Row struct {
	ID       string    `json:"id" parquet:"id"`
	Time     time.Time `json:"timestamp" parquet:"timestamp,timestamp"`
	Action   int64     `json:"action" parquet:"action"`     // number of the network's action, from 0; of an action of the request's own, its place in offered
	Name     string    `json:"name" parquet:"name,dict"`    // of the action
	Position int64     `json:"position" parquet:"position"` // 0: a decision has one action
	Reward   float64   `json:"reward" parquet:"reward"`
	Reported bool      `json:"reported" parquet:"reported"` // a reward was reported; otherwise it is the default
	PScore   float64   `json:"pscore" parquet:"pscore"`     // propensity; 0 if not computed
	Context  []float64 `json:"context" parquet:"context"`   // as asked; empty without one
	Features []float64 `json:"features" parquet:"features"` // of the action, as it was learned from; empty without features

	// What could be chosen, without what was excluded. With features Offered and Actions have an entry for each action, in
	// the same order; without, Offered is empty unless something was excluded.
	Offered []string    `json:"offered" parquet:"offered"`
	Actions [][]float64 `json:"action_context" parquet:"action_context,list"` // their features, as asked

	Source  decision.Source `json:"source" parquet:"source,dict"`
	Model   string          `json:"model" parquet:"model,dict"`
	Counted bool            `json:"counted" parquet:"counted"`

	Proposed   string  `json:"proposed" parquet:"proposed,dict"`  // by the peer, where the application took an action; else empty
	PeerPScore float64 `json:"peer_pscore" parquet:"peer_pscore"` // probability with which the peer would have taken the action; 0 unless the application took it
	LateBy     float64 `json:"late_by" parquet:"late_by"`         // seconds from the end of the window to the first late report; 0 for none
	Kept       bool    `json:"kept" parquet:"kept"`               // it was not given to the network
}
