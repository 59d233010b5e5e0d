package rows

import (
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// patience is the ratio of rounds, and of rewards, from which on a silent origin leaves the estimates.
const patience = 8

// silence finds origins that have stopped. An origin's row stays for ever, and with it one draw of noise at a weight of
// 1/N in every estimate: if it rests on a few rewards, the others can neither rule its error out nor reduce it. So an
// origin of which nothing new has come since the first eighth of all rounds leaves the estimates of all arms, until a
// new row of it arrives, if [merger.replaceable] holds: then the others' means are the better estimate of its own.
// Rounds and arrivals are public, so this is post-processing of releases; docs/decisions/protocols.md has the numbers.
type silence struct {
	round protocol.Round   // the last one that ended
	heard []protocol.Round // by origin: round in which its newest row arrived
	gone  []bool           // origins that are left out
	due   protocol.Round   // when gone is computed again
}

func newSilence(peers int) silence {
	return silence{heard: make([]protocol.Round, peers), gone: make([]bool, peers)}
}

// hear notes a new row of an origin.
func (s *silence) hear(origin protocol.Peer) {
	s.heard[origin], s.gone[origin] = s.round, false
}

// silent reports whether nothing new has come of an origin since the first eighth of all rounds from start to the last
// one that ended.
func (s *silence) silent(origin protocol.Peer, start protocol.Round) bool {
	return s.round+1-start > patience*(max(s.heard[origin]+1, start)-start)
}

// end ends round t, where rewards count from round start on, and reports whether origins have left. Silent origins
// leave if they are replaceable; that is examined again when the number of rounds has grown by 1/64.
func (s *silence) end(t, start protocol.Round, self protocol.Peer, replaceable func(protocol.Peer) bool) (left bool) {
	if s.round = t; t < s.due {
		return false
	}
	s.due = t + 1 + (t-start)/64
	for p := range s.gone {
		if origin := protocol.Peer(p); !s.gone[p] && origin != self && s.silent(origin, start) && replaceable(origin) {
			s.gone[p], left = true, true
		}
	}
	return left
}

// fields visits the state except the round.
func (s *silence) fields(v *state.Visitor) {
	n := v.Len(len(s.heard))
	if n > len(s.heard) { // new peers are at the end of a network
		v.Fail("%d origins heard, want up to %d", n, len(s.heard))
		return
	}
	for p := range n {
		state.Number(v, &s.heard[p])
	}
	for p := range n {
		v.Bool(&s.gone[p])
	}
	state.Number(v, &s.due)
}
