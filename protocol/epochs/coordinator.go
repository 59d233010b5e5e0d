package epochs

import (
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// The messages of coordinator.
const (
	coordinatorMeans protocol.Kind = 72 // the coordinator's newest means over sites, signed
	coordinatorSums  protocol.Kind = 73 // a site's sums, signed; asks for the means after those that it holds
)

// Schedule says when sites and coordinator exchange messages.
type Schedule string

// The schedules.
const (
	// Doubling is the schedule of Algorithm 1 of paper 001: after a switch of arms in round s sites
	// exchange in rounds s, s+1, s+3, s+7 and so on, and play one arm in between.
	Doubling Schedule = "doubling"
	// ByEpoch is the schedule of Algorithm 1 of paper 003: at the end of every epoch of a learner
	// that explores in epochs.
	ByEpoch Schedule = "epochs"
)

// CoordinatorParams are the parameters of protocol coordinator.
type CoordinatorParams struct {
	Schedule    Schedule `want:"doubling|epochs" fixed:"yes" doc:"Sites exchange ever more rarely while all stay with one arm, or at the end of every epoch."`
	Coordinator int      `want:"0..1000000" unit:"place" fixed:"yes" doc:"Place in the network file, from 1, of a peer without arms; 0 for a peer alone."`
	Epochs      uint64   `want:"1..1048576" unit:"epochs" fixed:"yes" doc:"With schedule: epochs, how many the budget pays for; free where every leaf is released once."`
	Deadline    uint64   `want:"1..1073741824" unit:"rounds" changes:"yes" doc:"Rounds for which the coordinator waits after the first report; sites wait twice as long."`
	Patience    uint64   `want:"2..1000000" unit:"rounds" changes:"yes" doc:"Rounds after which a site reports again without an answer."`
	// Participation is from Algorithm 1 of paper 003.
	Participation float64 `want:"over 0 up to 1" fixed:"yes" doc:"With schedule: epochs, share of the sites, drawn for every epoch, that report."`
}

// Words implements [protocol.Params].
func (p CoordinatorParams) Words() protocol.Words {
	w := protocol.Words{
		Name: "coordinator", Summary: "noised sums that a peer without arms collects, and of which it returns one mean an arm (DP-Master-worker UCB, CDP-MAB)",
		When:   "when one peer without arms is trusted to add up for all; with `schedule: epochs` for learner `elimination`",
		Public: "how many rewards of every action every report to the coordinator holds", Mixed: ", once the coordinator has its report",
	}
	if p.Schedule == ByEpoch {
		w.Public, w.Mixed = "how many rewards of every action each epoch holds", "; every site does at the end of an epoch"
	}
	return w
}

// Traits implements [protocol.Traited].
func (CoordinatorParams) Traits() protocol.Traits {
	return protocol.Traits{
		Kinds:    map[protocol.Kind]string{coordinatorMeans: "means", coordinatorSums: "report"},
		Adaptive: true, // with schedule doubling an exchange follows a switch of arms
		Fixed:    "the coordinator draws and counts the sites of an epoch from one list",
	}
}

// Suits implements [protocol.Suited].
func (CoordinatorParams) Suits(dp.Mechanism) bool { return true }

// Cadence implements [protocol.Params].
func (p CoordinatorParams) Cadence() protocol.Cadence {
	if p.Schedule == ByEpoch {
		return protocol.Cadence{Epochs: p.Epochs, Noun: "epoch"}
	}
	return protocol.Cadence{Noun: "reward"}
}

// Check implements [protocol.Checked].
func (p CoordinatorParams) Check(n protocol.Net) (field, want string) {
	if p.Schedule != ByEpoch && p.Participation != 1 {
		return "participation", "1 without schedule: epochs, in which sites are drawn"
	}
	return p.misplaced(n)
}

// Among implements [protocol.Resized].
func (p CoordinatorParams) Among(peers int) protocol.Params {
	if p.Coordinator = peers; peers == 1 {
		p.Coordinator = 0
	}
	return p
}

// Origins implements [protocol.Sampling].
func (p CoordinatorParams) Origins(learners int) int { return participants(p.Participation, learners) }

// Idle reports whether a peer is the coordinator.
func (p CoordinatorParams) Idle(self protocol.Peer) bool {
	return int64(self) == int64(p.Coordinator)-1
}

// Small implements [protocol.Shrinking].
func (p CoordinatorParams) Small(uint64) protocol.Params {
	p.Deadline, p.Patience = min(p.Deadline, 8), min(p.Patience, 6)
	return p
}

// New implements [protocol.Params].
//
// Protocol coordinator is the master-worker structure: one peer without arms, the coordinator, collects the
// newest sums of all sites and returns one mean per arm over the sites, so that the bytes to a site
// do not grow with their number. Messages travel along shortest paths, which are one link where all
// sites are neighbours of the coordinator, and are signed.
//
// With schedule doubling it is DP-Master-worker UCB (Li, Song and Fragouli 2020, Algorithm 1). A
// counter of each site begins at 1 with every switch, and the site reports when it is a power of
// two; the first report follows the first reward of every arm. Between two answers the site plays
// the arm that it chose last, as the forced one. Sites report sums and not indices: all receive the
// same means, and where n is equal at all sites the index of the means is the mean of the sites'
// indices. A report and its answer take two rounds or more, so the exchange after a switch is later
// than in the paper.
//
// With schedule epochs it is CDP-MAB (Li and Song, Algorithm 1): a site reports when it has
// explored an epoch, and enters the next one with the answer. The remaining arms follow from the
// means of all epochs, which all sites have. With a share of the sites in every epoch, the other
// sites explore and release it too; they ask for the means and report nothing.
//
// The coordinator answers when it has reports from all sites, or Deadline rounds after the first
// one. A site that has waited for twice as long continues, with schedule doubling from its own sums
// only, and reports again every Patience rounds. So the coordinator can be away, or lose its state:
// the numbers of answers continue from the median of the sites.
func (p CoordinatorParams) New(c protocol.Config) (protocol.Protocol, error) {
	if err := p.refuse(&c); err != nil {
		return nil, err
	}
	return newPooling(c, hubParams{
		place: p.Coordinator, levels: 1, byEpoch: p.Schedule == ByEpoch, participation: p.Participation, deadline: p.Deadline, patience: p.Patience,
		ofMeans: coordinatorMeans, ofReport: coordinatorSums,
	}), nil
}

// misplaced returns the error in the place of the coordinator.
func (p CoordinatorParams) misplaced(n protocol.Net) (field, want string) {
	switch {
	case n.Peers > 1 && (p.Coordinator < 1 || p.Coordinator > n.Peers):
		return "coordinator", fmt.Sprintf("the place of one of the %d peers, from 1", n.Peers)
	case n.Peers == 1 && p.Coordinator == 1:
		return "coordinator", "0 with one peer, so that it has arms"
	}
	return "", ""
}

// refuse returns the error in parameters.
func (p *CoordinatorParams) refuse(c *protocol.Config) error {
	switch {
	case p.Coordinator > c.Peers() || p.Coordinator < 1 && len(c.Neighbours()) > 0:
		return fmt.Errorf("coordinator: coordinator %d, want the place of one of the %d peers, from 1", p.Coordinator, c.Peers())
	case p.Schedule == Doubling && p.Participation < 1:
		return fmt.Errorf("coordinator: participation %v, want 1 with schedule doubling", p.Participation)
	case c.Parts > protocol.MaxBody:
		return fmt.Errorf("coordinator: %d arms, want at most %d", c.Parts, protocol.MaxBody)
	}
	return nil
}
