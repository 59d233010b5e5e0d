package sim

// Result is what a referee who knows the worlds sees, without liars.
type Result struct {
	Points []uint64  // numbers of rounds
	Regret []float64 // cumulative, of the average honest peer with arms, after Points rounds
	// OwnRegret is the regret of the average honest peer with arms against the best arm of its
	// own site, at the end, by Config.Means, Config.OwnGap or Config.Own; nil without all of them.
	OwnRegret *float64
	// OwnCurve is the same after Points rounds.
	OwnCurve []float64
	// Sites has every honest peer with arms, by peer; nil where OwnRegret is.
	Sites    []Site
	Pulls    [][]uint64  // by peer and arm
	Means    [][]float64 // final estimates, by peer and arm
	Released uint64      // nodes that were drawn
	Messages uint64
	Bytes    uint64 // of encoded messages, without transport framing; 0 unless asked for
	// Links and HubLinks count the links over which a release went in a round, round by round, as
	// Li and Song (eq. 2) do: Links those between peers with arms, HubLinks those with an idle
	// peer at one end. They are 0 unless Config.Bytes is set.
	Links, HubLinks uint64
	Lost            uint64 // messages
	Refused         uint64 // messages, and messages that prove another peer's fault
	Spent           float64
	Gap             float64   // difference between the best and the second best arm of Truth
	Coverage        *Coverage // nil unless asked for
}

// A Site is what the referee sees of an honest peer with arms.
type Site struct {
	Number    int     `json:"site"`       // among peers with arms, from 0
	Regret    float64 `json:"own_regret"` // at the end, against the best arm of its own site
	Decisions uint64  `json:"decisions"`
	Half      Late    `json:"half"`    // the second half of the rounds
	Quarter   Late    `json:"quarter"` // the last quarter of them
	Gap       float64 `json:"gap"`     // between the two best arms of its site; 0 by Config.OwnGap and Config.Own
}

// Late is what a site did in the last part of a run.
type Late struct {
	Regret    float64 `json:"own_regret"`
	Decisions uint64  `json:"decisions"`
}

// add counts a decision that lost a number of rewards.
func (l *Late) add(gap float64) {
	l.Regret += gap
	l.Decisions++
}
