package epochs

import (
	"slices"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

const (
	mostAdvertised = 2048 // labels in a message
	mostRequested  = 128  // labels requested from one neighbour in a round
	mostWait       = 64   // greatest wait for a silent neighbour, in units of Renew
)

// checkLabels refuses a list of labels that no honest peer sends.
func (g *gis) checkLabels(from protocol.Peer, m *protocol.Message) error {
	if m.Label().Origin != from || m.Body() > 0 || len(m.Sealed()) > 0 || m.Round() != 0 || len(m.Signature()) > 0 {
		return m.Refuse("want labels and nothing else, by the neighbour itself")
	}
	if err := checkPrints(m); err != nil {
		return err
	}
	for i := range m.Refs() {
		l := m.Ref(i)
		l.Stream = 0
		if err := g.checkLabel(m, l); err != nil {
			return err
		}
		if i > 0 && byEpoch(m.Ref(i-1), l) >= 0 {
			return m.Refuse("labels are not in order")
		}
	}
	return nil
}

// checkLabel refuses the label of an impossible contribution.
func (g *gis) checkLabel(m *protocol.Message, l protocol.Label) error {
	most := g.belief.Epoch + mostAhead
	if int(l.Origin) >= g.c.Peers() || l.Stream != 0 || l.Seq < 1 || l.Seq > most {
		return m.Refuse("epoch %d of peer %d, want 1 to %d of %d peers", l.Seq, l.Origin, most, g.c.Peers())
	}
	if !g.takesPart(l.Seq, l.Origin) {
		return m.Refuse("peer %d takes no part in epoch %d", l.Origin, l.Seq)
	}
	return nil
}

// hear processes the advertisement of neighbour j. A new life of it has none of the contributions
// of an earlier one.
func (g *gis) hear(j int, m *protocol.Message) {
	link := &g.links[j]
	if m.Label().Incarnation < link.incarnation {
		return
	}
	if m.Label().Incarnation > link.incarnation {
		link.incarnation = m.Label().Incarnation
		g.forget(j)
	}
	answers := m.Refs() == 0 // otherwise it could repeat forever that it has a different one
	for i := range m.Refs() {
		l := m.Ref(i)
		s, print := g.at(l.Seq, l.Origin), l.Stream
		l.Stream = 0
		switch {
		case s.m.Kind() == 0:
			s.marks[j] |= knows | promised
			answers = true
		case l.Incarnation > s.m.Label().Incarnation:
			s.marks[j] |= promised
		case l.Incarnation < s.m.Label().Incarnation: // the neighbour lacks the newer one
			continue
		case print == s.fingerprint(m.Label().Stream):
			if s.marks[j]&knows == 0 {
				link.lacks--
			}
			s.marks[j] |= knows
			answers = true
			continue
		case s.second.Kind() != 0: // the same
			continue
		default:
			s.marks[j] |= promised
		}
		if i, found := slices.BinarySearchFunc(g.wanted, l, byEpoch); !found {
			g.wanted = slices.Insert(g.wanted, i, l)
		} else {
			g.wanted[i] = l
		}
	}
	if answers {
		link.wait = g.p.Renew
		link.next = min(link.next, g.round+protocol.Round(g.p.Renew))
	}
}

// forget notes that neighbour j has no contributions.
func (g *gis) forget(j int) {
	g.links[j].lacks = 0
	for _, epoch := range g.epochs {
		for _, s := range epoch {
			if s == nil {
				continue
			}
			if s.marks[j] = 0; s.m.Kind() != 0 {
				g.links[j].lacks++
			}
		}
	}
}

// serve sends the contributions that neighbour j requests. Each is sent once per advertisement.
func (g *gis) serve(j int, to protocol.Peer, m *protocol.Message, out *protocol.Outbox) {
	for i := range m.Refs() {
		l := m.Ref(i)
		if s := g.at(l.Seq, l.Origin); s.m.Kind() != 0 && s.marks[j]&offered != 0 {
			s.marks[j] &^= offered
			out.Send(to, s.m)
			if s.second.Kind() != 0 {
				out.Send(to, s.second)
			}
		}
	}
}

// take processes a contribution.
func (g *gis) take(j int, m protocol.Message, out *protocol.Outbox) error {
	if err := g.checkLabel(&m, m.Label()); err != nil {
		return err
	}
	var held *contribution
	if m.Label().Seq <= uint64(len(g.epochs)) {
		held = g.at(m.Label().Seq, m.Label().Origin)
	}
	if held != nil && held.m.Kind() == 0 {
		held = nil
	}
	switch {
	case held == nil || m.Label().Incarnation > held.m.Label().Incarnation:
	case m.Label().Incarnation < held.m.Label().Incarnation, held.second.Kind() != 0, held.m.Signature() == m.Signature():
		return nil
	}
	own := m.Label().Origin == g.c.Self
	if own && m.Label().Incarnation >= g.c.Incarnation && (held == nil || held.m.Label() != m.Label()) {
		return m.Refuse("a contribution of mine that I never made")
	}
	if err := g.check(&m); err != nil {
		return err
	}
	g.links[j].doubt = false
	if own && (held == nil || held.m.Label() != m.Label()) {
		g.recover(m)
	}
	if held != nil {
		g.replace(held, m, out)
		return nil
	}
	s := g.at(m.Label().Seq, m.Label().Origin)
	s.marks[j] |= knows
	g.hold(s, m)
	g.complete()
	return nil
}

// request requests missing contributions that are advertised, each from one neighbour at a time.
func (g *gis) request(t protocol.Round, out *protocol.Outbox) {
	if len(g.wanted) == 0 {
		return
	}
	asks := make([][]protocol.Label, len(g.links))
	g.wanted = slices.DeleteFunc(g.wanted, func(l protocol.Label) bool {
		s := g.at(l.Seq, l.Origin)
		switch {
		case s.m.Kind() != 0 && !s.available():
			return true
		case s.pending && uint64(t-s.asked) < g.p.Patience:
			return false
		case s.pending:
			s.pending, g.links[s.of].doubt = false, true
		}
		j := g.choose(s, asks)
		if j < 0 {
			return !s.available()
		}
		s.marks[j] &^= promised
		s.pending, s.asked, s.of = true, t, j
		asks[j] = append(asks[j], l)
		return false
	})
	for j, labels := range asks {
		g.speak(gisReq, t, 0, labels, j, out)
	}
}

// choose returns the place of the first neighbour that offers s and has answered, else the first
// that offers it; -1 if there is none, or all have enough requests in this round.
func (g *gis) choose(s *contribution, asks [][]protocol.Label) int {
	doubtful := -1
	for j, m := range s.marks {
		switch {
		case m&promised == 0 || len(asks[j]) >= mostRequested:
		case !g.links[j].doubt:
			return j
		case doubtful < 0:
			doubtful = j
		}
	}
	return doubtful
}

// advertise sends the labels of new contributions to all neighbours, and repeats to each the labels
// that it seems to lack.
func (g *gis) advertise(t protocol.Round, out *protocol.Outbox) {
	slices.SortFunc(g.fresh, byEpoch)
	salt := dp.StreamID(0)
	for j := range g.links {
		link := &g.links[j]
		labels := g.fresh
		switch {
		case link.lacks == 0:
			link.next, link.wait = t+protocol.Round(g.p.Renew), g.p.Renew
		case t >= link.next:
			labels = g.lackedBy(j)
			link.next = t + protocol.Round(link.wait)
			link.wait = min(2*link.wait, mostWait*g.p.Renew)
		case len(labels) > 0:
			link.next = max(link.next, t+protocol.Round(g.p.Renew))
		}
		for _, l := range labels {
			g.at(l.Seq, l.Origin).marks[j] |= offered
		}
		if len(labels) > 0 && salt == 0 {
			salt = g.salt()
		}
		g.speak(gisAdv, t, salt, labels, j, out)
		if g.hello && len(labels) == 0 {
			g.speakOnce(gisAdv, t, 0, nil, j, out)
		}
	}
	g.fresh, g.hello = g.fresh[:0], false
}

// lackedBy returns the labels of contributions that neighbour j seems to lack, and of new ones.
func (g *gis) lackedBy(j int) (labels []protocol.Label) {
	for _, epoch := range g.epochs {
		for _, s := range epoch {
			if s != nil && s.m.Kind() != 0 && (s.marks[j]&knows == 0 || slices.Contains(g.fresh, s.m.Label())) {
				labels = append(labels, s.m.Label())
			}
		}
	}
	slices.SortFunc(labels, byEpoch)
	return labels
}

// speak sends labels to neighbour j, in as many messages as needed; with a salt, fingerprints too.
func (g *gis) speak(kind protocol.Kind, t protocol.Round, salt dp.StreamID, labels []protocol.Label, j int, out *protocol.Outbox) {
	for some := range slices.Chunk(labels, mostAdvertised) {
		g.speakOnce(kind, t, salt, some, j, out)
	}
}

func (g *gis) speakOnce(kind protocol.Kind, t protocol.Round, salt dp.StreamID, labels []protocol.Label, j int, out *protocol.Outbox) {
	refs := slices.Clone(labels)
	if salt != 0 {
		for i, l := range refs {
			refs[i].Stream = g.at(l.Seq, l.Origin).fingerprint(salt)
		}
	}
	out.Send(g.c.Neighbours()[j], g.c.Press.Message(protocol.Content{
		Kind: kind, Label: protocol.Label{Origin: g.c.Self, Incarnation: g.c.Incarnation, Stream: salt, Seq: uint64(t)}, Refs: refs,
	}))
}
