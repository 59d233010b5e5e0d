package epochs

import (
	"fmt"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// The messages of sink.
const (
	sinkMeans  protocol.Kind = 80 // the server's newest means over sites, signed; names peers that are absent
	sinkReport protocol.Kind = 81 // a site's sums, signed; asks for the means after those that it holds
	sinkPool   protocol.Kind = 82 // the means over some sites, of which one signs; names them
)

// SinkParams are the parameters of protocol sink.
type SinkParams struct {
	Server   int    `want:"0..1000000" unit:"place" fixed:"yes" doc:"Place of the server in the network file, from 1. It has no arms. Every site that is linked to it can be a sink. 0 is for a peer alone, which needs none."`
	Epochs   uint64 `want:"1..1048576" unit:"epochs" fixed:"yes" doc:"Number of epochs that the budget pays for; a mechanism that releases every leaf once costs the same for any number."`
	Deadline uint64 `want:"1..1073741824" unit:"rounds" changes:"yes" doc:"Rounds for which a sink waits for more sites once one has reported, and a site for an answer before it reports to the server itself. The server waits twice as long for sites."`
	Patience uint64 `want:"2..1000000" unit:"rounds" changes:"yes" doc:"Rounds after which a site or a sink reports again if there was no answer."`
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

// sink is HDP-MAB (Li and Song, Algorithms 3 and 4). It is protocol coordinator by epochs, with
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
type sink struct {
	pooling
	absent []bool         // peers in the epoch under way
	pooled protocol.Round // when this peer sent its newest pool of the epoch; 0 before the first
}

// New implements [protocol.Params].
func (p SinkParams) New(c protocol.Config) (protocol.Protocol, error) {
	of := p.coordinator()
	if err := of.refuse(&c); err != nil {
		return nil, fmt.Errorf("sink: as protocol %w", err)
	}
	x := &sink{pooling: newPooling(c, terms{
		place: p.Server, byEpoch: true, deadline: p.Deadline, patience: p.Patience, ofMeans: sinkMeans, ofReport: sinkReport,
	})}
	x.plant()
	return x, nil
}

// plant computes the ways of the epoch under way.
func (x *sink) plant() {
	absent := make([]bool, x.c.Peers())
	if len(x.means) > 0 {
		for _, l := range x.means[len(x.means)-1].Content().Refs[1:] {
			if int64(l.Origin) < int64(len(absent)) && l.Origin != x.hub.Root() {
				absent[l.Origin] = true
			}
		}
	}
	if !x.hub.None() && !slices.Equal(absent, x.absent) {
		x.absent = absent
		x.hub.Ways = spread.NewForest(x.c.Graph, x.hub.Root(), absent)
	}
}

// collects reports whether this peer is a sink.
func (x *sink) collects() bool { return x.hub.Child(x.c.Self, x.hub.Root()) }

// Lost implements [protocol.Dependent]. The server waits for two deadlines itself.
func (x *sink) Lost() (needed protocol.Peer, lost bool) {
	return x.hub.Root(), x.hub.Reached() && x.waits(3*x.deadline)
}

// Tick sends a site's report or pool; at the server it sends the answer.
func (x *sink) Tick(t protocol.Round, out *protocol.Outbox) error {
	x.round, x.stale = t+1, true
	switch {
	case x.hub.None():
		return x.endAlone()
	case x.hub.Here():
		return x.answer(out)
	case x.hub.Reached():
		x.report(out)
		return x.send(out)
	}
	return nil
}

// report puts the own sums on the desk when the epoch is explored, and sends them to the sink;
// again every Patience rounds without an answer.
func (x *sink) report(out *protocol.Outbox) {
	s := &x.site
	if !x.begins(s.explored, out) {
		return
	}
	own := x.request(x.ofReport, s.leaves, s.report())
	x.desk.take(own, x.round)
	if !x.collects() {
		out.Send(x.hub.Next(), own)
	}
}

// send sends the pool of the reports on the desk to the server when it is due; again every Patience
// rounds without an answer.
func (x *sink) send(out *protocol.Outbox) error {
	d := &x.desk
	switch {
	case !d.begun() || !x.hub.Linked(x.hub.Root()) || x.pooled > 0 && x.round < x.pooled+protocol.Round(x.patience):
		return nil
	case x.collects() && x.complete():
	case x.round >= d.began+protocol.Round(x.deadline):
	default:
		return nil
	}
	var of [][]dp.Release
	var sites []protocol.Label
	for i, reported := range d.reported {
		if reported {
			of, sites = append(of, d.newest[i].Content().Body), append(sites, protocol.Label{Origin: protocol.Peer(i)})
		}
	}
	body, err := x.pool(of)
	if err != nil {
		return err
	}
	x.pooled = x.round
	out.Send(x.hub.Root(), x.request(sinkPool, x.site.leaves, body, sites...))
	return nil
}

// complete reports whether all sites of this sink have reported, except those that are absent.
func (x *sink) complete() bool {
	for i, reported := range x.desk.reported {
		if !reported && !x.absent[i] && x.hub.Over(protocol.Peer(i), x.c.Self) {
			return false
		}
	}
	return true
}

// answer computes means from the pools when they are due, and sends them.
func (x *sink) answer(out *protocol.Outbox) error {
	d := &x.desk
	if !d.begun() {
		return nil
	}
	of, in := x.pools()
	var absent []protocol.Label
	complete := true
	for i := range in {
		if !in[i] && protocol.Peer(i) != x.c.Self {
			absent = append(absent, protocol.Label{Origin: protocol.Peer(i)})
			complete = complete && (x.absent[i] || !x.hub.Reaches(protocol.Peer(i)))
		}
	}
	if !complete && x.round < d.began+protocol.Round(2*x.deadline) {
		return nil
	}
	body, err := x.pool(of)
	if err != nil {
		return err
	}
	x.keep(x.meansOf(x.next(), body, absent...))
	x.turn(out)
	return nil
}

// turn begins the next epoch, and forwards its means.
func (x *sink) turn(out *protocol.Outbox) {
	clear(x.desk.reported)
	x.pooled = 0
	x.plant()
	x.hand(out)
}

// pools returns disjoint pools, larger ones first, and the sites in them.
func (x *sink) pools() (of [][]dp.Release, in []bool) {
	var all []protocol.Message
	for i, reported := range x.desk.reported {
		if reported {
			all = append(all, x.desk.newest[i])
		}
	}
	slices.SortStableFunc(all, func(a, b protocol.Message) int { return b.Refs() - a.Refs() })
	in = make([]bool, x.c.Peers())
	for _, m := range all {
		sites := m.Content().Refs[1:]
		if slices.ContainsFunc(sites, func(l protocol.Label) bool { return in[l.Origin] }) {
			continue
		}
		for _, l := range sites {
			in[l.Origin] = true
		}
		of = append(of, m.Content().Body)
	}
	return of, in
}
