package protocol_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// Every form of Cadence is played by an agent of package node. A comment at a test names
// the lines of node/closing.go and cadence.go that it fails without.

// listening is a protocol that sends nothing. It has what its own streams release, and
// believes that an epoch is complete when its own part of it is, or when the test says so.
type listening struct{ belief belief.Belief }

func (l *listening) Chosen(part int) { l.belief.Pulls[part]++ }

func (l *listening) Released([]protocol.Own, *protocol.Outbox) error {
	l.belief.Epoch++
	return nil
}

func (*listening) Tick(protocol.Round, *protocol.Outbox) error { return nil }

func (*listening) Receive(protocol.Peer, protocol.Message, *protocol.Outbox) error { return nil }

func (l *listening) Belief() *belief.Belief { return &l.belief }

func (l *listening) Save() (protocol.State, error) {
	b := binary.BigEndian.AppendUint64(nil, l.belief.Epoch)
	for _, n := range l.belief.Pulls {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return protocol.Saved(b), nil
}

func (l *listening) Load(saved protocol.State) error {
	b := saved.Bytes()
	l.belief.Epoch = binary.BigEndian.Uint64(b)
	for k := range l.belief.Pulls {
		l.belief.Pulls[k] = binary.BigEndian.Uint64(b[8+8*k:])
	}
	return nil
}

// closes are parameters of a protocol that says nothing.
type closes struct {
	by   protocol.Cadence
	make func(protocol.Config) protocol.Protocol
}

func (closes) Words() protocol.Words                                 { return protocol.Words{Name: "listening"} }
func (c closes) Cadence() protocol.Cadence                           { return c.by }
func (c closes) New(with protocol.Config) (protocol.Protocol, error) { return c.make(with), nil }

// closingBy returns a peer alone, whose leaves close by a cadence.
func closingBy(c protocol.Cadence, arms int, rounds uint64) protocoltest.Setting {
	c.Noun = "leaf"
	return protocoltest.Setting{
		Params: closes{c, func(c protocol.Config) protocol.Protocol { return &listening{belief.New(c.Parts, c.Width)} }},
		Graph:  protocoltest.Graph{nil}, Arms: arms, Rounds: rounds, Mechanism: dp.None,
	}
}

// A play is a peer alone. Between any two steps it may be put away and read again.
type play struct {
	*protocoltest.Network
	t       testing.TB
	between func()
}

// choice is one whose reward is to come.
type choice struct {
	node.Route
	arm int
}

func (p *play) choose(arm int) choice {
	c := choice{p.Choose(0, arm), arm}
	p.between()
	return c
}

// reward pays 1 for choices, in this order.
func (p *play) reward(cs ...choice) {
	for _, c := range cs {
		p.Reward(p.t, 0, c.Route, c.arm, 1)
		p.between()
	}
}

// pull chooses arms and is paid at once.
func (p *play) pull(arms ...int) {
	for _, arm := range arms {
		p.reward(p.choose(arm))
	}
}

func (p *play) tick() {
	p.Tick(p.t, 0)
	p.Round++
	p.between()
}

// closed returns what has closed: stream#leaf:records.
func (p *play) closed() string {
	s, before := "", make(map[dp.StreamID]uint64)
	for _, o := range p.Peers[0].Released {
		if o.Over {
			s += fmt.Sprintf("%d#%d:over ", o.Stream, o.Number)
			continue
		}
		n := o.Leaf.Sum.Count(0)
		s += fmt.Sprintf("%d#%d:%d ", o.Stream, o.Number, n-before[o.Stream])
		before[o.Stream] = n
	}
	return s
}

// want fails unless what has closed is as said, each leaf once.
func (p *play) want(closed string) {
	p.t.Helper()
	if got := p.closed(); got != closed {
		p.t.Fatalf("closed %q, want %q", got, closed)
	}
}

// played plays a script twice: as it is, and with a restart between any two steps.
func played(t *testing.T, s protocoltest.Setting, script func(p *play)) {
	t.Helper()
	t.Run("at one go", func(t *testing.T) {
		script(&play{Network: protocoltest.New(t, s), t: t, between: func() {}})
	})
	t.Run("restarted", func(t *testing.T) {
		p := &play{Network: protocoltest.New(t, s), t: t}
		p.between = func() { p.Restart(t, 0, 0) }
		script(p)
	})
}

// TestAStreamStopsAtItsHorizon, once and alone. It fails without c.over in close: Over would
// be said again, and of every record.
func TestAStreamStopsAtItsHorizon(t *testing.T) {
	played(t, closingBy(protocol.Cadence{}, 2, 2), func(p *play) {
		p.pull(0, 0, 0, 0, 1)
		p.want("0#1:1 0#2:1 0#3:over 1#1:1 ")
	})
}

// TestTiedLeavesCloseForEachPeriod: leaf k ends with period k, whatever rounds were skipped. It fails if one leaf closed
// for several periods, or if leaves went on beyond the horizon.
func TestTiedLeavesCloseForEachPeriod(t *testing.T) {
	played(t, closingBy(protocol.Cadence{Rounds: 4, Tied: true}, 1, 20), func(p *play) {
		p.pull(0)
		for range 4 {
			p.tick()
		}
		p.want("0#1:1 ")
		p.Round = 11
		p.pull(0, 0)
		p.tick() // 11: two more have ended
		p.want("0#1:1 0#2:2 0#3:0 ")
		p.tick()
		p.tick()
		p.tick()
		p.want("0#1:1 0#2:2 0#3:0 ")
		p.Round = 40
		p.tick()
		p.want("0#1:1 0#2:2 0#3:0 0#4:0 0#5:0 0#6:over ")
		p.Round = 80
		p.tick()
		p.want("0#1:1 0#2:2 0#3:0 0#4:0 0#5:0 0#6:over ")
	})
}

// TestTiedLeavesWaitForTheClock: a life that has given leaves up goes on with the leaf that the clock comes to.
func TestTiedLeavesWaitForTheClock(t *testing.T) {
	n := protocoltest.New(t, closingBy(protocol.Cadence{Rounds: 4, Tied: true}, 1, 40))
	if _, _, err := n.Peers[0].AbandonLeaves(3); err != nil {
		t.Fatal(err)
	}
	for n.Round < 20 {
		n.Play(t, nil)
		if got, want := len(n.Peers[0].Released), max(0, int(n.Round)/4-3); got != want {
			t.Fatalf("after %d rounds %d leaves, want %d", n.Round, got, want)
		}
	}
	if got := n.Peers[0].Released[0].Number; got != 4 {
		t.Errorf("the first is leaf %d, want 4", got)
	}
}

// TestLeavesGrow geometrically, each stream's by itself. With 4 first and half of what is
// closed: 4, 4, 4, 6, 9, 14 records, since ⌈8/2⌉ = 4, ⌈12/2⌉ = 6, ⌈18/2⌉ = 9, ⌈27/2⌉ = 14.
// It fails if Size rounded down, took the records of all streams, or forgot c.closed.
func TestLeavesGrow(t *testing.T) {
	played(t, closingBy(protocol.Cadence{First: 4, Growth: .5}, 2, 100), func(p *play) {
		for range 5 {
			p.pull(0)
			p.pull(1, 1)
		}
		p.want("1#1:4 0#1:4 1#2:4 ")
		for range 36 {
			p.pull(0)
		}
		p.want("1#1:4 0#1:4 1#2:4 0#2:4 0#3:4 0#4:6 0#5:9 0#6:14 ")
	})
	c := protocol.Cadence{First: 4, Growth: .5}
	for rounds, leaves := range map[uint64]uint64{1: 1, 4: 1, 5: 2, 12: 3, 13: 4, 41: 6, 42: 7} {
		if got := c.Leaves(rounds); got != leaves {
			t.Errorf("%d rounds can close %d leaves, want %d", rounds, got, leaves)
		}
	}
}

// TestLeavesBeginAgain when a window of the clock ends, with the records that they have, and are as short
// as at first, of all streams and after a restart. It fails if restart left the records in closed, or if Leaves did
// not count the leaf that the end of a window cuts short.
func TestLeavesBeginAgain(t *testing.T) {
	c := protocol.Cadence{First: 2, Growth: 1, Window: 10}
	played(t, closingBy(c, 2, 100), func(p *play) {
		for range 7 {
			p.pull(0)
			p.tick()
		}
		p.pull(1)
		p.want("0#1:2 0#2:2 ")
		for range 3 {
			p.tick()
		}
		p.want("0#1:2 0#2:2 0#3:3 1#1:1 ")
		p.pull(0, 0)
		p.want("0#1:2 0#2:2 0#3:3 1#1:1 0#4:2 ")
	})
	for rounds, leaves := range map[uint64]uint64{1: 1, 9: 4, 10: 4, 11: 5, 20: 8, 23: 10} { // 2, 2, 4 and 2 of 8
		if got := c.Leaves(rounds); got != leaves {
			t.Errorf("%d rounds can close %d leaves, want %d", rounds, got, leaves)
		}
	}
}

// TestALeafThatStaysOpenCloses as many rounds after it was found open as the limit says, with
// the records that it has; an empty one does not. The next one grows from what is closed. It
// fails without limit in ended, and if close or save forgot c.since.
func TestALeafThatStaysOpenCloses(t *testing.T) {
	played(t, closingBy(protocol.Cadence{First: 4, Growth: .5, Limit: 3}, 2, 100), func(p *play) {
		p.tick()
		p.pull(0, 0, 0)
		for range 3 {
			p.tick()
			p.want("")
		}
		p.pull(1)
		p.tick()
		p.want("0#1:3 ")
		for range 2 {
			p.tick()
			p.want("0#1:3 ")
		}
		p.pull(0, 0, 0, 0) // full, and so nothing waits
		p.tick()
		p.want("0#1:3 0#2:4 1#1:1 ")
		for range 9 {
			p.tick()
		}
		p.want("0#1:3 0#2:4 1#1:1 ")
	})
}

// phased is [closingBy] with a learner that wants two records of each of its two arms in
// every one of three epochs.
func phased() protocoltest.Setting {
	s := closingBy(protocol.Cadence{Epochs: 3}, 2, 100)
	s.Learner = func() bandit.Learner { return protocoltest.Explore(2, 2, 3, false) }
	return s
}

// TestAnEpochClosesItsLeavesTogether when its last record is in. Choices beyond its quota
// enter nothing, nor does anything once all epochs are over. It fails if route let them in,
// if complete did not wait for all parts, and if chosen or done were kept over epochs.
func TestAnEpochClosesItsLeavesTogether(t *testing.T) {
	played(t, phased(), func(p *play) {
		p.pull(0, 0, 0, 1) // the third exploits
		p.want("")
		late, exploits := p.choose(1), p.choose(1)
		p.reward(exploits)
		p.tick()
		p.want("")
		if got := p.Peers[0].Belief().Forced; len(got) > 0 {
			t.Fatalf("all is chosen and %d are forced", got)
		}
		p.reward(late)
		p.want("0#1:2 1#1:2 ")
		if got := p.Peers[0].Belief().Forced; !slices.Equal(got, []int{0, 1}) {
			t.Fatalf("in the second epoch %d are forced", got)
		}
		p.pull(1, 0, 1, 0)
		p.pull(0, 0, 1, 1)
		all := "0#1:2 1#1:2 0#2:2 1#2:2 0#3:2 1#3:2 "
		p.want(all)
		p.pull(0, 0, 0, 1, 1, 1)
		p.want(all)
	})
}

// TestLateRewardsOfAPastEpochEnterNothing, when the epoch has ended without them: they
// would be counted as the next one's. It fails without the look at epochs in
// node.Agent.Observed, and if the epoch that is explored were looked up only when the next
// choice is made.
func TestLateRewardsOfAPastEpochEnterNothing(t *testing.T) {
	for _, asked := range []bool{false, true} {
		t.Run(fmt.Sprintf("after a look %v", asked), func(t *testing.T) {
			played(t, phased(), func(p *play) {
				late := []choice{p.choose(0), p.choose(0), p.choose(1), p.choose(1)}
				p.Peers[0].Protocol.Belief().Epoch++ // the others have it without this peer
				if asked {
					p.Peers[0].Belief()
				}
				p.between()
				p.reward(late...)
				p.want("")
				p.pull(0, 1, 1, 0)
				p.want("0#1:2 1#1:2 ")
			})
		})
	}
}

// wanting is a learner of two arms that wants of an epoch what the test says.
type wanting struct {
	*protocoltest.Learner
	quota *[]uint64
}

func (w wanting) Quota(*bandit.Belief) []uint64 { return *w.quota }

// TestAnEpochWantsLessOrMore than before, after a release came late. It closes at the end of
// the round if nothing is lacking any more, and once only. It fails without complete in
// ended, and without explored in complete and in Observed.
func TestAnEpochWantsLessOrMore(t *testing.T) {
	var quota []uint64
	s := closingBy(protocol.Cadence{Epochs: 5}, 2, 100)
	s.Learner = func() bandit.Learner { return wanting{protocoltest.Sums(2), &quota} }
	played(t, s, func(p *play) {
		quota = []uint64{2, 2}
		p.pull(0, 0)
		late := p.choose(1)
		quota = []uint64{2, 0}
		p.tick()
		p.want("0#1:2 ")
		quota = []uint64{2, 2}
		p.reward(late) // of the epoch before
		p.pull(0, 1, 1, 0)
		p.want("0#1:2 0#2:2 1#1:2 ")
	})
	s.Params = closes{s.Params.Cadence(), func(c protocol.Config) protocol.Protocol {
		return &waiting{listening{belief.New(c.Parts, c.Width)}}
	}}
	played(t, s, func(p *play) {
		quota = []uint64{2, 2}
		p.pull(0, 0, 1)
		late := p.choose(1)
		quota = []uint64{2, 1}
		p.tick()
		p.want("0#1:2 1#1:1 ")
		p.tick()
		p.want("0#1:2 1#1:1 ")
		quota = []uint64{3, 3}
		if got := p.Peers[0].Belief().Forced; len(got) > 0 {
			t.Errorf("%v are forced in an epoch that has closed", got)
		}
		p.reward(late)
		p.pull(0, 1, 1)
		p.tick()
		p.want("0#1:2 1#1:1 ")
		quota = []uint64{1, 1}
		p.Peers[0].Protocol.Belief().Epoch++
		p.pull(0, 1)
		p.want("0#1:2 1#1:1 0#2:1 1#2:1 ")
	})
}

// waiting is listening that waits for others.
type waiting struct{ listening }

func (*waiting) Released([]protocol.Own, *protocol.Outbox) error { return nil }

// TestLanesTakeTurns round by round, each with a stream a part: a record belongs to the lane
// of the round in which it was chosen. It fails if Stream took the round of the reward,
// or parts and lanes the other way round.
func TestLanesTakeTurns(t *testing.T) {
	played(t, closingBy(protocol.Cadence{Lanes: 3}, 2, 30), func(p *play) {
		late := p.choose(1) // lane 0
		p.tick()
		p.pull(0) // lane 1
		p.tick()
		p.pull(1) // lane 2
		p.tick()
		p.tick()
		p.reward(late)
		p.pull(1) // lane 1, in round 4
		p.want("2#1:1 5#1:1 1#1:1 3#1:1 ")
	})
	// Leaves by decisions are a lane's.
	played(t, closingBy(protocol.Cadence{Lanes: 2, Decisions: 2}, 2, 30), func(p *play) {
		for _, arm := range []int{0, 1, 1} { // rounds 0, 1, 2
			p.pull(arm)
			p.tick()
		}
		p.want("0#1:1 1#1:1 ")
		p.pull(1)
		p.want("0#1:1 1#1:1 2#1:0 3#1:2 ")
	})
	// Leaves by the clock close at every peer.
	played(t, closingBy(protocol.Cadence{Lanes: 2, Rounds: 2}, 1, 30), func(p *play) {
		p.pull(0)
		p.tick()
		p.want("")
		p.tick()
		p.want("0#1:1 1#1:0 ")
	})
}

// TestNoRunClosesMoreThanLeaves: with a decision a round, no stream closes more leaves than are
// charged, and if there is one part and one lane it closes all of them. It fails if Leaves is one
// less in any of its cases, or one more in the cases with one stream.
func TestNoRunClosesMoreThanLeaves(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rounds, arms := rapid.Uint64Range(1, 60).Draw(r, "rounds"), rapid.IntRange(1, 3).Draw(r, "arms")
		c := protocol.Cadence{Noun: "leaf", Lanes: rapid.Uint64Range(0, 3).Draw(r, "lanes")}
		length := rapid.Uint64Range(1, 8).Draw(r, "length")
		switch rapid.IntRange(0, 4).Draw(r, "form") {
		case 1:
			c.Rounds = length
		case 2:
			c.Decisions = length
		case 3:
			c.First, c.Growth = length, rapid.SampledFrom([]float64{0, .1, .5, 1, 2}).Draw(r, "growth")
			if c.Lanes < 2 {
				c.Window = rapid.Uint64Range(0, 20).Draw(r, "window")
			}
		case 4:
			c.Epochs, c.Lanes = length, 0
		}
		if err := c.Check(); err != nil {
			r.Fatal(err)
		}
		s := closingBy(c, arms, rounds)
		if c.Epochs > 0 {
			s.Learner = func() bandit.Learner { return protocoltest.Explore(arms, 2, c.Epochs, false) }
		}
		n := protocoltest.New(t, s)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		for range rounds {
			n.Play(t, func(int) (int, float64) { return rng.IntN(arms), 1 })
		}
		most := uint64(0)
		for _, o := range n.Peers[0].Released {
			if o.Over {
				r.Fatalf("%+v in %d rounds: stream %d wants leaf %d of %d", c, rounds, o.Stream, o.Number, c.Leaves(rounds))
			}
			if int(o.Stream) >= c.Streams(arms) {
				r.Fatalf("%+v: stream %d of %d", c, o.Stream, c.Streams(arms))
			}
			most = max(most, o.Number)
		}
		open := uint64(0) // the last leaf, if leaves grow
		if c.First > 0 {
			open = 1
		}
		// A horizon that is too short for a leaf has one.
		if leaves := c.Leaves(rounds); arms == 1 && c.Lanes < 2 && c.Epochs == 0 && leaves > 1 && most+open < leaves {
			r.Fatalf("%+v in %d rounds: %d leaves closed, %d are charged", c, rounds, most, c.Leaves(rounds))
		}
	})
}

// TestCadenceCheck refuses what says two things, or nothing to people.
func TestCadenceCheck(t *testing.T) {
	for _, c := range []protocol.Cadence{
		{},
		{Noun: "row", Rounds: 2, Decisions: 2},
		{Noun: "row", Decisions: 2, Epochs: 2},
		{Noun: "row", First: 1, Rounds: 1},
		{Noun: "row", First: 1, Growth: -1},
		{Noun: "row", Epochs: 2, Lanes: 2}, // an epoch closes leaves of one lane
		{Noun: "row", First: 1, Growth: 17},
		{Noun: "row", Rounds: 1, Limit: 3},
		{Noun: "row", Rounds: 1, Window: 3},
		{Noun: "row", First: 1, Window: 3, Lanes: 2},
	} {
		if c.Check() == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
