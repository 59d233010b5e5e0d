// Package kept is the half of a site that nothing leaves. It makes the decisions that the site does not give to its
// network: their choices follow from the exact rewards of the site's own users, and from what other sites have released.
// An adversary that sees all that the site sends learns nothing of them. That is joint differential privacy by a billboard
// (Hsu, Huang, Roth, Roughgarden and Wu 2014), with a local model that stays private (Bietti et al. 2022). See docs/proofs/kept.md.
//
// A test says which packages may import it; none that makes, stores or sends a message does.
package kept

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// A Half is the kept half of a site: a learner of its own, exact sums, and a copy of others' rows. No package other
// than simulations can read a number of it, and it prints as "private". It is deterministic, and not safe for concurrent use.
type Half struct {
	node.Keeping
	self    int
	seed    node.Seed
	coins   node.Coins
	absent  []bandit.Arm
	explore float64
	arms    int
	parts   []part
	belief  bandit.Belief
	update  []float64 // scratch
	add     []int64   // scratch
}

// A part is what is known of a part of the statistic.
type part struct {
	sums    []int64 // of own records, on the grid of [dp.GridExponent]
	n       uint64  // own records
	shown   uint64  // own records that the belief holds
	version uint64  // of others' rows
	others  []belief.Site
}

// A Choice is the choice of a kept decision. It has no arm that an agent takes.
type Choice struct{ of bandit.Choice }

// Format implements [fmt.Formatter].
func (*Half) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Simulated returns the arm, for a simulation. A test lists the files that may call it.
func (c Choice) Simulated() bandit.Arm { return c.of.Arm }

// Format implements [fmt.Formatter].
func (Choice) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// New returns the kept half of a peer before its first decision; nil if the peer gives all decisions. Its coins come from
// a seed that is the site's alone.
func New(s *node.Spec, self protocol.Peer, seed node.Seed) (*Half, error) {
	if !s.Give.Keeps() || !protocol.Learns(s.Protocol, self) {
		return nil, nil //nolint:nilnil // there is none
	}
	h := &Half{self: int(self), seed: seed, coins: seed.Coins("kept"), absent: s.Absent, explore: s.Explore, arms: s.Arms}
	var err error
	if h.Keeping, err = s.Kept(self, h.coins); err != nil {
		return nil, err
	}
	of := h.Learner.Statistic()
	h.belief, h.add = belief.New(of.Parts, of.Width()), make([]int64, of.Width())
	for range of.Parts {
		h.parts = append(h.parts, part{sums: make([]int64, of.Width())})
	}
	return h, nil
}

// Simulated returns the estimates, for a simulation. A test lists the files that may call it.
func (h *Half) Simulated() []float64 { return h.Learner.Summarize(&h.belief).Estimates }

// See takes the rows of the end of a round.
func (h *Half) See(rows *node.Rows) {
	for k, version := range rows.Version {
		if p := &h.parts[k]; p.version != version {
			p.version = version
			p.others = h.believed(belief.Copy(p.others, rows.Sites[k]))
			h.show(k)
		}
	}
}

// believed leaves out the own row, and caps the others at what their sites can have released.
func (h *Half) believed(rows []belief.Site) []belief.Site {
	rows = slices.DeleteFunc(rows, func(s belief.Site) bool { return s.Peer == h.self })
	for i := range rows {
		if s := &rows[i]; h.Rewards > 0 && s.N > h.Rewards {
			s.N, s.Released = h.Rewards, h.Rewards
			each := h.Scale / h.Rewards
			s.LaplaceSumSq, s.LaplaceMax = max(s.LaplaceSumSq, h.Draws*each*each), max(s.LaplaceMax, each)
		}
	}
	return rows
}

// show believes of a part what own records and others' rows say.
func (h *Half) show(k int) {
	p, b, width := &h.parts[k], &h.belief, len(h.add)
	p.shown = p.n
	rows := append(b.Sites[k][:0], p.others...)
	if p.n > 0 {
		own := belief.Site{Peer: h.self, N: float64(p.n)}
		for _, x := range p.sums {
			own.Sum = append(own.Sum, float64(x)*unit)
		}
		if width == 1 {
			own.Mean, own.Released, own.Sum = own.Sum[0]/own.N, own.N, nil
		}
		at, _ := slices.BinarySearchFunc(rows, own, func(s, own belief.Site) int { return cmp.Compare(s.Peer, own.Peer) })
		rows = slices.Insert(rows, at, own)
	}
	b.Sites[k] = rows
	x := b.X[k*width:][:width]
	clear(x)
	v, sum, most, gauss, n, sites := 0., 0., 0., 0., 0., float64(len(rows))
	for i := range rows {
		s := &rows[i]
		x[0] += s.Mean
		for j, y := range s.Sum {
			x[j] += y
		}
		n, v, sum, most, gauss = n+s.N, v+1/s.N, sum+s.LaplaceSumSq, max(most, s.LaplaceMax), gauss+s.GaussVar
	}
	if width > 1 {
		b.SampleVar[k], b.LaplaceSumSq[k], b.LaplaceMax[k], b.GaussVar[k] = 1/n, sum, most, gauss
		return
	}
	x[0] /= sites
	b.SampleVar[k], b.LaplaceSumSq[k], b.LaplaceMax[k], b.GaussVar[k] = v/(sites*sites), sum/(sites*sites), most/sites, gauss/(sites*sites)
	if sites == 0 {
		x[0], b.SampleVar[k], b.LaplaceSumSq[k], b.LaplaceMax[k], b.GaussVar[k] = 0, math.Inf(1), 0, 0, 0
	}
}

// unit is the distance of two numbers on the grid.
const unit = 1. / (1 << -dp.GridExponent)

// Choose returns the choice for a decision with an id, which only its own coins and the state follow.
func (h *Half) Choose(t bandit.Turn, id string) Choice {
	t.Excluded = append(slices.Clip(t.Excluded), h.absent...)
	_, samples := h.Learner.(bandit.Sampler)
	if samples || h.explore > 0 {
		h.coins.Reseed(h.seed.Of("kept/" + id))
	}
	for k := range h.parts {
		if h.parts[k].stale(len(h.add)) {
			h.show(k)
		}
	}
	if r, ok := h.Learner.(bandit.Renewer); ok {
		r.Renew(&h.belief)
	}
	c := h.Learner.Choose(&h.belief, t)
	if h.explore > 0 {
		c = bandit.Explore(c, t, h.arms, h.explore, h.coins.Rand)
	}
	h.belief.Pulls[h.Learner.Part(c.Arm)]++
	return Choice{c}
}

// patience is the share of records that must be new before an estimate by features, which takes an eigendecomposition,
// is made again.
const patience = 1. / 64

// stale reports whether own records are to be shown.
func (p *part) stale(width int) bool {
	news := p.n - p.shown
	return news > 0 && (width == 1 || float64(news) >= patience*float64(p.n))
}

// Add adds a record of the site: of a kept decision or a given one.
func (h *Half) Add(p bandit.Pull) error {
	h.update = h.Learner.Update(p, h.update[:0])
	if err := h.Records.Shape.Quantize(h.add, h.update, h.Records.Lo, h.Records.Hi); err != nil {
		return err
	}
	part := &h.parts[h.Learner.Part(p.Arm)]
	for i, x := range h.add {
		part.sums[i] += x
	}
	part.n++
	return nil
}

// Round plays round t of a site with both halves, as [node.Agent.Round] does without one: h is nil then. A decision is
// kept unless the agent gives it.
func Round(a *node.Agent, h *Half, t protocol.Round, in []protocol.Delivery, w bandit.World) (p node.Played, err error) {
	if h == nil {
		return a.Round(t, in, w)
	}
	a.Receive(in)
	p.Pull.Arm = bandit.NoArm
	if turn := w.Turn(uint64(t)); !turn.None {
		if a.Gives() {
			p, err = a.Give(t, turn, w)
		} else {
			p, err = h.keep(t, turn, w)
		}
		if err != nil {
			return p, err
		}
		if err = h.Add(p.Pull); err != nil {
			return p, err
		}
	}
	if err = a.Tick(t); err == nil {
		h.See(a.Rows())
	}
	return p, err
}

// keep makes a kept decision, which the world pays at once.
func (h *Half) keep(t protocol.Round, turn bandit.Turn, w bandit.World) (p node.Played, err error) {
	arm := h.Choose(turn, fmt.Sprint(t)).of.Arm
	p.Kept, p.Pull.Arm, p.Pull.Features = true, arm, turn.Of(arm)
	p.Pull.Reward, err = w.Play(arm)
	return p, err
}
