package site

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// Adding says which reports of a decision make its reward.
type Adding string

// The ways to add reports.
const (
	First Adding = "first" // the first value stands, and another one is refused
	Last  Adding = "last"  // the newest value replaces those before, until the window ends
	Sum   Adding = "sum"   // values add up, each with an id of its own
)

// mostParts is the greatest number of reports that make a sum.
const mostParts = 64

// An addend is a report that is in a sum.
type addend struct {
	hash  [8]byte // first bytes of the hash of its id
	value bandit.Reward
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (addend) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// check refuses reports that do not suit the rules.
func (r *Rules) check(report *decision.Report) *decision.Refusal {
	low, high := r.Range.Ends()
	switch {
	case !report.Empty && !r.Range.Has(float64(report.Value)):
		return &decision.Refusal{Code: decision.Invalid, Field: "value", Reason: fmt.Sprintf("want a number from %v to %v", low, high)}
	case report.Part != "" && r.Adding != Sum:
		return &decision.Refusal{Code: decision.Invalid, Field: "report", Reason: "want none unless rewards of a decision add up (api.reward: sum)"}
	case report.Part == "" && r.Adding == Sum && !report.Empty:
		return &decision.Refusal{Code: decision.Invalid, Field: "report", Reason: "want an id of this report, since the rewards of a decision add up (api.reward: sum) and a repeated report must count once"}
	}
	return nil
}

// addend returns a report as it is in a sum, without its id.
func (s *Site) addend(r *decision.Report) (p addend) {
	hash := sha256.Sum256(append(append(s.life.Salt[:], "report/"...), r.Part...))
	copy(p.hash[:], hash[:])
	p.value = r.Value
	return p
}

// has reports whether the value of a report is in the decision already. It refuses a report that contradicts an earlier one.
func (c *choice) has(adding Adding, r *decision.Report, p addend) (bool, *decision.Refusal) {
	earlier, known := c.value, c.rewarded
	if adding == Sum {
		i := slices.IndexFunc(c.parts, func(q addend) bool { return q.hash == p.hash })
		if known = i >= 0; known {
			earlier = c.parts[i].value
		}
	}
	switch {
	case r.Empty:
		return true, nil
	case !known || adding == Last && earlier != r.Value:
		return false, nil
	case earlier != r.Value:
		return true, &decision.Refusal{Code: decision.Conflict, Field: "value", Reason: "another value was reported before and stands"}
	}
	return true, nil
}

// add adds the value of a report.
func (c *choice) add(adding Adding, p addend) {
	if adding == Sum {
		c.parts = append(c.parts, p)
		p.value += c.value
	}
	c.rewarded, c.value = true, p.value+0 // there is one zero
}
