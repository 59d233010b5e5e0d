package site

import (
	"slices"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node/store"
)

// grace is how long a site waits for the other neighbours after the report of one, since another
// may remember more. A neighbour that dials tries again after at most 30 seconds.
const grace = 45 * time.Second

// neighbours returns the ids of the neighbours in the network file.
func (s *Site) neighbours() (ids []string) {
	for _, p := range s.c.Neighbours {
		ids = append(ids, s.c.ID(p))
	}
	return ids
}

// awaited returns the ids of all neighbours that are in the network file or may remember what is
// missing here. A life that has not been open since it recovered does not wait for the neighbours
// that the operator excluded.
func (s *Site) awaited() (ids []string) {
	for _, id := range slices.Concat(s.blocked.witnesses, s.neighbours()) {
		if !slices.Contains(ids, id) && (!s.closed() || !slices.Contains(s.life.Without, id)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// heard reports whether enough neighbours have reported. An ordinary start waits for all of them,
// or for the grace and more than half of those that linked before. If half of them knew what the
// lost life of a restored folder released, one of these knows it. A life that recovered waits for
// all.
func (s *Site) heard() bool {
	h := &s.blocked
	agreed := func(ids []string) (n int) {
		for _, id := range ids {
			if h.agree[id] {
				n++
			}
		}
		return n
	}
	all := s.awaited()
	if agreed(all) == len(all) {
		return true
	}
	may := h.before
	if len(may) == 0 {
		may = all
	}
	return !s.closed() && len(h.agree) > 0 && 2*agreed(may) > len(may) && s.c.Now().Sub(h.since) > grace
}

// keepWitnesses stores the neighbours for whose reports the site waits from now on: those that
// have linked with the site while it could release something, except those that have left. A neighbour that linked with a
// blocked site is not a witness yet; otherwise it could open the site at the next start.
func (s *Site) keepWitnesses() error {
	var ids []string
	for _, id := range s.awaited() {
		if (s.blocked.agree[id] || slices.Contains(s.blocked.witnesses, id)) && !slices.Contains(s.c.Gone, id) {
			ids = append(ids, id)
		}
	}
	if slices.Equal(ids, s.blocked.witnesses) && !s.closed() {
		return nil
	}
	s.blocked.witnesses = ids
	s.life.Opened = s.recovered()
	b := s.store.Batch()
	b.Set(store.Meta, []byte(witnessKey), s.witnessBytes())
	b.Set(store.Meta, []byte(lifeKey), s.life.bytes())
	return b.Commit()
}

func (b *blocked) witnessFields(v *state.Visitor) { state.List(v, &b.witnesses, v.String) }

func (s *Site) witnessBytes() []byte { return state.Save(witnessVersion, s.blocked.witnessFields) }
