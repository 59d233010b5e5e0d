package epochs

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/hub"
)

// site is the state of a peer with arms.
type site struct {
	hub.Call
	sums     []dp.Release   // by arm; empty before the first
	over     []bool         // arms whose horizon is reached
	leaves   uint64         // released, of all arms
	explored bool           // the sums of the epoch under way are released
	late     bool           // others may have ended epochs before this peer has explored them
	ahead    uint64         // greatest number of means that was seen
	due      protocol.Round // round of the next exchange
	gap      uint64         // rounds between the last exchange and the next
	arm      int            // played between exchanges
	bound    bool           // the arm is forced; else the next choice is the learner's
}

// report returns the own sums with records.
func (s *site) report() (body []dp.Release) {
	for k := range s.sums {
		if !s.sums[k].Empty() && s.sums[k].Count(0) > 0 {
			body = append(body, s.sums[k])
		}
	}
	return body
}
