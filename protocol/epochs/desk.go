package epochs

import (
	"slices"

	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// desk is the hub's state of the sites.
type desk struct {
	newest   []protocol.Message // sums, by origin; empty before the first
	held     []uint64           // numbers of the newest means of sites
	reported []bool             // sites that wait for the next means
	began    protocol.Round     // round of the first report
}

func newDesk(peers int) desk {
	return desk{
		newest: slices.Repeat([]protocol.Message{protocol.NoMessage()}, peers), held: make([]uint64, peers), reported: make([]bool, peers),
	}
}

// take stores sums, unless they are older than the present ones.
func (d *desk) take(m protocol.Message, now protocol.Round) {
	i, held := m.Label().Origin, m.Ref(0).Seq
	if old := &d.newest[i]; old.Kind() != 0 && (protocol.Newer(old.Label(), m.Label()) || old.Label() == m.Label() && d.held[i] > held) {
		return
	}
	if !d.begun() {
		d.began = now
	}
	d.newest[i], d.held[i], d.reported[i] = m, held, true
}

// begun reports whether a site has reported.
func (d *desk) begun() bool { return slices.Contains(d.reported, true) }

func (d *desk) visit(v *state.Visitor, good func(m *protocol.Message) bool) {
	n := v.Len(len(d.newest))
	if n > len(d.newest) { // new peers are at the end of a network
		v.Fail("sums of %d peers, want %d", n, len(d.newest))
		n = 0
	}
	for i := range n {
		m, held, reported := d.newest[i], d.held[i], d.reported[i]
		spread.VisitMessage(v, &m)
		v.Uint(&held)
		v.Bool(&reported)
		if !v.Loading() || m.Kind() == 0 {
			continue
		}
		if int64(m.Label().Origin) != int64(i) || m.Refs() == 0 {
			v.Fail("sums %d are not of peer %d", i, i)
			break
		}
		if good(&m) {
			d.newest[i], d.held[i], d.reported[i] = m, held, reported
		}
	}
}
