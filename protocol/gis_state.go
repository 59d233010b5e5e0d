package protocol

import "peerd.dev/dp/state"

const gisVersion = 2

// Save implements [Protocol].
func (g *gis) Save() ([]byte, error) {
	w := state.NewWriter(gisVersion)
	w.Uint(g.belief.Epoch)
	w.Uint(g.belief.Revision)
	w.Uints(g.belief.Pulls)
	for _, x := range g.total {
		writeRelease(w, x)
	}
	w.Uint(uint64(g.round))
	w.Uint(uint64(g.since))
	w.Bools([]bool{g.waiting, g.over, g.hello})
	w.Uint(uint64(len(g.links)))
	for j, n := range g.c.Neighbours() {
		link := &g.links[j]
		w.Uint(uint64(n))
		w.Uint(uint64(link.incarnation))
		w.Uint(uint64(link.next))
		w.Uint(link.wait)
		w.Bool(link.doubt)
	}
	writeLabels(w, g.fresh)
	writeLabels(w, g.wanted)
	w.Uint(uint64(g.c.Peers()))
	w.Uint(uint64(len(g.epochs)))
	for _, epoch := range g.epochs {
		for _, s := range epoch {
			if w.Bool(s != nil); s != nil {
				s.save(w)
			}
		}
	}
	return w.State(), nil
}

func (s *contribution) save(w *state.Writer) {
	writeMessage(w, &s.m)
	writeMessage(w, &s.second)
	w.Bool(s.pending)
	w.Uint(uint64(s.asked))
	w.Uint(uint64(s.of))
	marks := make([]byte, len(s.marks))
	for j, m := range s.marks {
		marks[j] = byte(m)
	}
	w.Bytes(marks)
}

// Load implements [Protocol]. Links that are new begin with nothing; a network grows at its
// end.
func (g *gis) Load(saved []byte) error {
	r := state.NewReader(saved, gisVersion)
	g.belief.Epoch = r.Uint()
	g.belief.Revision = r.Uint()
	r.Uints(g.belief.Pulls)
	for k := range g.total {
		x := readRelease(r)
		if !x.Empty() && (int(x.Stream()) != k || x.Len() != 1 || x.Counts() != 1 || x.Count(0) == 0) {
			r.Fail("sum %d is not of arm %d", k, k)
			break
		}
		g.total[k] = x
		g.own(k)
	}
	g.round, g.since = Round(r.Uint()), Round(r.Uint())
	flags := make([]bool, 3)
	r.Bools(flags)
	g.waiting, g.over, g.hello = flags[0], flags[1], flags[2]
	places := g.loadLinks(r)
	fresh, wanted := readLabels(r), readLabels(r)
	if peers := r.Uint(); peers > uint64(g.c.Peers()) {
		r.Fail("contributions of %d peers, want at most %d", peers, g.c.Peers())
	} else {
		g.loadEpochs(r, int(peers), places)
	}
	g.fresh, g.wanted = g.known(r, append(fresh, g.fresh...), true), g.known(r, wanted, false)
	if g.belief.Epoch > uint64(len(g.epochs)) {
		r.Fail("%d complete epochs of %d", g.belief.Epoch, len(g.epochs))
	}
	g.stale = true
	return ended(r)
}

// loadLinks returns the place of every neighbour that there was; -1 if it is none now.
func (g *gis) loadLinks(r *state.Reader) (places []int) {
	for range r.Len() {
		n := Peer(r.Uint())
		link := gisLink{incarnation: uint32(r.Uint()), next: Round(r.Uint()), wait: max(1, r.Uint()), doubt: r.Bool()}
		at := -1
		for j, now := range g.c.Neighbours() {
			if now == n {
				at, g.links[j] = j, link
			}
		}
		places = append(places, at)
	}
	return places
}

func (g *gis) loadEpochs(r *state.Reader, peers int, places []int) {
	lost := false
	for e := range uint64(r.Len()) {
		for i := range Peer(peers) {
			if !r.Bool() {
				continue
			}
			s := g.at(e+1, i)
			if s == nil { // with a greater network others take part
				s = &contribution{second: noMessage(), marks: make([]mark, len(g.links))}
			}
			lost = g.loadContribution(r, s, Label{Origin: i, Seq: e + 1}, places) || lost
			if !r.OK() {
				return
			}
		}
	}
	if lost {
		g.again()
	}
}

// loadContribution reads s, and reports whether it is an own one that is good no more.
func (g *gis) loadContribution(r *state.Reader, s *contribution, want Label, places []int) (lost bool) {
	m, second := readMessage(r), readMessage(r)
	s.pending, s.asked = r.Bool(), Round(r.Uint())
	if of := r.Uint(); of < uint64(len(places)) && places[of] >= 0 {
		s.of = places[of]
	} else {
		s.pending = false
	}
	for j, b := range r.Bytes() {
		if mark(b)&^allMarks != 0 || j >= len(places) {
			r.Fail("marks of no neighbour")
			return false
		}
		if places[j] >= 0 {
			s.marks[places[j]] = mark(b)
		}
	}
	if m.kind == 0 {
		return false
	}
	if m.kind != gisData || m.label.Origin != want.Origin || m.label.Seq != want.Seq ||
		second.kind != 0 && (second.kind != gisData || second.label.Origin != want.Origin || second.label.Seq != want.Seq) {
		r.Fail("a contribution is not of epoch %d of peer %d", want.Seq, want.Origin)
		return false
	}
	own := m.label.Origin == g.c.Self
	// Signatures are bound to what peers agree on. After a change of that all refuse what was
	// signed before: the own contributions are signed again, and everything is sent again.
	if !g.c.Press.Authentic(m) {
		clear(s.marks)
		if !own {
			return false
		}
		m = g.c.Press.Signed(Content{Kind: gisData, Label: m.label, Body: m.body})
		g.fresh = append(g.fresh, m.label)
	}
	if g.check(&m) != nil { // less noise than is charged now
		return own
	}
	s.m = m
	if second.kind != 0 && g.c.Press.Authentic(second) && g.check(&second) == nil {
		s.second = second
	}
	for j := range s.marks {
		if s.marks[j]&knows == 0 {
			g.links[j].lacks++
		}
	}
	return false
}

// known keeps labels of contributions that take part and are held, or are not.
func (g *gis) known(r *state.Reader, labels []Label, held bool) (all []Label) {
	for _, l := range labels {
		if int(l.Origin) >= g.c.Peers() || l.Seq < 1 || l.Seq > uint64(len(g.epochs)) {
			r.Fail("label of epoch %d of peer %d", l.Seq, l.Origin)
			return nil
		}
		if s := g.at(l.Seq, l.Origin); s != nil && (s.m.kind != 0) == held {
			all = append(all, l)
		}
	}
	return all
}

func writeLabels(w *state.Writer, labels []Label) {
	w.Uint(uint64(len(labels)))
	for _, l := range labels {
		writeLabel(w, l)
	}
}

func readLabels(r *state.Reader) (labels []Label) {
	for range r.Len() {
		labels = append(labels, readLabel(r))
	}
	return labels
}
