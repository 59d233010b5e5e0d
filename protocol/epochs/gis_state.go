package epochs

import (
	"slices"

	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

const gisVersion = 2

// Save implements [protocol.Protocol].
func (g *gis) Save() (protocol.State, error) { return spread.Save(gisVersion, g.fields), nil }

// Load implements [protocol.Protocol]. New links begin without state; new peers are at the end of a
// network.
func (g *gis) Load(saved protocol.State) error {
	g.stale = true
	return spread.Load(saved, gisVersion, g.fields)
}

func (g *gis) fields(v *state.Visitor) {
	v.Uint(&g.belief.Epoch)
	v.Uint(&g.belief.Revision)
	v.Uints(g.belief.Pulls)
	for k := range g.total {
		if spread.VisitSum(v, &g.total[k], k, 1); v.Loading() {
			g.own(k)
		}
	}
	state.Number(v, &g.round)
	state.Number(v, &g.since)
	spread.VisitFlags(v, &g.waiting, &g.over, &g.hello)
	places := g.visitLinks(v)
	fresh, wanted := g.fresh, g.wanted
	label := func(l *protocol.Label) { spread.VisitLabel(v, l) }
	state.List(v, &fresh, label)
	state.List(v, &wanted, label)
	peers := uint64(g.c.Peers())
	if v.Uint(&peers); peers > uint64(g.c.Peers()) {
		v.Fail("contributions of %d peers, want at most %d", peers, g.c.Peers())
	} else {
		g.visitEpochs(v, int(peers), places)
	}
	if v.Loading() {
		g.fresh, g.wanted = g.known(v, append(fresh, g.fresh...), true), g.known(v, wanted, false)
		v.Check(g.belief.Epoch <= uint64(len(g.epochs)), "%d complete epochs of %d", g.belief.Epoch, len(g.epochs))
	}
}

// visitLinks returns the present place of every saved neighbour; -1 if it is not a neighbour any
// more.
func (g *gis) visitLinks(v *state.Visitor) (places []int) {
	for i := range v.Len(len(g.links)) {
		var n protocol.Peer
		var link gisLink
		if !v.Loading() {
			n, link = g.c.Neighbours()[i], g.links[i]
		}
		state.Number(v, &n)
		state.Number(v, &link.incarnation)
		state.Number(v, &link.next)
		v.Uint(&link.wait)
		v.Bool(&link.doubt)
		at := g.place(n)
		if v.Loading() && at >= 0 {
			link.wait = max(1, link.wait)
			g.links[at] = link
		}
		places = append(places, at)
	}
	return places
}

// place returns the place of a neighbour; -1 for other peers.
func (g *gis) place(p protocol.Peer) int {
	if at, ok := slices.BinarySearch(g.c.Neighbours(), p); ok {
		return at
	}
	return -1
}

func (g *gis) visitEpochs(v *state.Visitor, peers int, places []int) {
	lost := false
	for e := range v.Len(len(g.epochs)) {
		for i := range protocol.Peer(peers) {
			label := protocol.Label{Origin: i, Seq: uint64(e) + 1}
			var s *contribution
			if !v.Loading() {
				s = g.epochs[e][i]
			}
			there := s != nil
			if v.Bool(&there); !there {
				continue
			}
			if v.Loading() {
				if s = g.at(label.Seq, i); s == nil { // in a larger network other sites take part
					s = &contribution{second: protocol.NoMessage(), marks: make([]mark, len(g.links))}
				}
			}
			read := s.fields(v, places)
			if v.Loading() {
				lost = g.restore(v, s, read, label) || lost
			}
			if !v.OK() {
				return
			}
		}
	}
	if lost {
		g.again()
	}
}

// fields visits the state of a contribution, and returns the messages, which a load checks before
// it keeps them.
func (s *contribution) fields(v *state.Visitor, places []int) (read [2]protocol.Message) {
	read = [2]protocol.Message{s.m, s.second}
	spread.VisitMessage(v, &read[0])
	spread.VisitMessage(v, &read[1])
	v.Bool(&s.pending)
	state.Number(v, &s.asked)
	of, marks := uint64(s.of), make([]byte, len(s.marks))
	for j, m := range s.marks {
		marks[j] = byte(m)
	}
	v.Uint(&of)
	v.Bytes(&marks)
	if !v.Loading() {
		return read
	}
	if of < uint64(len(places)) && places[of] >= 0 {
		s.of = places[of]
	} else {
		s.pending = false
	}
	for j, b := range marks {
		if mark(b)&^allMarks != 0 || j >= len(places) {
			v.Fail("marks of no neighbour")
			return read
		}
		if places[j] >= 0 {
			s.marks[places[j]] = mark(b)
		}
	}
	return read
}

// restore keeps the loaded messages of a contribution, and reports whether it is an own one that is
// not valid any more.
func (g *gis) restore(v *state.Visitor, s *contribution, read [2]protocol.Message, want protocol.Label) (lost bool) {
	m, second := read[0], read[1]
	if m.Kind() == 0 || !v.OK() {
		return false
	}
	if m.Kind() != gisData || m.Label().Origin != want.Origin || m.Label().Seq != want.Seq ||
		second.Kind() != 0 && (second.Kind() != gisData || second.Label().Origin != want.Origin || second.Label().Seq != want.Seq) {
		v.Fail("a contribution is not of epoch %d of peer %d", want.Seq, want.Origin)
		return false
	}
	own := m.Label().Origin == g.c.Self
	// Signatures are bound to the policy and to the origin's present key. After a change of either all peers refuse older
	// signatures: the own contributions are signed again, and everything is sent again.
	if !g.c.Press.Authentic(m) {
		clear(s.marks)
		if !own {
			return false
		}
		m = g.c.Press.Signed(protocol.Content{Kind: gisData, Label: m.Label(), Body: m.Content().Body})
		g.fresh = append(g.fresh, m.Label())
	}
	if g.check(&m) != nil { // less noise than is charged now
		return own
	}
	s.m = m
	if second.Kind() != 0 && g.c.Press.Authentic(second) && g.check(&second) == nil {
		s.second = second
	}
	for j := range s.marks {
		if s.marks[j]&knows == 0 {
			g.links[j].lacks++
		}
	}
	return false
}

// known returns the labels of contributions that take part and are present or missing, as held
// says.
func (g *gis) known(v *state.Visitor, labels []protocol.Label, held bool) (all []protocol.Label) {
	for _, l := range labels {
		if int(l.Origin) >= g.c.Peers() || l.Seq < 1 || l.Seq > uint64(len(g.epochs)) {
			v.Fail("label of epoch %d of peer %d", l.Seq, l.Origin)
			return nil
		}
		if s := g.at(l.Seq, l.Origin); s != nil && (s.m.Kind() != 0) == held {
			all = append(all, l)
		}
	}
	return all
}
