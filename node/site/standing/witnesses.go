package standing

import (
	"slices"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node/store"
)

// Grace is how long a site waits for the other neighbours after the report of one, since another
// may remember more. A neighbour that dials tries again after at most 30 seconds.
const Grace = 45 * time.Second

// Awaited returns the ids of all neighbours that are in the network file or may remember what is
// missing here. A life that has not been open since it recovered does not wait for the neighbours
// that the operator excluded.
func (s *Standing) Awaited() (ids []string) {
	for _, id := range s.Known() {
		if !slices.Contains(ids, id) && (!s.Life.Closed() || !slices.Contains(s.Life.Without, id)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Witnesses returns the ids of the neighbours that may remember this life.
func (s *Standing) Witnesses() []string { return s.witnesses }

// Known returns the ids of witnesses and neighbours.
func (s *Standing) Known() []string { return slices.Concat(s.witnesses, s.members.Neighbours) }

// heard reports whether enough neighbours have reported. An ordinary start waits for all of them,
// or for the grace and more than half of those that linked before. If half of them knew what the
// lost life of a restored folder released, one of these knows it. A life that recovered waits for
// all.
func (s *Standing) heard() bool {
	agreed := func(ids []string) (n int) {
		for _, id := range ids {
			if s.agree[id] {
				n++
			}
		}
		return n
	}
	all := s.Awaited()
	if agreed(all) == len(all) {
		return true
	}
	may := s.before
	if len(may) == 0 {
		may = all
	}
	return !s.Life.Closed() && len(s.agree) > 0 && 2*agreed(may) > len(may) && s.Now().Sub(s.since) > Grace
}

// Half reports whether half of the neighbours that may remember this life remember a number of records.
func (s *Standing) Half(records uint64) bool {
	all, n := s.Awaited(), 0
	for _, id := range all {
		if s.remembered[id] >= records {
			n++
		}
	}
	return 2*n >= len(all)
}

// keepWitnesses stores the neighbours for whose reports the site waits from now on: those that
// have linked with the site while it could release something, except those that have left. A neighbour that linked with a
// blocked site is not a witness yet; otherwise it could open the site at the next start.
func (s *Standing) keepWitnesses() error {
	var ids []string
	for _, id := range s.Awaited() {
		if (s.agree[id] || slices.Contains(s.witnesses, id)) && !slices.Contains(s.members.Gone, id) {
			ids = append(ids, id)
		}
	}
	if slices.Equal(ids, s.witnesses) && !s.Life.Closed() {
		return nil
	}
	s.witnesses = ids
	s.Life.Opened = s.Life.Began()
	b := s.Store.Batch()
	SaveWitnesses(b, ids)
	s.SaveLife(b)
	return b.Commit()
}

// SaveWitnesses stores the neighbours that may remember this life.
func SaveWitnesses(b *store.Batch, ids []string) {
	b.Set(store.Meta, []byte(witnessKey), state.Save(witnessVersion, func(v *state.Visitor) { state.List(v, &ids, v.String) }))
}

// Without returns the witnesses without peers that left. A site that is not open goes on waiting for these: they may
// remember what is missing here, and no change of the network takes that away.
func (s *Standing) Without(gone []string) []string {
	open := s.Opens()
	return slices.DeleteFunc(slices.Clone(s.witnesses), func(id string) bool { return open && slices.Contains(gone, id) })
}

// SetMembers continues with other members and witnesses.
func (s *Standing) SetMembers(m Members, witnesses []string) {
	s.members, s.witnesses = m, witnesses
	for _, id := range m.Gone {
		delete(s.rivals, id)
	}
}
