// Package epochs has the protocols in which all sites explore in epochs and then learn the mean over sites: gis,
// coordinator and sink.
package epochs

import (
	"cmp"
	"fmt"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// The messages of gis.
const (
	gisAdv  protocol.Kind = 48 // labels of contributions that the sender has
	gisReq  protocol.Kind = 49 // labels of contributions that the sender wants
	gisData protocol.Kind = 50 // a contribution, signed by its origin
)

// GISParams are the parameters of protocol gis.
type GISParams struct {
	Epochs   uint64 `want:"1..1048576" unit:"epochs" fixed:"yes" doc:"Epochs that the budget pays for; free where every leaf is released once."`
	Deadline uint64 `want:"0..1073741824" unit:"rounds" changes:"yes" doc:"Rounds from its own release for which a site waits for others'; 0 takes 10 diameters."`
	Patience uint64 `want:"1..1000000" unit:"rounds" changes:"yes" doc:"Rounds after which a contribution is requested from another neighbour."`
	Renew    uint64 `want:"1..1000000" unit:"rounds" changes:"yes" doc:"Rounds between advertisements to a neighbour that lacks contributions; up to 64 times as many while it is silent."`
	// Participation is from the paper's Algorithm 1; it works with any way of spreading.
	Participation float64 `want:"over 0 up to 1" fixed:"yes" doc:"Share of the sites, drawn for every epoch, whose releases are sent."`
}

// Words implements [protocol.Params].
func (GISParams) Words() protocol.Words {
	return protocol.Words{
		Name: "gis", Summary: "contributions of epochs, advertised, requested and sent over every link once at most",
		When:   "with learner `elimination`, when there is no centre and links are expensive: a release crosses each link once at most",
		Public: "how many rewards of every action each epoch holds", Mixed: "; every site does at the end of an epoch",
	}
}

// Traits implements [protocol.Traited].
func (GISParams) Traits() protocol.Traits {
	return protocol.Traits{
		Kinds: map[protocol.Kind]string{gisAdv: "adv", gisReq: "req", gisData: "data"},
		Fixed: "every epoch waits for the sites that were drawn for it, at all peers alike",
	}
}

// Suits implements [protocol.Suited].
func (GISParams) Suits(m dp.Mechanism) bool { return !m.Running() || m == dp.None }

// Cadence implements [protocol.Params].
func (p GISParams) Cadence() protocol.Cadence {
	return protocol.Cadence{Epochs: p.Epochs, Noun: "epoch"}
}

// Small implements [protocol.Shrinking].
func (p GISParams) Small(leaf uint64) protocol.Params {
	p.Deadline, p.Renew = leaf+2, min(p.Renew, 6)
	return p
}

// Origins implements [protocol.Sampling].
func (p GISParams) Origins(learners int) int { return participants(p.Participation, learners) }

// gis is Global Information Synchronization (Li and Song, section V and Algorithm 2) for learners
// that explore in epochs. The contribution to an epoch contains, for every arm that its origin
// explored in it, the sum of all the origin's releases of the arm, signed. It travels over links in
// three steps: a peer advertises the labels of new contributions, requests each missing one from
// one neighbour at a time, and sends requested ones. So without loss no contribution crosses a link
// twice, and every peer receives it once.
//
// Neighbours compare their contributions with one label by fingerprints in advertisements. So all
// peers find two contributions of one origin and epoch, and neither counts; see [gis.replace].
//
// If a neighbour does not answer, another one that has advertised the contribution is asked after
// Patience rounds. A neighbour is asked again only when it has advertised the contribution again,
// which it does when the other end seems to lack it.
//
// A peer enters the next epoch when it has the contributions of all sites that take part, or
// Deadline rounds after its own release. Later contributions are merged into their epochs, and
// requests for older epochs are still served.
type gis struct {
	contributions
	links    []gisLink // by place among the neighbours
	p        GISParams
	deadline uint64
	fresh    []protocol.Label // received, and not advertised yet
	wanted   []protocol.Label // advertised by a neighbour, and missing here or different
	round    protocol.Round   // that is under way
	since    protocol.Round   // of the own release of the epoch under way
	waiting  bool             // the own release of this epoch is made
	over     bool             // the horizon is reached
	hello    bool             // neighbours are to forget an earlier life of this peer
}

// A gisLink is the state of a neighbour.
type gisLink struct {
	incarnation uint32
	lacks       uint64         // number of contributions that the neighbour seems to lack
	next        protocol.Round // when they are advertised again
	wait        uint64         // rounds from then to the time after
	doubt       bool           // its last answer did not arrive
}

// New implements [protocol.Params].
func (p GISParams) New(c protocol.Config) (protocol.Protocol, error) {
	if c.Parts > protocol.MaxBody {
		return nil, fmt.Errorf("gis: %d arms, want at most %d", c.Parts, protocol.MaxBody)
	}
	g := &gis{
		contributions: newContributions(c, p.Participation), links: make([]gisLink, len(c.Neighbours())), p: p,
		deadline: p.Deadline, hello: c.Incarnation > 0,
	}
	if g.deadline == 0 {
		g.deadline = 10 * uint64(max(1, diameter(c.Graph)))
	}
	for j := range g.links {
		g.links[j].wait = p.Renew
	}
	return g, nil
}

// hold stores a contribution and marks it to be advertised.
func (g *gis) hold(s *contribution, m protocol.Message) {
	s.m, s.pending = m, false
	for j := range s.marks {
		if s.marks[j]&knows == 0 {
			g.links[j].lacks++
		}
		s.marks[j] &^= promised // from now on, this promises a different contribution
	}
	g.advertised(s)
}

// advertised marks a contribution to be advertised.
func (g *gis) advertised(s *contribution) {
	same := func(l protocol.Label) bool { return byEpoch(l, s.m.Label()) == 0 }
	g.fresh = append(slices.DeleteFunc(g.fresh, same), s.m.Label())
	if s.m.Label().Seq <= g.belief.Epoch {
		g.change()
	}
}

// complete ends the epochs that can end.
func (g *gis) complete() {
	for g.ends(g.belief.Epoch + 1) {
		g.belief.Epoch++
		g.waiting = false
		g.change()
	}
}

// ends reports whether an epoch can end: this peer has released it, and either all contributions
// have arrived or the deadline has passed.
func (g *gis) ends(r uint64) bool {
	switch own := g.at(r, g.c.Self); {
	case g.waiting:
	case own != nil && own.m.Kind() != 0: // of an earlier life
	case g.over && g.begun(r):
	default:
		return false
	}
	if g.waiting && uint64(g.round-g.since) >= g.deadline {
		return true
	}
	return g.lacking(r, g.over) == 0
}

// byEpoch orders labels by epoch and origin.
func byEpoch(a, b protocol.Label) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Origin, b.Origin))
}
