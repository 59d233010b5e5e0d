package kept

import (
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node"
)

// halfVersion is the version of a saved Half.
const halfVersion = 1

// Save returns the site's own records. They are private, and never leave the site. Rows of other sites are not in it, since the agent
// has them.
func (h *Half) Save() []byte { return state.Save(halfVersion, h.fields) }

// Load restores saved records, of which no decision waits. After an error the half must not be used.
func (h *Half) Load(saved []byte) error {
	if err := state.Load(saved, halfVersion, h.fields); err != nil {
		return fmt.Errorf("kept half: %w", err)
	}
	for k := range h.parts {
		h.parts[k].news, h.belief.Pulls[k] = true, h.parts[k].n
	}
	return nil
}

func (h *Half) fields(v *state.Visitor) {
	n := v.Len(len(h.parts))
	v.Check(n == len(h.parts), "%d parts, want %d", n, len(h.parts))
	for k := range h.parts {
		p := &h.parts[k]
		p.fields(v)
		for i := range p.sums {
			v.Int(&p.sums[i])
		}
	}
}

// Bounds returns bounds of the means of all arms for the site's own users, as [node.Insight.Bounds] does from releases.
func (h *Half) Bounds() []bandit.Bound {
	h.renew()
	return bandit.Bounds(&h.belief, h.self, node.Miss)
}

// Inside sets what the site's own people may see of the half. A test lists the files that may call it.
func (h *Half) Inside(to *node.Inside) {
	if len(h.add) > 1 {
		return
	}
	h.renew()
	to.Estimates = h.of.Learner.Summarize(&h.belief).Estimates
	to.Means, to.Rewards = make([]float64, len(h.parts)), make([]float64, len(h.parts))
	for k := range h.parts {
		for _, s := range h.belief.Sites[k] {
			if s.Peer == h.self {
				to.Means[k], to.Rewards[k] = s.Mean, s.N
			}
		}
	}
}
