package protocol

import "peerd.dev/dp/state"

const rowsVersion = 2

// Save implements [Protocol].
func (r *rows) Save() ([]byte, error) {
	w := state.NewWriter(rowsVersion)
	w.Uint(uint64(len(r.newest)))
	for i := range r.newest {
		writeMessage(w, &r.newest[i])
	}
	w.Uint(r.pulled)
	w.Uint(uint64(len(r.served)))
	for i, n := range r.c.Neighbours() {
		w.Uint(uint64(n))
		w.Bool(r.served[i])
	}
	w.Bool(r.silent)
	w.Uints(r.belief.Pulls)
	return w.State(), nil
}

// Load implements [Protocol].
func (r *rows) Load(saved []byte) error {
	s := state.NewReader(saved, rowsVersion)
	n := s.Len()
	if n > len(r.newest) { // a network grows at its end
		s.Fail("rows of %d peers, want %d", n, len(r.newest))
		n = 0
	}
	for i := range n {
		m := readMessage(s)
		if m.kind != 0 && (m.kind != rowsRow || int(m.label.Origin) != i ||
			len(m.body) != 1 || m.body[0].Len() != r.c.Parts || m.body[0].Counts() != r.c.Parts) {
			s.Fail("row %d is not of peer %d", i, i)
			break
		}
		// Signatures are bound to what peers agree on. After a change of that, others
		// would refuse the row, and its origin makes a new one.
		if m.kind != 0 && r.c.Keys.Verify(m.label.Origin, appendContent(nil, m.message), m.sig) {
			r.newest[i] = m
		}
	}
	r.pulled = s.Uint()
	for range s.Len() {
		p, served := Peer(s.Uint()), s.Bool()
		for i, n := range r.c.Neighbours() {
			if n == p {
				r.served[i] = served
			}
		}
	}
	r.silent = s.Bool()
	s.Uints(r.belief.Pulls)
	for k := range r.stale {
		r.stale[k] = true
	}
	return ended(s)
}
