// Package rows has protocol phases, in which every site signs what its own streams have released, all peers get it, and each merges it
// arm by arm; and what protocol rows, of package running, does as phases does.
package rows

import (
	"fmt"
	"math"
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// The messages of phases.
const (
	phasesRow    protocol.Kind = 40 // the sum over all batches of an arm of its origin, signed
	phasesDigest protocol.Kind = phasesRow + spread.FloodDigest
	phasesWant   protocol.Kind = phasesRow + spread.FloodWant
)

// PhasesParams are the parameters of protocol phases.
type PhasesParams struct {
	First  uint64  `want:"0..1000000" unit:"rewards" fixed:"yes" doc:"Rewards in the first batch of an arm; 0 takes 3 times the scale of the noise, at least 4."`
	Growth float64 `want:"over 0 up to 4" fixed:"yes" doc:"A batch of an arm has this many times the rewards of all before it."`
	Limit  uint64  `want:"0..1073741824" unit:"rounds" fixed:"yes" doc:"Rounds after which a batch with a reward closes unfilled, at no budget; 0 for never."`
	Window uint64  `want:"0..1073741824" unit:"rounds" fixed:"yes" doc:"Rounds, by the clock, after which all batches are forgotten, for means that change; 0 for never."`
	Pull   uint64  `want:"1..1000000" unit:"rounds" changes:"yes" doc:"Rounds between digests that neighbours compare; up to 256 times as many without an answer."`
	Merge  Merge   `want:"mean|trimmed" changes:"yes" doc:"Estimate from rows: their mean, or that without the f largest and f smallest."`
	F      int     `want:"1..1000000" unit:"peers" changes:"yes" doc:"Lying sites to withstand, with merge: trimmed."`
}

// Words implements [protocol.Params].
func (p PhasesParams) Words() protocol.Words {
	return protocol.Words{
		Name: "phases", Summary: "batches of every arm that grow, each released once, and their sums spread to all",
		When:   "to begin with, when actions are the same for everyone: it has the least regret, sends least, and its budget lasts for the network's whole life",
		Public: "how many rewards of every action each batch holds",
		Mixed:  p.Merge.Mixed(),
	}
}

// Traits implements [protocol.Traited].
func (p PhasesParams) Traits() protocol.Traits {
	return protocol.Traits{Kinds: map[protocol.Kind]string{phasesRow: "row", phasesDigest: "digest", phasesWant: "want"}, Leaf: "first", Sites: p.Merge == MergeMean}
}

// Suits implements [protocol.Suited].
func (PhasesParams) Suits(m dp.Mechanism) bool { return !m.Running() || m == dp.None }

// Check implements [protocol.Checked].
func (p PhasesParams) Check(n protocol.Net) (field, want string) {
	if want = p.Merge.Check(p.F, n.Peers); want != "" {
		return "f", want
	}
	return "", ""
}

// Fit implements [protocol.Fitted].
func (p PhasesParams) Fit(epsilon float64) protocol.Params {
	if p.First == 0 {
		p.First = uint64(max(leastFirst, math.Ceil(3/epsilon)))
	}
	return p
}

// Batches implements [protocol.Growing].
func (p PhasesParams) Batches(first uint64) protocol.Params {
	p.First, p.Growth = first, 1
	return p
}

// Small implements [protocol.Shrinking].
func (p PhasesParams) Small(leaf uint64) protocol.Params {
	p.First, p.Growth, p.Pull = leaf, min(p.Growth, .1), min(p.Pull, leaf+1)
	if p.Limit > 0 {
		p.Limit = min(p.Limit, 2*leaf)
	}
	if p.Window > 0 {
		p.Window = min(p.Window, 8*leaf)
	}
	return p
}

// leastFirst is the least number of rewards in a first batch. At epsilon 1 one draw of noise then
// moves their mean by a standard deviation of .35.
const leastFirst = 4

// Cadence implements [protocol.Params]: leaves are batches. Where First depends on the budget, it
// is the one for epsilon 1.
func (p PhasesParams) Cadence() protocol.Cadence {
	if p.First == 0 {
		p.First = leastFirst
	}
	return protocol.Cadence{First: p.First, Growth: p.Growth, Limit: p.Limit, Window: p.Window, Noun: "batch"}
}

// phases is for mechanisms that release every leaf once. The rewards of an arm form batches, by
// default each half as long as all before it together, so that there are few; each is a leaf. Every
// record is in one of them, so one charge covers a whole life. All batches count: a row contains
// the sum of all releases of an arm, with its number of rewards and its noise; see
// [spread.Totals]. Every peer merges the newest row of each origin and arm.
//
// The belief contains released batches only, so a peer continues with an arm until its batch is
// full. While a full batch waits for rewards, SampleVar counts them as if they had paid the known
// mean, so that choices go to different arms.
//
// An arm that others have pulled more often comes first: a peer that lags behind makes the others'
// estimates uncertain, and they would keep pulling the arm without effect. The number of pulls that
// claims can force is limited; see [spread.Forcing]. A peer that is ahead of others, because they
// have less traffic or are away, leaves further pulls to them; see [phases.ahead].
//
// With a window, all peers start again at its end: batches close, and earlier releases count no
// more. The number of a row contains the number of its window.
type phases struct {
	Merging
	spread.Totals
	spread.Forcing
	cadence protocol.Cadence
	waiting []uint64  // own choices since the newest batch, by arm
	over    []bool    // arms whose horizon is reached
	most    []uint64  // another peer's released rewards of an arm, to catch up with
	claims  []float64 // scratch: released rewards of an arm by origin
}

// New implements [protocol.Params].
func (p PhasesParams) New(c protocol.Config) (protocol.Protocol, error) {
	if p.Window > 0 && c.Charge.Mechanism.Running() {
		return nil, fmt.Errorf("phases: a window of %d rounds with mechanism %v, whose sums hold all that was released before; want 0", p.Window, c.Charge.Mechanism)
	}
	r := &phases{
		Forcing: spread.NewForcing(c), cadence: p.Cadence(), waiting: make([]uint64, c.Parts),
		over: make([]bool, c.Parts), most: make([]uint64, c.Parts),
	}
	r.Totals = spread.NewTotals(c, phasesRow, p.Pull, r.check)
	r.Open(c, p.Merge, p.F, &r.Flood, &r.Totals, r.sample, r.estimate, r.fields)
	return r, nil
}

// Chosen counts the pull.
func (r *phases) Chosen(arm int) {
	r.Body.Chosen(arm)
	if slices.Contains(r.Known.Forced, arm) {
		r.Forced[arm]++
	}
	r.waiting[arm]++
	r.Stale[arm] = r.Stale[arm] || r.full(arm)
}

// full reports whether the choices of an arm without a released reward fill its next batch.
func (r *phases) full(arm int) bool {
	return r.waiting[arm] >= r.cadence.Size(r.released(r.C.Self, arm))
}

// released returns the number of rewards of an arm in the batches of a peer.
func (r *phases) released(p protocol.Peer, arm int) uint64 {
	if x := r.SumOf(p, arm); x != nil {
		return x.Count(0)
	}
	return 0
}

// Released adds batches to the own sums and sends them as rows.
func (r *phases) Released(own []protocol.Own, out *protocol.Outbox) error {
	for i := range own {
		arm := int(own[i].Stream)
		r.Stale[arm] = true
		if own[i].Over {
			r.over[arm] = true
			continue
		}
		r.waiting[arm] = 0
		if err := r.Add(&own[i], out); err != nil {
			return err
		}
	}
	return nil
}

// Tick ends a window, lets go of silent origins, and sends digests.
func (r *phases) Tick(t protocol.Round, out *protocol.Outbox) error {
	r.Depart(t, protocol.Round(r.Window*r.cadence.Window))
	if w := r.cadence.Window; w > 0 && (uint64(t)+1)/w > r.Window {
		r.Forget((uint64(t) + 1) / w)
		clear(r.waiting)
		clear(r.Forced)
		clear(r.Known.Pulls)
		r.restart()
	}
	return r.Body.Tick(t, out)
}

// check refuses a message that is not a valid row of its origin.
func (r *phases) check(m *protocol.Message) error {
	return r.Sound(m, 1, r.cadence)
}

// sample returns the sample of an arm in the newest row of a peer.
func (r *phases) sample(p protocol.Peer, arm int) (belief.Site, bool) {
	x := r.SumOf(p, arm)
	if x == nil {
		return belief.Site{}, false
	}
	released := float64(x.Count(0))
	n := released
	if p == r.C.Self && !r.over[arm] && r.full(arm) {
		n += float64(r.waiting[arm])
	}
	return Site(p, x.At(0)/released, n, released, x.NoiseMoments().Over(released)), true
}

// estimate merges the newest rows of an arm.
func (r *phases) estimate(arm int) {
	r.Merge(&r.Known, arm)
	r.most[arm] = r.claimed(arm)
	r.Known.Ahead[arm] = r.ahead(arm)
}

// Belief merges the newest rows. Its forced arms are the ones to catch up with.
func (r *phases) Belief() *belief.Belief {
	b := r.Body.Belief()
	b.Forced = b.Forced[:0]
	for k, n := range b.Pulls {
		if n < r.most[k] && r.May(k, r.round) {
			b.Forced = append(b.Forced, k)
		}
	}
	return b
}

// claimed returns the greatest number of released rewards of an arm that another peer states; with
// merge trimmed, the greatest without the f greatest. Origins that are left out state theirs, too.
func (r *phases) claimed(arm int) uint64 {
	claims := r.claims[:0]
	for i := range r.sites[arm] {
		if s := &r.sites[arm][i]; s.Peer != int(r.C.Self) {
			claims = append(claims, s.Released)
		}
	}
	for p, gone := range r.gone {
		if gone && r.C.Member(protocol.Peer(p)) {
			claims = append(claims, float64(r.released(protocol.Peer(p), arm)))
		}
	}
	r.claims = claims
	if r.by != MergeTrimmed {
		return uint64(slices.Max(append(claims, 0)))
	}
	slices.Sort(claims)
	if at := len(claims) - 1 - r.f; at >= 0 {
		return uint64(claims[at])
	}
	return 0
}

// lead is a ratio of variances: the estimate's, over the variance that it would have if all peers
// had pulled as often as this one. From this ratio on, this peer is ahead.
const lead = 2

// ahead reports whether more pulls of an arm by this peer hardly improve the estimate, because the
// few pulls of others dominate its variance: over all peers with n released rewards each, the mean
// of 1/n is more than lead times this peer's. Origins that are left out do not count. With merge trimmed, the f least n are left out.
func (r *phases) ahead(arm int) bool {
	claims, sites := r.claims[:0], r.sites[arm]
	own, sum := 0., 0.
	for i := range sites {
		claims = append(claims, sites[i].Released)
		if sites[i].Peer == int(r.C.Self) {
			own = sites[i].Released
		}
	}
	r.claims = claims
	if r.by == MergeTrimmed {
		slices.Sort(claims)
		claims = claims[min(r.f, len(claims)):]
	}
	for _, n := range claims {
		sum += 1 / n
	}
	return own*sum > lead*float64(len(claims))
}

// Load implements [protocol.Protocol].
func (r *phases) Load(saved protocol.State) error {
	err := r.Merging.Load(saved)
	if w := r.cadence.Window; w > 0 {
		r.Window = (uint64(r.round) + 1) / w
	}
	r.renewAll() // the window is another
	return err
}

func (r *phases) fields(v *state.Visitor) {
	r.Fields(v, 1)
	v.Uints(r.waiting)
	v.Uints(r.Forced)
	v.Bools(r.over)
	state.Number(v, &r.round)
	v.Float(&r.Allow)
	state.Number(v, &r.Until)
	v.Uints(r.Known.Pulls)
	r.silence.fields(v)
}
