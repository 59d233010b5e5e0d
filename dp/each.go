package dp

// each releases every leaf's own sum with its own noise: means of epochs, say. Every
// record lies in one leaf, so a charge for one leaf covers them all. With the mode
// [Sequential], where a user may come back in every leaf, each pays for itself.
type each struct{ intake }

func newEach(n intake, _ *Charge) running { return &each{n} }

// eachNode is the sum of leaf t.
func eachNode(charged Noise, _, t uint64) node { return node{Span{t - 1, t}, 1, charged} }

func (e *each) draws() int { return e.width }

func (e *each) close(src *Source, given []int64, out *Leaf) {
	v := e.arena.values.take(e.width)
	counts := e.arena.counts.take(1)
	counts[0] = e.take(v)
	for i := range v {
		if given != nil {
			v[i] = given[i]
		} else {
			v[i] += e.draw(src, e.noise.Scale)
		}
	}
	out.Node = Release{e.id, Span{e.t - 1, e.t}, counts, v, GridExponent, e.noise}
	out.Sum = out.Node
}

// skip gives up the records of the open leaf, too: a life that was lost may have
// released them.
func (e *each) skip(k uint64) {
	if k > e.t {
		e.t = min(k, e.leaves)
		e.drop()
	}
}

func (e *each) append(b []byte) []byte { return b }

func (e *each) read(*reader, *Charge) {}
