package rows

import (
	"fmt"
	"math"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// Merging is a peer of either protocol, phases or rows. It holds the newest rows of all origins, merges them arm by arm, and leaves out
// origins that have stopped. The protocols differ in their cadence, by the clock or by batches that grow, and with it in
// what a row contains, how it spreads, and which own choices an estimate counts.
type Merging struct {
	spread.Body
	merger
	whole bool   // a row has all arms of its origin
	came  []bool // by origin: whether a row has arrived, or may have in an earlier life
}

// Open completes a peer with rows and the exchange that spreads them, a sample of each origin and arm, the estimate of an
// arm, and the fields of saved states.
func (r *Merging) Open(c protocol.Config, by Merge, f int, rows *spread.Flood, x spread.Exchange,
	sample func(protocol.Peer, int) (belief.Site, bool), estimate func(arm int), fields func(*state.Visitor),
) {
	r.merger = newMerger(c, by, f, sample)
	r.whole, r.came = len(rows.Newest) == c.Peers(), make([]bool, c.Peers())
	r.Body = spread.NewBody(c.Parts, 1, rows, x, estimate, 3, fields)
	r.Hear(r.news)
}

// news takes a new row in. Over says that it makes earlier rows of other arms void.
func (r *Merging) news(row protocol.Label, over bool) {
	all := over || r.whole || r.gone[row.Origin]
	r.hear(row.Origin)
	r.came[row.Origin] = true
	if all {
		r.renewOrigin(row.Origin)
		r.Renew()
		return
	}
	r.renew(row.Origin, int(row.Stream))
	r.Stale[row.Stream] = true
}

// restart takes all rows in again.
func (r *Merging) restart() {
	r.renewAll()
	r.Renew()
}

// Depart lets go of silent origins at the end of round t, where rewards count from round start on.
func (r *Merging) Depart(t, start protocol.Round) {
	own := math.NaN()
	if r.end(t, start, r.self, func(origin protocol.Peer) bool {
		if !r.came[origin] {
			return false
		}
		if math.IsNaN(own) {
			own = r.rewards(r.self, spread.Inf)
		}
		return r.replaceable(origin, own)
	}) {
		r.restart()
	}
}

// Load implements [protocol.Protocol].
func (r *Merging) Load(saved protocol.State) error {
	err := r.Body.Load(saved)
	for p := range r.came {
		r.came[p] = true
	}
	r.renewAll()
	return err
}

// Silence visits what is known of origins that have stopped.
func (r *Merging) Silence(v *state.Visitor) {
	state.Number(v, &r.round)
	r.silence.fields(v)
}

// Check returns what a number of sites to withstand has to be among a number of sites with arms; empty if it is that.
func (m Merge) Check(f, sites int) (want string) {
	if most := (sites - 1) / 2; m == MergeTrimmed && sites > 0 && f > most {
		return fmt.Sprintf("at most %d with merge trimmed and %d peers with arms, or nothing is left to take the mean of", most, sites)
	}
	return ""
}

// Mixed says when a peer learns from the mean over sites.
func (m Merge) Mixed() string {
	if m == MergeTrimmed {
		return "; merge: trimmed leaves some out, and this is a guide"
	}
	return ""
}
