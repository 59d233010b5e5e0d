package sim

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/node"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// Lemmas counts how often a run of protocol average broke what Zhu, Zhu, Liu and Liu 2021 prove
// about it, for every round, arm and peer. As in the paper, n is a peer's pull count, ñ its
// belief of the greatest, N the number of peers and M the number of arms.
type Lemmas struct {
	Checked    uint64  // triples of round, peer and arm
	Mass       uint64  // rounds and arms with Σ estimates ≠ Σ own + in transit, on the lattice of means
	Lemma1     uint64  // ñ_i(t+1) = max_j n_j(t - d_ji), as shown by the counts that were sent
	Lemma2     uint64  // n_i(t) > ñ_i(t+1) - 3MN
	Lemma3     uint64  // max_j n_j(t) ≤ 2n_i(t) where n_i(t) ≥ (3M+1)N
	Applies    uint64  // triples in which the condition of Lemma 3 holds
	GreatestBy uint64  // greatest ñ_i(t+1) - n_i(t); Lemma 2 allows less than 3MN
	Allowed    uint64  // 3MN
	GreatestOf float64 // greatest max_j n_j / n_i where Lemma 3 applies; it allows 2
}

// Broken returns how many checks failed.
func (l *Lemmas) Broken() uint64 { return l.Mass + l.Lemma1 + l.Lemma2 + l.Lemma3 }

// CheckLemmas returns what is counted in the run of c.
func (c *Config) CheckLemmas() (*Lemmas, error) {
	w, err := newWatch(c)
	if err != nil {
		return nil, err
	}
	c.lemmas = w
	return &w.Lemmas, nil
}

// watch checks lemmas. It sees only public data: releases that were drawn, counts and differences
// that were sent, estimates, pulls.
type watch struct {
	Lemmas
	arms     int
	distance [][]int
	own      [][]ownSum   // by peer and arm
	way      []int64      // δ that one end has added and the other will subtract, by arm
	claimed  [][]uint64   // ñ as the peer sent it in this round; nil if it sent none
	pulls    [][][]uint64 // by age in rounds, peer and arm; index 0 is the newest
	num, den *big.Int     // scratch
}

// ownSum is what one peer has released of one arm: the nodes of its running sum, and its mean on
// the lattice of means.
type ownSum struct {
	nodes []dp.Release
	mean  int64
}

func newWatch(c *Config) (*watch, error) {
	if c.Liars.Count > 0 || c.Faults.Loss > 0 {
		return nil, errors.New("sim: the lemmas are about a network without faults and liars")
	}
	if p, ok := c.Spec.Protocol.(averaging.AverageParams); !ok || p.Consistency != averaging.Max {
		return nil, errors.New("sim: the lemmas are about protocol average with consistency max")
	}
	if m := c.Spec.Privacy.Mechanism; !m.Tiles() {
		return nil, fmt.Errorf("sim: own means are added up from nodes, and sums of %v are no sums of nodes", m)
	}
	n := len(c.Spec.Graph)
	w := &watch{
		Lemmas: Lemmas{Allowed: uint64(3 * n * c.Spec.Arms)}, arms: c.Spec.Arms, distance: distances(c.Spec.Graph), own: make([][]ownSum, n), way: make([]int64, c.Spec.Arms),
		claimed: make([][]uint64, n), num: new(big.Int), den: new(big.Int),
	}
	for i := range n {
		w.own[i] = make([]ownSum, w.arms)
		w.claimed[i] = make([]uint64, w.arms)
	}
	far := 0
	for _, row := range w.distance {
		for _, d := range row {
			far = max(far, d)
		}
	}
	for range far + 2 {
		age := make([][]uint64, n)
		for i := range age {
			age[i] = make([]uint64, w.arms)
		}
		w.pulls = append(w.pulls, age)
	}
	return w, nil
}

// drew records the nodes that peer i drew: the nodes of one arm are consecutive and together
// cover all its leaves.
func (w *watch) drew(i int, drawn []dp.Release) {
	for _, r := range drawn {
		o := &w.own[i][r.Stream()]
		for len(o.nodes) > 0 && o.nodes[len(o.nodes)-1].Span().From >= r.Span().From {
			o.nodes = o.nodes[:len(o.nodes)-1]
		}
		o.nodes = append(o.nodes, r)
		sum := int64(0)
		for _, n := range o.nodes {
			sum += n.Value(0)
		}
		w.num.Lsh(w.num.SetInt64(sum), dp.GridExponent-averages.MeanExponent)
		w.den.SetUint64(r.Span().To)
		o.mean = w.num.Div(w.num, w.den).Int64() // rounds down, as the divisor is positive
	}
}

// sent records what peer i sends. The messages of protocol average can be distinguished: only
// counts have counts, and an answer refers to a question. If all peers begin together and nothing
// is lost, every weight is 1 before the first exchange and stays 1.
func (w *watch) sent(i int, m *protocol.Message) {
	if m.Body() == 0 {
		return
	}
	r := m.Release(0)
	switch {
	case r.Len() == 0 && r.Counts() == w.arms:
		for k := range w.claimed[i] {
			w.claimed[i][k] = r.Count(k)
		}
	case r.Len() == w.arms && m.Refs() == 1:
		for k := range w.way {
			w.way[k] += r.Value(k)
		}
	}
}

// round checks what holds after a round in which nothing was lost.
func (w *watch) round(agents []*node.Agent, pulls [][]uint64) {
	for k, way := range w.way {
		sum := -way // the asked peer has added it; the asking one subtracts it next round
		for i, a := range agents {
			sum += int64(math.Ldexp(a.Belief().X[k], -averages.MeanExponent)) - w.own[i][k].mean
		}
		if sum != 0 {
			w.Mass++
		}
		w.way[k] = 0
	}
	w.age(pulls)
	for k := range w.arms {
		most := uint64(0)
		for j := range agents {
			most = max(most, pulls[j][k])
		}
		for i := range agents {
			w.Checked++
			if w.claimed[i][k] != w.heard(i, k, 1) {
				w.Lemma1++
			}
			by := w.heard(i, k, 0) - pulls[i][k] // ñ_i(t+1) ≥ n_i(t)
			w.GreatestBy = max(w.GreatestBy, by)
			if by >= w.Allowed {
				w.Lemma2++
			}
			if pulls[i][k] < w.Allowed+uint64(len(agents)) { // (3M+1)N
				continue
			}
			w.Applies++
			w.GreatestOf = max(w.GreatestOf, float64(most)/float64(pulls[i][k]))
			if most > 2*pulls[i][k] {
				w.Lemma3++
			}
		}
	}
}

// age makes pulls the newest.
func (w *watch) age(pulls [][]uint64) {
	oldest := w.pulls[len(w.pulls)-1]
	copy(w.pulls[1:], w.pulls)
	w.pulls[0] = oldest
	for i := range pulls {
		copy(oldest[i], pulls[i])
	}
}

// heard returns max_j n_j(t - d_ji) of an arm, where t is ago rounds ago.
func (w *watch) heard(i, k, ago int) uint64 {
	most := uint64(0)
	for j, d := range w.distance[i] {
		if d >= 0 {
			most = max(most, w.pulls[d+ago][j][k])
		}
	}
	return most
}

// distances returns the number of hops between any two peers, -1 if there is no path.
func distances(links [][]protocol.Peer) [][]int {
	all := make([][]int, len(links))
	for i := range links {
		d := make([]int, len(links))
		for j := range d {
			d[j] = -1
		}
		d[i] = 0
		for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
			for _, p := range links[queue[0]] {
				if d[p] < 0 {
					d[p] = d[queue[0]] + 1
					queue = append(queue, int(p))
				}
			}
		}
		all[i] = d
	}
	return all
}
