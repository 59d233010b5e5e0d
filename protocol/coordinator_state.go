package protocol

import (
	"peerd.dev/dp/state"
)

const coordinatorVersion = 2

// Save implements [Protocol].
func (x *coordinator) Save() ([]byte, error) {
	w := state.NewWriter(coordinatorVersion)
	x.save(w)
	return w.State(), nil
}

func (x *coordinator) save(w *state.Writer) {
	s, d := &x.site, &x.desk
	w.Uint(uint64(x.round))
	w.Uint(uint64(len(x.means)))
	for i := range x.means {
		writeMessage(w, &x.means[i])
	}
	w.Uints(x.belief.Pulls)
	for k := range s.sums {
		writeRelease(w, s.sums[k])
	}
	w.Bools(s.over)
	for _, n := range []uint64{s.leaves, uint64(s.since), uint64(s.asked), uint64(s.due), s.gap, uint64(s.arm + 1), uint64(d.began), s.ahead} {
		w.Uint(n)
	}
	for _, is := range []bool{s.explored, s.late, s.waiting, s.bound} {
		w.Bool(is)
	}
	w.Uint(uint64(len(d.newest)))
	for i := range d.newest {
		writeMessage(w, &d.newest[i])
		w.Uint(d.held[i])
		w.Bool(d.reported[i])
	}
}

// Load implements [Protocol].
func (x *coordinator) Load(saved []byte) error {
	r := state.NewReader(saved, coordinatorVersion)
	x.load(r, func(m *Message) bool { return m.kind == x.ofReport && x.coordinates() && x.checkContent(m) == nil })
	return ended(r)
}

// load reads a state; of what was on the desk, what is good.
func (x *coordinator) load(r *state.Reader, good func(m *Message) bool) {
	s, d := &x.site, &x.desk
	x.round = Round(r.Uint())
	for range r.Len() {
		m := readMessage(r)
		if m.kind != x.ofMeans || m.label.Seq <= x.number() {
			r.Fail("no means of an exchange after %d", x.number())
			break
		}
		// Signatures are bound to what peers agree on. After a change of that, others would
		// refuse the means.
		if m.label.Origin == x.origin() && x.checkMeans(&m) == nil && x.c.Press.Authentic(m) {
			x.keep(m)
		}
	}
	r.Uints(x.belief.Pulls)
	for k := range s.sums {
		sum := readRelease(r)
		if !sum.Empty() && (int(sum.Stream()) != k || sum.Len() != 1 || sum.Counts() != 1) {
			r.Fail("sum %d is not of arm %d", k, k)
			break
		}
		if s.sums[k] = sum; x.p.Schedule == ByEpoch && !sum.Empty() && sum.Count(0) > 0 {
			x.belief.Own[k] = sum.At(0) / float64(sum.Count(0))
		}
	}
	r.Bools(s.over)
	s.leaves = r.Uint()
	s.since, s.asked, s.due = Round(r.Uint()), Round(r.Uint()), Round(r.Uint())
	s.gap = r.Uint()
	arm := r.Uint()
	if arm > uint64(x.c.Parts) {
		r.Fail("arm %d of %d", arm, x.c.Parts)
		arm = 0
	}
	s.arm, d.began, s.ahead = int(arm)-1, Round(r.Uint()), r.Uint()
	s.explored, s.late, s.waiting, s.bound = r.Bool(), r.Bool(), r.Bool(), r.Bool() && arm > 0
	n := r.Len()
	if n > len(d.newest) { // a network grows at its end
		r.Fail("sums of %d peers, want %d", n, len(d.newest))
		n = 0
	}
	for i := range n {
		m, held, reported := readMessage(r), r.Uint(), r.Bool()
		if m.kind == 0 {
			continue
		}
		if int64(m.label.Origin) != int64(i) || len(m.refs) == 0 {
			r.Fail("sums %d are not of peer %d", i, i)
			break
		}
		if good(&m) {
			d.newest[i], d.held[i], d.reported[i] = m, held, reported
		}
	}
	x.stale = true
}
