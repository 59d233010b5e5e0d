package audit

import (
	"math"
	"math/rand/v2"
	"slices"

	"peerd.dev/dp"
)

// A Test checks whether noise has its distribution; P is the probability of a result at least as
// bad if it has.
type Test struct {
	Name   string  `json:"name"`
	N      int     `json:"n"`
	P      float64 `json:"p"`
	Detail string  `json:"saw,omitempty"`
}

// conformance collects noise: what was drawn minus the value that the auditor knows.
type conformance struct {
	laws     map[dp.Noise]law
	nodes    int
	untested int // other nodes, whose noise need not have its distribution
	groups   [4]group
	pairs    [3]pairs
	zeros    int
	silent   float64 // expected number of silent ones
	same     int     // pairs of equal size in one play of a peer
	chance   float64 // expected number of such pairs
	rng      *rand.Rand
}

// The groups and pairs, by index.
const (
	groupAll   = iota
	groupFirst // of its stream
	groupLeaf  // of one leaf, except first ones
	groupWide  // of several leaves
)

const (
	pairNext    = iota // consecutive nodes of a stream
	pairStreams        // nodes of two streams, drawn one after the other
	pairHalf           // a node and the node of the left half of its leaves
)

// enough is the number of numbers whose mean is nearly normal.
const enough = 100

type group struct {
	n      int
	counts [bins]uint32 // of numbers that should be uniform in [0,1)
	size   float64      // Σ|x|, each divided by its mean
	excess float64      // the same minus 1, divided by its standard deviation
}

// pairs sums the products of uniform numbers minus their mean.
type pairs struct {
	n   int
	sum float64
}

// add adds all nodes of a play.
func (c *conformance) add(t *transcript) {
	if c.rng == nil {
		c.rng, c.laws = rand.New(rand.NewPCG(1, 2)), map[dp.Noise]law{} // it breaks ties
	}
	type place struct {
		peer, stream, place int
		to                  uint64
	}
	seen := make(map[place]float64, len(t.nodes)) // never ranged over
	var sizes [Peers][]int64
	var before [Peers]*drawnNode
	var last, alike [Peers]float64
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.open || n.chosen {
			c.untested++
			continue
		}
		l := c.law(n.noise)
		x := n.added()
		u := l.pit(x, c.rng.Float64())
		c.nodes++
		c.silent += l.zero()
		if x == 0 {
			c.zeros++
		}
		abs := max(x, -x)
		sizes[n.peer], alike[n.peer] = append(sizes[n.peer], abs), max(alike[n.peer], l.alike())
		kind := groupWide
		switch {
		case n.to == 1:
			kind = groupFirst
		case n.to-n.from == 1:
			kind = groupLeaf
		}
		mean, deviation := l.size()
		for _, k := range []int{groupAll, kind} {
			c.groups[k].n++
			c.groups[k].counts[min(bins-1, int(u*bins))]++
			c.groups[k].size += float64(abs) / mean
			c.groups[k].excess += (float64(abs) - mean) / deviation
		}
		if v, ok := seen[place{n.peer, n.stream, n.place, n.to - 1}]; ok {
			c.pairs[pairNext].add(u, v)
		}
		if v, ok := seen[place{n.peer, n.stream, n.place, n.from + (n.to-n.from)/2}]; ok && kind == groupWide {
			c.pairs[pairHalf].add(u, v)
		}
		if b := before[n.peer]; b != nil && b.stream != n.stream {
			c.pairs[pairStreams].add(u, last[n.peer])
		}
		seen[place{n.peer, n.stream, n.place, n.to}] = u
		before[n.peer], last[n.peer] = n, u
	}
	for peer, s := range sizes {
		slices.Sort(s)
		for i := 1; i < len(s); i++ {
			if s[i] == s[i-1] {
				c.same++
			}
		}
		c.chance += float64(len(s)*(len(s)-1)) / 2 * alike[peer] // at most, if scales differ
	}
}

// law returns the distribution of noise.
func (c *conformance) law(n dp.Noise) law {
	l := c.laws[n]
	if l == nil {
		l = lawOf(n)
		c.laws[n] = l
	}
	return l
}

func (p *pairs) add(u, v float64) {
	p.n++
	p.sum += (u - .5) * (v - .5)
}

// p returns the probability of at least this correlation among independent pairs.
func (p *pairs) p() float64 {
	if p.n == 0 {
		return 1
	}
	return normal(12 * p.sum / math.Sqrt(float64(p.n)))
}

// tests returns the tests of the collected noise: all of them, or those that a few nodes can
// answer.
func (c *conformance) tests(few bool) []Test {
	if c.nodes == 0 {
		return nil
	}
	var tests []Test
	all := &c.groups[groupAll]
	for k, name := range []string{"all nodes", "first nodes", "later leaves", "nodes of several leaves"} {
		g := &c.groups[k]
		n := g.n
		if n == 0 || few && k != groupAll {
			continue
		}
		tests = append(tests, Test{"law of " + name, n, kolmogorov(&g.counts, n), ""})
		if n >= enough {
			tests = append(tests, Test{"size of " + name, n, normal(g.excess / math.Sqrt(float64(n))), percent(g.size/float64(n)) + " of the charged scale"})
		}
	}
	tests = append(tests,
		Test{"nodes without noise", c.nodes, atLeastSeen(c.zeros, c.silent), count(c.zeros)},
		Test{"equal noise in two nodes", c.nodes, atLeastSeen(c.same, c.chance), count(c.same)},
	)
	if few {
		return tests
	}
	tests = append(tests, Test{"law of all nodes, 32 bins", c.nodes, chiSquare(&all.counts, all.n), ""})
	for k, name := range []string{"noise of successive nodes", "noise across streams", "noise of a node and its first half"} {
		if p := &c.pairs[k]; p.n > 0 {
			tests = append(tests, Test{name, p.n, p.p(), percent(12*p.sum/float64(p.n)) + " correlation"})
		}
	}
	return tests
}
