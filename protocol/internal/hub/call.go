package hub

import "peerd.dev/protocol"

// A Call is a request to a hub, sent again until it is answered.
type Call struct {
	Waiting bool           // an answer is awaited
	Since   protocol.Round // when the first request for it was sent
	Asked   protocol.Round // and last
}

// Due reports whether a request is to be sent in round t: there is one, or the last one has had no answer for a number of
// rounds.
func (c *Call) Due(t protocol.Round, there bool, patience uint64) bool {
	switch {
	case c.Waiting && t < c.Asked+protocol.Round(patience), !c.Waiting && !there:
		return false
	case !c.Waiting:
		c.Waiting, c.Since = true, t
	}
	c.Asked = t
	return true
}

// Lasts reports whether an answer has been awaited for a number of rounds.
func (c *Call) Lasts(t protocol.Round, rounds uint64) bool {
	return c.Waiting && t >= c.Since+protocol.Round(rounds)
}
