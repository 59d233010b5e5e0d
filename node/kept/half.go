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
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// A Half is the kept half of a site: a learner of its own, exact sums, and a copy of others' rows. No other package can
// read a number of it, and it prints as "private". It is deterministic, and not safe for concurrent use.
type Half struct {
	of      node.Keeping
	self    int
	seed    node.Seed
	coins   node.Coins
	absent  []bandit.Arm
	explore float64
	arms    int
	parts   []part
	belief  bandit.Belief
	seen    *node.Rows
	flip    float64   // probability with which noise turns a reward of 0 or 1 into the other; 0 for no noise
	update  []float64 // scratch
	add     []int64   // scratch
	chances []float64 // scratch
}

// A part is what is known of a part of the statistic.
type part struct {
	record          // of own rewards, where there are no features
	sums    []int64 // of own records with features, in units
	shown   uint64  // own records that the belief has
	news    bool    // whether it is to have more
	version uint64  // of others' rows
	others  []belief.Site
}

// A Choice is the choice of a kept decision. It has no arm that an agent takes.
type Choice struct {
	of      bandit.Choice
	learner bandit.Choice // before exploration
}

// Format implements [fmt.Formatter].
func (*Half) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Arm returns the arm, for an answer to the site's application or for a simulation. A test lists the files that may call it.
func (c Choice) Arm() bandit.Arm { return c.of.Arm }

// Format implements [fmt.Formatter].
func (Choice) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// New returns the kept half of a peer before its first decision; nil if the peer gives all decisions. Its coins come from
// a seed that is the site's alone.
func New(s *node.Spec, self protocol.Peer, seed node.Seed) (*Half, error) {
	if !s.Give.Keeps() || !protocol.Learns(s.Protocol, self) {
		return nil, nil //nolint:nilnil // there is none
	}
	h := &Half{self: int(self), seed: seed, coins: seed.Coins("kept"), absent: s.Absent, explore: s.Explore, arms: s.Arms, chances: make([]float64, s.Arms)}
	if s.Inside > 0 {
		h.flip = 1 / (1 + math.Exp(s.Inside))
	}
	var err error
	if h.of, err = s.Kept(self, h.coins); err != nil {
		return nil, err
	}
	of := h.of.Learner.Statistic()
	h.belief, h.add = belief.New(of.Parts, of.Width()), make([]int64, of.Width())
	for range of.Parts {
		var p part
		if of.Width() > 1 {
			p.sums = make([]int64, of.Width())
		}
		h.parts = append(h.parts, p)
	}
	return h, nil
}

// See takes the rows of the end of a round.
func (h *Half) See(rows *node.Rows) {
	if h.seen != rows { // of a restarted agent, which counts versions from 1 again
		h.seen = rows
		for k := range h.parts {
			h.parts[k].version = 0
		}
	}
	for k, version := range rows.Version {
		if p := &h.parts[k]; p.version != version {
			p.version = version
			p.others = h.believed(belief.Copy(p.others, rows.Sites[k]))
			h.show(k)
		}
	}
}

// believed leaves out the own row. A row counts for no more rewards than a site that follows the rule has released: another one gives all its decisions,
// or lies.
func (h *Half) believed(rows []belief.Site) []belief.Site {
	rows = slices.DeleteFunc(rows, func(s belief.Site) bool { return s.Peer == h.self })
	for i := range rows {
		if s := &rows[i]; s.N > h.of.Most {
			share := h.of.Most / s.N
			if s.N, s.Released = h.of.Most, h.of.Most; len(s.Sum) == 0 {
				continue
			}
			for j := range s.Sum {
				s.Sum[j] *= share
			}
			s.LaplaceSumSq, s.LaplaceMax, s.GaussVar = s.LaplaceSumSq*share*share, s.LaplaceMax*share, s.GaussVar*share*share
		}
	}
	return rows
}

// show sets the belief about a part to what own records and others' rows say.
func (h *Half) show(k int) {
	p, b, width := &h.parts[k], &h.belief, len(h.add)
	p.shown, p.news = p.n, false
	rows := append(b.Sites[k][:0], p.others...)
	if p.n > 0 {
		own := belief.Site{Peer: h.self, N: float64(p.n)}
		for _, x := range p.sums {
			own.Sum = append(own.Sum, float64(x)/unit)
		}
		if width == 1 {
			real := 1 - 2*h.flip // share of rewards that are what was paid
			own.Mean, own.N = min(1, max(0, (p.mean()-h.flip)/real)), own.N*real*real
			own.Released = own.N
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

// renew sets the belief about parts that have news.
func (h *Half) renew() {
	for k := range h.parts {
		if h.parts[k].news {
			h.show(k)
		}
	}
}

// Choose returns the choice for a decision with an id, which it counts. Its coins follow from the id alone.
func (h *Half) Choose(t bandit.Turn, id string) Choice {
	c := h.Would(t, id)
	h.Waits(c.of.Arm)
	return c
}

// Waits counts a decision of which the reward has not come.
func (h *Half) Waits(arm bandit.Arm) { h.belief.Pulls[h.of.Learner.Part(arm)]++ }

// present returns t without the arms that are absent.
func (h *Half) present(t bandit.Turn) bandit.Turn {
	t.Excluded = append(slices.Clip(t.Excluded), h.absent...)
	return t
}

// Chances returns the probability of every arm for the choice that Would has just returned for t and an id, as [node.Agent.Chances] does. The
// slice is valid until the next call.
func (h *Half) Chances(t bandit.Turn, c Choice, id string) []float64 {
	bandit.Chances(h.chances, h.of.Learner, &h.belief, h.present(t), c.learner, h.explore, 0, h.seed.Rand("propensity/"+id))
	return h.chances
}

// Would is Choose for a decision that is not counted.
func (h *Half) Would(t bandit.Turn, id string) Choice {
	t = h.present(t)
	_, samples := h.of.Learner.(bandit.Sampler)
	if samples || h.explore > 0 {
		h.coins.Reseed(h.seed.Of("kept/" + id))
	}
	h.renew()
	if r, ok := h.of.Learner.(bandit.Renewer); ok {
		r.Renew(&h.belief)
	}
	c := h.of.Learner.Choose(&h.belief, t)
	of := c
	if h.explore > 0 {
		of = bandit.Explore(c, t, h.arms, h.explore, h.coins.Rand)
	}
	return Choice{of, c}
}

// patience is the share of records with features that must be new before the belief has them: an estimate takes an
// eigendecomposition.
const patience = 1. / 64

// noised passes a reward through randomized response (Warner 1965): it becomes 1 with its own value as probability and else 0, and is then
// turned around with a probability of 1/(1+e^ε). Its coins follow from the decision's id, so noise is drawn once.
func (h *Half) noised(y bandit.Reward, id string) bandit.Reward {
	rng := h.seed.Rand("reward/" + id)
	paid, turned := rng.Float64() < float64(y), rng.Float64() < h.flip
	if paid != turned {
		return 1
	}
	return 0
}

// Add adds a record of the site: of a kept decision or a given one, with its id. It reports whether rewards show that the mean of an arm
// has changed. The site then begins again, with what others have released and what the arm has paid since.
func (h *Half) Add(id string, p bandit.Pull) (changed bool, err error) {
	if h.flip > 0 {
		p.Reward = h.noised(p.Reward, id)
	}
	h.update = h.of.Learner.Update(p, h.update[:0])
	if err = h.of.Records.Shape.Quantize(h.add, h.update, h.of.Records.Lo, h.of.Records.Hi); err != nil {
		return false, err
	}
	at := h.of.Learner.Part(p.Arm)
	part := &h.parts[at]
	if len(h.add) > 1 {
		for i, x := range h.add {
			part.sums[i] += x
		}
		part.n++
		part.news = part.news || float64(part.n-part.shown) >= patience*float64(part.n)
		return false, nil
	}
	part.news = true
	if !part.add(float64(h.add[0]) / unit) {
		return false, nil
	}
	for k := range h.parts {
		other := &h.parts[k]
		if k != at {
			other.record = record{}
		}
		other.news, h.belief.Pulls[k] = true, other.n
	}
	return true, nil
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
		if a.Gives() && len(turn.Excluded) == 0 {
			if p, err = a.Give(t, turn, w); err == nil {
				p.Changed, err = h.Add(fmt.Sprint(t), p.Pull)
			}
		} else {
			p, err = h.Keep(fmt.Sprint(t), turn, w)
		}
		if err != nil {
			return p, err
		}
	}
	if err = a.Tick(t); err == nil {
		h.See(a.Rows())
	}
	return p, err
}

// Keep makes a kept decision with an id, which the world pays at once.
func (h *Half) Keep(id string, turn bandit.Turn, w bandit.World) (p node.Played, err error) {
	arm := h.Choose(turn, id).of.Arm
	p.Kept, p.Pull.Arm, p.Pull.Features = true, arm, turn.Of(arm)
	if p.Pull.Reward, err = w.Play(arm); err == nil {
		p.Changed, err = h.Add(id, p.Pull)
	}
	return p, err
}
