package site

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
)

// ErrNothing is returned by [Site.Recover] if there is nothing to recover from.
var ErrNothing = errors.New("no peer has reported that it remembers more of this peer than there is here; start this peer once with `peerd run`, so that its neighbours can report")

// ErrFork is returned by [Site.Recover] if both histories continued.
var ErrFork = errors.New("another copy of this folder has released under the same key, and what it released is not known: this folder releases nothing any more. Use the other copy, or begin with a new folder and key: `peerd init`")

// ErrNeighbour is wrapped by [Site.Recover] if a peer in without is not one for which it would
// wait.
var ErrNeighbour = errors.New("no neighbour of this peer")

// Recovered says what [Site.Recover] did. The ledger's gap has the same numbers except, with
// noised counts, Waiting.
type Recovered struct {
	Claimed uint64   `json:"claimed"`  // records that a peer remembers
	Had     uint64   `json:"had"`      // records that are kept here, or that an earlier gap counted as lost
	Dropped uint64   `json:"dropped"`  // records here that neighbours have not confirmed, and that are removed
	Lost    uint64   `json:"lost"`     // the other records that a peer remembers
	GivenUp uint64   `json:"given_up"` // leaves of all streams
	Since   uint64   `json:"since"`    // decisions may be lost from this round
	Round   uint64   `json:"round"`    // to this one
	Waiting uint64   `json:"waiting"`  // decisions here that waited for their reward and no longer count
	Next    []uint64 `json:"next"`     // first leaf of every stream that may still be released
	Without []string `json:"without"`  // ids of the neighbours for whose memory it did not wait
	World   bool     `json:"world"`    // a world that hands records out once is not played any more
	Spent   bool     `json:"spent"`    // there are streams, and none of them has a leaf left
	Writes  uint64   `json:"writes"`   // acknowledged writes that were lost with a damaged store
	Ahead   bool     `json:"ahead"`    // the clock was ahead, and rounds go on now
	Unknown bool     `json:"unknown"`  // only the watermark was lost, so what else was lost is not known
}

// minMargin is how many leaves of every stream are abandoned, at least, in addition to those that
// peers remember: a message on the topic may be sent before any neighbour has stored the
// checkpoint that belongs to it. An eighth of what was lost is abandoned if that is more. Even if
// the margin is too small, no record is in two lives' nodes; see docs/proofs/skip.md.
const minMargin = 16

// Recover accepts from the peers that records were lost with a restored backup: the leaves that
// they may have released are abandoned, and the peer continues as a new incarnation, whose
// streams begin again. Nothing is charged a second time; see docs/proofs/skip.md. The next start
// waits until all neighbours have reported what they remember, except those whose ids are in
// without; these may be neighbours that are no longer in the network file. The site must not be
// running.
func (s *Site) Recover(without []string) (Recovered, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Recovered{Had: s.standing.Had(), Since: s.state.Round, Without: []string{}}
	if s.life.Closed() { // neighbours that were excluded then are still excluded
		r.Without = append(r.Without, s.life.Without...)
	}
	may := s.standing.Known()
	for _, id := range without {
		if !slices.Contains(may, id) {
			return r, fmt.Errorf("%w: %s", ErrNeighbour, s.c.Name(id))
		}
		if !slices.Contains(r.Without, id) {
			r.Without = append(r.Without, id)
		}
	}
	if len(s.standing.Awaited()) > 0 {
		r.Dropped = s.chain.Next - s.confirmed.kept
	}
	var lacks bool
	r.Writes, lacks = s.lostWrites()
	switch evidence := s.standing.Evidence(); {
	case evidence != nil && evidence.Fork:
		return r, ErrFork
	case evidence != nil:
		r.Claimed = evidence.Records
	case len(without) == 0 && lacks:
		r.Unknown = true
		return r, s.store.AcceptLoss()
	case len(without) == 0 && s.wasAhead() == 0:
		return r, ErrNothing
	default:
		r.Claimed, r.Had = s.chain.Next, s.chain.Next-r.Dropped
	}
	incarnation, err := NewIncarnation(s.c.Now())
	if err != nil {
		return r, err
	}
	r.Lost = r.Claimed - min(r.Claimed, r.Had)
	last := limit{due: math.MaxUint64}
	if r.Ahead = s.wasAhead() > 0; r.Ahead {
		last = s.comeBack()
		r.Since = s.state.Round
	}
	r.Round = max(r.Since, s.roundAt(s.c.Now()))
	records := s.c.recordsPerLeaf()
	lost := max(r.Lost, r.Dropped)
	lost = lost/records + min(1, lost%records)
	s.broken = true // from here on the agent must not be used: the next start makes a new one
	b := s.store.Batch()
	if err = s.goBack(b); err != nil {
		return r, err
	}
	before, err := s.agent.Closed()
	if err != nil {
		return r, err
	}
	margin := max(minMargin, lost/8)
	if r.Ahead && s.standing.Evidence() == nil && len(without) == 0 && lost == 0 {
		margin = 1 // this life goes on
	}
	agent, next, err := s.agent.AbandonLeaves(lost + margin)
	if err != nil {
		return r, err
	}
	r.Next, r.Spent = next, len(next) > 0
	above := r.Claimed
	for i, n := range next {
		r.GivenUp += n - 1 - before[i]
		r.Spent = r.Spent && n > s.c.Cadence.Leaves(s.c.Horizon)
		// If another old copy is restored later, it must abandon what this life continues with,
		// whatever it has closed itself. It will only know how many more records this ledger has,
		// so there must be one record for every leaf that is closed here.
		above = max(above, r.Claimed+(n-1)*records)
	}
	_, r.World = s.world.(bandit.Finite)
	s.life.Incarnation = max(incarnation, s.life.Incarnation+1)
	s.life.Taken = r.Claimed
	s.life.Without, s.life.Opened = r.Without, false
	if r.Waiting, err = s.uncount(b, &last); err == nil && r.Ahead {
		err = last.move(s, b)
	}
	if err != nil {
		return r, err
	}
	waiting := r.Waiting
	if s.agent.NoisedCounts() { // the ledger is public, and this would be an exact number
		waiting = 0
	}
	if err = s.append(b, &ledger.Gap{
		Claimed: r.Claimed, Had: r.Had, Incarnation: s.life.Incarnation, Since: r.Since, Round: r.Round, Waiting: waiting,
		Margin: margin, Next: next, Without: r.Without, Number: above,
	}); err != nil {
		return r, err
	}
	s.life.Gap = s.chain.Next - 1
	s.saveLife(b)
	x := snapshot{state: s.state, step: s.step, records: s.chain.Next, agent: agent.Bytes()}
	x.played, x.world = s.saveWorld()
	b.Set(store.Snapshot, nil, x.bytes())
	b.Set(store.Snapshot, []byte(confirmedKey), x.bytes()) // nothing is drawn in it
	b.DeleteBelow(store.Log, store.Number(s.step+1))
	b.DeleteBelow(store.Outbox, store.Number(s.step+1))
	s.standing.Forget(b)
	if err = b.Commit(); err != nil {
		return r, err
	}
	return r, s.store.AcceptLoss()
}

// uncount makes the decisions that wait for their reward no longer count, since the lost life may
// have observed their rewards, and returns their number.
func (s *Site) uncount(b *store.Batch, l *limit) (n uint64, err error) {
	s.recent = recent{}
	return n, s.scan(store.Due, func(id []byte, c *choice) {
		if c.counted {
			n++
		}
		c.counted = false
		l.moves(s, b, id, c)
		b.Set(store.Decision, id, c.bytes())
	})
}

func (r Recovered) String() string {
	if r.Unknown {
		return "Made a new watermark of what the store holds. If newer writes are missing, nothing here shows it. Nothing is released until neighbours have reported what they remember."
	}
	text := fmt.Sprintf("Peers remember %d ledger records, of which %d are lost here. ", r.Claimed, r.Lost)
	if r.Writes > 0 {
		text = fmt.Sprintf("%d writes that were acknowledged are lost: decisions, rewards, rounds. There were %d ledger records, of which %d are lost. ", r.Writes, r.Claimed, r.Lost)
	}
	if r.Dropped > 0 {
		text += fmt.Sprintf("%d records here that neighbours have not confirmed are taken back. ", r.Dropped)
	}
	kept := r.Ahead && r.Lost+r.Dropped == 0 // this life goes on
	if r.Ahead {
		text += "Rounds that were played while the clock was ahead are left behind, and rounds go on now. "
	}
	switch {
	case kept && !r.Spent && len(r.Next) > 0:
		text += fmt.Sprintf("A leaf of each stream is given up, %d leaves; the peer goes on with leaf %v of its streams, as a new incarnation.", r.GivenUp, r.Next)
	case len(r.Next) == 0:
		text += "This peer has no streams, so nothing is given up; it goes on as a new incarnation."
	case r.Spent:
		text += "All that the budget pays for may have been released, so this peer releases nothing any more; it goes on receiving."
	default:
		text += fmt.Sprintf("What they may have released is given up, %d leaves; the peer goes on with leaf %v of its streams, as a new incarnation.", r.GivenUp, r.Next)
	}
	if r.Waiting > 0 {
		text += fmt.Sprintf(" Decisions that waited for their reward and count no more: %d.", r.Waiting)
	}
	if len(r.Next) > 0 && !kept {
		text += fmt.Sprintf(" Which users had decisions in rounds %d to %d is not known: each of them may count again, up to privacy.records_per_user more.", r.Since, r.Round)
	}
	if r.World {
		text += " The world is not played any more, since the lost life may have handed out any of its records."
	}
	return text + " Nothing is released until all neighbours have reported what they remember, except for those that were named."
}

// lostWrites returns how many writes the store lacks, and whether it lacks any; the number is
// 0 if it is not known.
func (s *Site) lostWrites() (n uint64, lost bool) {
	had, lost := s.store.Lost()
	return had.Batch - min(had.Batch, s.store.Mark().Batch), lost
}
