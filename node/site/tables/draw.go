package tables

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// A Table is what an application draws actions from while its peer is down. It is public: it follows from releases and coins.
type Table struct {
	Version string    `json:"version"` // of the contents
	Model   string    `json:"model"`   // as of a decision
	Salt    string    `json:"salt"`
	Actions []Weight  `json:"actions"`
	MadeAt  time.Time `json:"made_at"`
}

// A Weight is how likely an action is: in proportion to it. Weights of a table sum to [MostWeight] at most.
type Weight struct {
	Name   string `json:"name"`
	Weight uint64 `json:"weight"`
}

// MostWeight is the greatest sum of the weights of a table.
const MostWeight = 1 << 20

// Seal sets the version of a table, which follows from its contents.
func (t *Table) Seal() {
	h := sha256.Sum256(fmt.Appendf(nil, "%q %q %v", t.Model, t.Salt, t.Actions))
	t.Version = hex.EncodeToString(h[:12])
}

// Draw draws the action of a decision: by its id, out of those that may be taken. It returns its probability, and "" if none may be.
// Every client repeats it; see docs/api.md.
func (t *Table) Draw(id string, may func(name string) bool) (action string, propensity float64) {
	var able []Weight
	var total uint64
	for _, a := range t.Actions {
		if may(a.Name) {
			able = append(able, a)
			total += a.Weight
		}
	}
	if len(able) == 0 {
		return "", 0
	}
	if total == 0 {
		for i := range able {
			able[i].Weight = 1
		}
		total = uint64(len(able))
	}
	rest := uniform(t.Salt+"/"+id) % total
	for _, a := range able {
		if rest < a.Weight {
			return a.Name, float64(a.Weight) / float64(total)
		}
		rest -= a.Weight
	}
	return "", 0 // not reached: rest is below the sum
}

// uniform returns the first 48 bits of a hash.
func uniform(text string) (u uint64) {
	h := sha256.Sum256([]byte(text))
	for _, b := range h[:6] {
		u = u<<8 | uint64(b)
	}
	return u
}
