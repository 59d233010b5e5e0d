package dp

import "fmt"

// Hidden returns the noise that was drawn with the nodes which [Curator.TakeDrawn] returned last
// and that none of them has alone. It must become durable with them, and go no further:
// [Curator.Replay] restores it. Most mechanisms hide nothing, and with a seeded [Source] nothing
// need be kept.
func (d *Curator) Hidden() Secret { return Secret{d.arena.hidden.taken} }

// Replay makes the next leaves take their noise from an earlier run, so that none is ever drawn
// twice: the nodes in the order in which [Curator.TakeDrawn] returned them, and the hidden noise
// that [Curator.Hidden] returned with them. Exact sums, running sums and what TakeDrawn and
// Hidden return are the same as in that run. With a seeded [Source], noise is drawn as usual and
// compared with the nodes, and hidden is not used. A leaf whose node or hidden noise is not the
// next one, and a leaf too many, are an [ErrReplay]. [Curator.Replayed] ends the replay. The
// curator keeps nodes.
func (d *Curator) Replay(nodes []Release, hidden Secret) {
	h := &d.arena.hidden
	h.recorded = append(h.recorded[:len(h.recorded):len(h.recorded)], hidden.b...)
	if d.replay == nil {
		d.replay = &replay{nodes: nodes}
		return
	}
	d.replay.nodes = append(d.replay.nodes[:len(d.replay.nodes):len(d.replay.nodes)], nodes...)
}

// Replayed ends a replay: leaves draw their noise again. If a leaf was refused, or nodes or
// hidden noise remain, it returns an [ErrReplay] and the replay continues.
func (d *Curator) Replayed() error {
	if r := d.replay; r != nil {
		if r.err != nil {
			return r.err
		}
		if len(r.nodes) > 0 {
			return fmt.Errorf("%w: %d nodes left, the first of stream %d, leaf %d",
				ErrReplay, len(r.nodes), r.nodes[0].stream, r.nodes[0].span.To)
		}
		if n := len(d.arena.hidden.recorded); n > 0 && d.src.Private() {
			return fmt.Errorf("%w: %d bytes of hidden noise left", ErrReplay, n)
		}
	}
	d.replay, d.arena.hidden.recorded, d.arena.hidden.short = nil, nil, false
	return nil
}
