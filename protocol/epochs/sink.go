package epochs

import (
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// The messages of sink.
const (
	sinkMeans  protocol.Kind = 80 // the server's newest means over sites, signed; names peers that are absent
	sinkReport protocol.Kind = 81 // a site's sums, signed; asks for the means after those that it holds
	sinkPool   protocol.Kind = 82 // the means over some sites, of which one signs; names them
)

// SinkParams are the parameters of protocol sink.
type SinkParams struct {
	Server   int    `want:"0..1000000" unit:"place" fixed:"yes" doc:"Place in the network file, from 1, of a peer without arms, whose neighbours can be sinks; 0 for a peer alone."`
	Epochs   uint64 `want:"1..1048576" unit:"epochs" fixed:"yes" doc:"Epochs that the budget pays for; free where every leaf is released once."`
	Deadline uint64 `want:"1..1073741824" unit:"rounds" changes:"yes" doc:"Rounds for which a sink waits after the first report, and a site for an answer; the server waits twice as long."`
	Patience uint64 `want:"2..1000000" unit:"rounds" changes:"yes" doc:"Rounds after which a site or a sink reports again without an answer."`
}

// Words implements [protocol.Params].
func (SinkParams) Words() protocol.Words {
	return protocol.Words{
		Name: "sink", Summary: "noised sums that a sink of every component pools, and a peer without arms over components (HDP-MAB)",
		When:   "with learner `elimination`, when the components of a network meet at one server; sinks and server are trusted to add up",
		Public: "how many rewards of every action each epoch holds", Mixed: "; every site does at the end of an epoch",
	}
}

// Traits implements [protocol.Traited].
func (SinkParams) Traits() protocol.Traits {
	return protocol.Traits{
		Kinds: map[protocol.Kind]string{sinkMeans: "means", sinkReport: "report", sinkPool: "pool"},
		Fixed: "every epoch is planned from one list of sites, at all peers alike",
	}
}

// Suits implements [protocol.Suited].
func (SinkParams) Suits(m dp.Mechanism) bool { return !m.Running() || m == dp.None }

// Cadence implements [protocol.Params].
func (p SinkParams) Cadence() protocol.Cadence {
	return protocol.Cadence{Epochs: p.Epochs, Noun: "epoch"}
}

// Check implements [protocol.Checked].
func (p SinkParams) Check(n protocol.Net) (field, want string) {
	if field, want := p.coordinator().misplaced(n); field != "" {
		return "server", want
	}
	return "", ""
}

// Among implements [protocol.Resized].
func (p SinkParams) Among(peers int) protocol.Params {
	if p.Server = peers; peers == 1 {
		p.Server = 0
	}
	return p
}

// Idle reports whether a peer is the server.
func (p SinkParams) Idle(self protocol.Peer) bool { return int64(self) == int64(p.Server)-1 }

// Small implements [protocol.Shrinking].
func (p SinkParams) Small(leaf uint64) protocol.Params {
	p.Deadline, p.Patience = leaf+1, 2
	return p
}

// coordinator returns the parameters of the exchange with the server.
func (p SinkParams) coordinator() CoordinatorParams {
	return CoordinatorParams{Schedule: ByEpoch, Coordinator: p.Server, Epochs: p.Epochs, Deadline: p.Deadline, Patience: p.Patience, Participation: 1}
}

// New implements [protocol.Params].
//
// Protocol sink is HDP-MAB (Li and Song, Algorithms 3 and 4). It is protocol coordinator by epochs, with
// sinks between sites and server: without the server, the peers form components, each of which has
// a sink. A site reports to its sink, along the shortest path; the sink pools the reports to one
// mean per arm, and the server the pools, each with the weight of its sites, M_q/M. (The paper's
// 1/Q would favour sites of small components.) The means return the same way.
//
// A pool names the sites in it. The server answers when every site is in a pool, or after two
// deadlines, and names the sites in no pool: they are absent, and no way leads over them in the
// next epoch, so that another peer replaces a lost sink. A site that gets no answer for one
// deadline makes a pool of its own and sends it to the server, if it is linked to it; so a lost
// sink delays an epoch, but excludes no site. An absent site that comes back reports to the server
// itself, and is present from then on.
func (p SinkParams) New(c protocol.Config) (protocol.Protocol, error) {
	of := p.coordinator()
	if err := of.refuse(&c); err != nil {
		return nil, fmt.Errorf("sink: as protocol %w", err)
	}
	return newPooling(c, hubParams{
		place: p.Server, levels: 2, byEpoch: true, participation: 1, deadline: p.Deadline, patience: p.Patience,
		ofMeans: sinkMeans, ofReport: sinkReport,
	}), nil
}
