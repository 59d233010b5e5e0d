// Package averaging has the protocols in which neighbours mix their estimates: average and consensus.
package averaging

import (
	"fmt"
	"math"
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// The messages of average.
const (
	averageDelta  protocol.Kind = 16 // what the asked peer added; the asking one subtracts it; and its pull counts
	averageBusy   protocol.Kind = 17 // the asked peer declines
	averageAsk    protocol.Kind = 18 // an exchange begins; brings what the asking peer has, and its pull counts
	averageCounts protocol.Kind = 19 // pull counts, every round
)

// Consistency names the rule by which peers keep their pull counts together.
type Consistency string

// The rules. All lift a peer's belief of the greatest pull count of an arm by
// what its neighbours claim; an arm that it pulled fewer times than that, by more
// than the number of peers, is pulled next.
const (
	// Max takes the greatest claim, as paper 004 does. A single liar makes every peer pull bad arms
	// forever.
	Max Consistency = "max"
	// Robust takes the (F+1)-th greatest claim among the neighbours'. It needs more than 2F
	// neighbours; on a ring or a path no news passes.
	Robust Consistency = "robust"
	// Capped takes the greatest claim, but allows at most 4 ln t + M forced
	// pulls of an arm in t rounds.
	Capped Consistency = "capped"
)

// AverageParams are the parameters of protocol average.
type AverageParams struct {
	Consistency Consistency `want:"max|robust|capped" doc:"Of pull counts: max trusts every claim, robust needs dense graphs, capped limits liars."`
	F           int         `want:"1..1000000" unit:"peers" doc:"With robust, neighbours with false pull counts to withstand. Nothing withstands false estimates."`
	Rate        float64     `want:"over 0 up to 0.5" changes:"yes" doc:"Mean exchanges per link and round; 1/(number of links) reproduces the paper."`
	Patience    uint64      `want:"2..1000000" unit:"rounds" changes:"yes" doc:"Rounds after which an unanswered exchange is tried again."`
}

// Words implements [protocol.Params].
func (AverageParams) Words() protocol.Words {
	return protocol.Words{
		Name: "average", Summary: "randomized gossip averaging of noised means with max-count consistency (Gossip_UCB, Fed_UCB)",
		When:   "to compare with paper 004; peers have to trust each other, since one liar can take all estimates wherever it likes",
		Public: "how many rewards every action has had, after every round",
		Mixed:  ", once exchanges have mixed them",
	}
}

// Traits implements [protocol.Traited].
func (AverageParams) Traits() protocol.Traits {
	return protocol.Traits{Kinds: map[protocol.Kind]string{averageDelta: "delta", averageBusy: "busy", averageAsk: "ask", averageCounts: "counts"}}
}

// Cadence implements [protocol.Params].
func (AverageParams) Cadence() protocol.Cadence { return protocol.Cadence{Noun: "reward"} }

// Check implements [protocol.Checked].
func (p AverageParams) Check(n protocol.Net) (field, want string) {
	if p.Consistency == Robust && n.LeastDegree > 0 && (n.LeastDegree-1)/2 < p.F {
		return "f", fmt.Sprintf("more than 2f neighbours at every peer with consistency robust; some peer has %d", n.LeastDegree)
	}
	return "", ""
}

// average is Gossip_UCB (Zhu, Zhu, Liu and Liu 2021, Algorithm 1) and, with noise
// at the curator, Fed_UCB (Algorithm 4).
//
// Every reward closes a leaf of its arm's stream; the arm's own mean X is the new running sum over
// the number of pulls. Peers mix a value v and a weight w per arm, and the estimate is θ = v/w; a
// peer adds (X, 1) to its own pair when it enters the arm, and v moves with X from then on. If all
// peers enter before they mix, which they do at once when they start together, and always under
// Max, every weight stays 1 and θ is the paper's. A late joiner first receives what the others
// know; it enters once it has a quarter of their pulls or a precise mean of its own; see
// [average.join].
//
// Every link has a clock, which strikes at random and is kept by the end with the lower number;
// when it strikes, that end asks the other to average. The asked peer adds δ = ⌊(asking - own)/2⌋
// of values and weights and answers δ, which the asking one subtracts. Exchanges are numbered per
// link, one at a time, and a repeated question gets the same answer, so that under loss,
// duplication and reordering every δ is added once and subtracted once: over the peers that have
// entered, Σv = ΣX and Σw is their number, exactly, plus the δ under way. A peer with an open
// question declines other peers' questions (overlapping exchanges would conserve the sums but are
// unstable) and begins no other exchange. A strike that meets a busy peer waits, so that all links
// average at the same rate and the mean mixing matrix is the paper's W. An exchange takes two
// rounds, so the rates of the links whose clocks a peer keeps should sum to well under 1/2.
type average struct {
	c           protocol.Config
	p           AverageParams
	round       protocol.Round
	mixed       *averages.Mixed
	counts      *averages.Counts // belief of the greatest pull counts
	ownCounts   *averages.Counts // own pulls, as far as they are released
	links       []averageLink
	pendingLink int  // index of the link with a pending answer, which blocks other exchanges; -1 for none
	declined    bool // the newest answer was busy
	spread.Forcing
	claims      []dp.Release      // newest, by link; for Robust
	made        protocol.Contents // of messages
	unranked    bool              // claims changed since they were ranked
	silent      []bool            // by arm: the horizon of its stream is reached, and its own mean stays
	heardCounts bool              // enough neighbours have sent their beliefs of counts: one, under Robust more than F
	notJoined   int               // arms that this peer has not entered
	belief      belief.Belief
}

// averageLink is the state of exchanges with one neighbour.
type averageLink struct {
	peer protocol.Peer
	next protocol.Round // oldest strike of the clock that is not served; only at the lower end

	// as the asking end
	seq  uint64         // of the newest question
	open bool           // it is unanswered
	sent protocol.Round // when it was last sent

	// as the asked end
	last   protocol.Label // newest question that was decided
	answer protocol.Kind  // averageDelta or averageBusy; 0 before the first
	delta  dp.Release     // with averageDelta

	claimed uint64 // round of the newest claim
}

// New implements [protocol.Params].
func (p AverageParams) New(c protocol.Config) (protocol.Protocol, error) {
	a := &average{
		c: c, p: p,
		mixed:       averages.NewMixed(c.Parts, c.Peers()),
		counts:      averages.NewCounts(c.Parts),
		ownCounts:   averages.NewCounts(c.Parts),
		links:       make([]averageLink, len(c.Neighbours())),
		claims:      make([]dp.Release, len(c.Neighbours())),
		made:        c.Press.Contents(c.Reuse),
		pendingLink: -1,
		notJoined:   c.Parts,
		Forcing:     spread.NewForcing(c),
		silent:      make([]bool, c.Parts),
		belief:      belief.New(c.Parts, 1),
	}
	a.joinAll()
	for i, n := range c.Neighbours() {
		a.links[i].peer = n
		a.links[i].next = protocol.Round(c.Parts) + a.gap() // every arm is pulled once before the first exchange
	}
	return a, nil
}

// Chosen counts the pull. Until its reward is released, the arm's SampleVar counts all choices, so
// that choices in between go to different arms.
func (a *average) Chosen(arm int) {
	b := &a.belief
	if slices.Contains(b.Forced, arm) {
		a.Forced[arm]++
	}
	b.Pulls[arm]++
	if n := a.ownCounts.At(arm); !a.silent[arm] && n > 0 {
		b.SampleVar[arm] = 1 / float64(max(n, b.Pulls[arm])) // an earlier life may have pulled more
	}
}

// label returns the label of an own message.
func (a *average) label(seq uint64) protocol.Label {
	return protocol.Label{Origin: a.c.Self, Incarnation: a.c.Incarnation, Seq: seq}
}

// Belief returns the estimates, and as forced arms those that lag behind the greatest count.
func (a *average) Belief() *belief.Belief {
	b := &a.belief
	a.rank()
	b.Forced = b.Forced[:0]
	slack := uint64(a.c.Peers())
	for k, n := range b.Pulls {
		greatest := a.counts.At(k)
		if greatest > slack && n < greatest-slack && (a.p.Consistency != Capped || a.May(k, a.round)) {
			b.Forced = append(b.Forced, k)
		}
	}
	return b
}

func (a *average) claim(i int, m *protocol.Message) error {
	if m.Body() != 1 || m.Release(0).Counts() != a.c.Parts || m.Release(0).Len() != 0 {
		return m.Refuse("want one release of %d counts", a.c.Parts)
	}
	if a.p.Consistency != Robust {
		a.heardCounts = true
		return a.counts.RaiseToMax(m.Release(0))
	}
	l := &a.links[i]
	if !a.claims[i].Empty() && m.Label().Seq <= l.claimed {
		return nil // overtaken by a newer one
	}
	m.Release(0).CopyTo(vouch.For(&a.claims[i])) // the sender may use the message again
	l.claimed, a.unranked = m.Label().Seq, true
	a.heardCounts = a.heardCounts || a.claimants() > a.p.F
	return nil
}

// claimants returns the number of neighbours whose claims are known, under Robust.
func (a *average) claimants() (n int) {
	for i := range a.claims {
		if !a.claims[i].Empty() {
			n++
		}
	}
	return n
}

// rank applies the received claims, under Robust.
func (a *average) rank() {
	if a.unranked {
		a.counts.RaiseToRank(a.claims, a.p.F)
		a.unranked = false
	}
}

func (a *average) refresh() {
	for k := range a.belief.X {
		a.belief.X[k] = a.mixed.At(k)
	}
}

func (a *average) link(p protocol.Peer) int {
	i, ok := slices.BinarySearch(a.c.Neighbours(), p)
	if !ok {
		return -1
	}
	return i
}

// gap draws the rounds until a link's clock strikes next: geometric with mean 1/rate,
// the exponential clock of randomized gossip in whole rounds.
func (a *average) gap() protocol.Round {
	return 1 + protocol.Round(math.Log1p(-a.c.Rand.Float64())/math.Log1p(-a.p.Rate))
}

// joinAll enters every arm under Max: the paper averages all estimates at once, which is correct
// where all peers start together.
func (a *average) joinAll() {
	if a.p.Consistency != Max {
		return
	}
	for k := range a.silent {
		if !a.mixed.Joined(k) && a.mixed.Join(k) {
			a.notJoined--
		}
	}
}
