package dp

import (
	"errors"
	"fmt"
)

// ErrReplay is wrapped by the errors of a replay that departs from its record. The
// door then stays in the replay and closes no more leaves.
var ErrReplay = errors.New("dp: replay differs from its record")

// replay closes leaves with the nodes of an earlier run.
type replay struct {
	nodes []Release // still to come
	err   error     // how it went wrong
}

// Replay makes the next leaves take their nodes from an earlier run, in the order in
// which [Door.Drawn] returned them, so that no node is ever drawn twice, and the hidden noise
// that [Door.Hidden] returned with them. Exact sums,
// running sums and what Drawn returns are as they were. With a seeded [Source] noise
// is drawn as usual and compared with the nodes. A leaf whose node is not the next
// one, and a leaf too many, are an [ErrReplay]. [Door.Replayed] ends the replay. The
// door keeps nodes.
func (d *Door) Replay(nodes []Release, hidden Secret) {
	h := &d.arena.hidden
	h.recorded.b = append(h.recorded.b[:len(h.recorded.b):len(h.recorded.b)], hidden.b...)
	if d.replay == nil {
		d.replay = &replay{nodes: nodes}
		return
	}
	d.replay.nodes = append(d.replay.nodes[:len(d.replay.nodes):len(d.replay.nodes)], nodes...)
}

// Replayed ends a replay: leaves draw their noise again. If a leaf was refused or
// nodes are left over, the error is an [ErrReplay] and the replay goes on.
func (d *Door) Replayed() error {
	if r := d.replay; r != nil {
		if r.err != nil {
			return r.err
		}
		if len(r.nodes) > 0 {
			return fmt.Errorf("%w: %d nodes left, the first of stream %d, leaf %d",
				ErrReplay, len(r.nodes), r.nodes[0].stream, r.nodes[0].span.To)
		}
	}
	d.replay = nil
	return nil
}

// close closes the next leaf of t, which must be due, with the next node.
func (r *replay) close(t running, src *Source, out *Leaf) error {
	if k := t.closed() + 1; r.err == nil && !r.take(t, src, out) {
		r.err = fmt.Errorf("%w: leaf %d of stream %d", ErrReplay, k, t.in().id)
	}
	return r.err
}

func (r *replay) take(t running, src *Source, out *Leaf) bool {
	if len(r.nodes) == 0 || len(r.nodes[0].v) != t.draws() {
		return false
	}
	old := r.nodes[0]
	r.nodes = r.nodes[1:]
	given := old.v
	if t.in().noise.Scale == 0 || !src.Private() || bugRedraw() {
		given = nil // it can be computed again
	}
	t.close(src, given, out)
	return out.Node.Equal(old) || bugRedraw()
}
