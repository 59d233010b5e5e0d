package dp

import (
	"fmt"

	"peerd.dev/dp/mechanism"
)

// ErrReplay is wrapped by errors about a replay that departs from its record. The curator then
// stays in the replay and closes no more leaves.
var ErrReplay = mechanism.ErrReplay

// replay closes leaves with the nodes of an earlier run.
type replay struct {
	nodes []Release // not used yet
	err   error     // why it failed
}

// closeLeaf closes the next leaf of t with the next node.
func (r *replay) closeLeaf(t *stream, d *drawer, out *Leaf) error {
	if r.err != nil {
		return r.err
	}
	k := t.closed() + 1
	if len(r.nodes) == 0 || len(r.nodes[0].v) != t.width {
		r.err = fmt.Errorf("%w: leaf %d of stream %d", ErrReplay, k, t.id)
		return r.err
	}
	old := r.nodes[0]
	r.nodes = r.nodes[1:]
	if t.noise.Scale != 0 && d.src.Private() { // otherwise it can be recomputed
		d.recorded = old.v
	}
	r.err = t.close(d, out)
	if d.recorded = nil; r.err == nil && !out.Node.Equal(old) {
		r.err = fmt.Errorf("%w: leaf %d of stream %d", ErrReplay, k, t.id)
	}
	return r.err
}
