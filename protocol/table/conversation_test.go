package table_test

import (
	"crypto/sha512"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/epochs"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
	"peerd.dev/protocol/shuffling"
)

// TestConversations plays the conversations in testdata/conversations: a few
// peers, and every message between them. When one fails, run
//
//	go test ./protocol -run Conversations -rewrite
//
// and read the diff: keep it only if you can say why it changed.
//
// Peers are a, b, c …; nothing is noised, so numbers are exact. The commands:
//
//	net PROTOCOL topology=path|ring|star|complete n=3 | links=(ab,bc)   arms=2 …
//	pull a arm=0 reward=1        a plays an arm; "all" for everyone; lists play several
//	tick                         the round ends
//	deliver                      the next round begins: what was sent arrives
//	round                        deliver and tick
//	skip n=3                     so many rounds, deliver to tick, told in totals
//	lose from=a to=b [kind=k]    what is under way there never arrives
//	repeat from=a to=b [kind=k]  it arrives twice
//	delay from=a to=b [kind=k]   it arrives a round later
//	belief                       what everyone may decide from
//	crossings kind=k             how often a message of that kind crossed one link, at most
func TestConversations(t *testing.T) {
	datadriven.Walk(t, "testdata/conversations", func(t *testing.T, path string) {
		var c conversation
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			c.out.Reset()
			c.do(t, d)
			if c.out.Len() == 0 {
				return "nothing\n"
			}
			return c.out.String()
		})
	})
}

// A conversation is a network on paper.
type conversation struct {
	*protocoltest.Network
	late []protocoltest.Parcel // a round later than the rest
	out  strings.Builder
}

func (c *conversation) do(t *testing.T, d *datadriven.TestData) {
	switch d.Cmd {
	case "net":
		c.open(t, d)
	case "pull":
		arms, rewards := ints(t, d, "arm"), ints(t, d, "reward")
		for _, i := range c.who(d) {
			for k := range arms {
				c.print(i, c.Pull(t, i, arms[k], float64(rewards[k%len(rewards)])))
			}
		}
	case "tick":
		c.end(t)
	case "deliver":
		c.begin(t)
	case "round":
		c.turn(t)
	case "skip":
		n := ints(t, d, "n")[0]
		total := make(map[string]int)
		for range n {
			c.turn(t)
		}
		for _, l := range strings.Split(strings.TrimSpace(c.out.String()), "\n") {
			if f := strings.Fields(l); len(f) > 1 {
				total[f[1]]++
			}
		}
		c.out.Reset()
		fmt.Fprintf(&c.out, "now in round %d\n", c.Round)
		for k := range protocol.Kind(128) {
			if n := total[nameOf(k)]; n > 0 {
				fmt.Fprintf(&c.out, "%d %s\n", n, nameOf(k))
				delete(total, nameOf(k)) // protocols can have messages of one name
			}
		}
	case "lose", "repeat", "delay":
		c.tamper(t, d)
	case "belief":
		for i, p := range c.Peers {
			b := p.Belief()
			fmt.Fprintf(&c.out, "%s mean %.6g pulls %d", protocoltest.Letter(protocol.Peer(i)), b.X, p.Pulls)
			if len(b.Forced) > 0 {
				fmt.Fprintf(&c.out, " behind in %d", b.Forced)
			}
			if len(b.Pulls) == len(p.Pulls) && !slices.Equal(b.Pulls, p.Pulls) {
				t.Errorf("%s: %s believes that it pulled %d", d.Pos, protocoltest.Letter(protocol.Peer(i)), b.Pulls)
			}
			fmt.Fprintln(&c.out)
		}
	case "crossings":
		var kind string
		d.ScanArgs(t, "kind", &kind)
		most, links := 0, make(map[[2]protocol.Peer]bool)
		for x, n := range c.Crossed {
			if nameOf(x.Kind) == kind {
				most, links[[2]protocol.Peer{x.A, x.B}] = max(most, n), true
			}
		}
		fmt.Fprintf(&c.out, "on %d links, no %s more than %d time(s) on the same one\n", len(links), kind, most)
	default:
		t.Fatalf("unknown command %q", d.Cmd)
	}
}

func (c *conversation) open(t *testing.T, d *datadriven.TestData) {
	s := protocoltest.Setting{Arms: 2, Rounds: 64, Mechanism: dp.None, Seed: 1}
	n := 3
	d.MaybeScanArgs(t, "n", &n)
	shape := "path"
	d.MaybeScanArgs(t, "topology", &shape)
	s.Graph = map[string]func(int) protocoltest.Graph{
		"path": protocoltest.Path, "ring": protocoltest.Ring, "star": protocoltest.Star, "complete": protocoltest.Complete,
	}[shape](n)
	for _, a := range d.CmdArgs {
		if a.Key == "links" {
			n = 0
			for _, l := range a.Vals {
				n = max(n, int(l[0]-'a')+1, int(l[1]-'a')+1)
			}
			s.Graph = protocoltest.Links(n, func(link func(a, b int)) {
				for _, l := range a.Vals {
					link(int(l[0]-'a'), int(l[1]-'a'))
				}
			})
		}
	}
	d.MaybeScanArgs(t, "arms", &s.Arms)
	d.MaybeScanArgs(t, "seed", &s.Seed)
	d.MaybeScanArgs(t, "rounds", &s.Rounds)
	d.MaybeScanArgs(t, "topic", &s.Topic)
	deploy(t, d, &s)
	// The schedules that the conversations were written with.
	s.Schedule = func(self protocol.Peer, incarnation uint32) *rand.Rand {
		h := sha512.Sum512(fmt.Appendf(nil, "%d %d %d schedule", s.Seed, self, incarnation))
		return rand.New(rand.NewChaCha8([32]byte(h[:32])))
	}
	c.Network, c.late = protocoltest.New(t, s), nil
	for a, ns := range s.Graph {
		for _, b := range ns {
			if protocol.Peer(a) < b {
				fmt.Fprintf(&c.out, "%s–%s ", protocoltest.Letter(protocol.Peer(a)), protocoltest.Letter(b))
			}
		}
	}
	fmt.Fprintln(&c.out)
}

// deploy chooses the protocol, its parameters and a learner.
func deploy(t *testing.T, d *datadriven.TestData, s *protocoltest.Setting) {
	t.Helper()
	name := d.CmdArgs[0].Key
	for _, e := range protocols() {
		if e.Words().Name == name {
			s.Params = protocol.Small(e, 2)
		}
	}
	switch p := s.Params.(type) {
	case averaging.AverageParams:
		p = averaging.AverageParams{Consistency: averaging.Max, F: 1, Rate: .5, Patience: 4}
		var rule string
		if d.MaybeScanArgs(t, "rule", &rule) {
			p.Consistency = averaging.Consistency(rule)
		}
		s.Params = p
	case running.Params:
		p = running.Params{Every: 2, Pull: 4, Merge: rows.MergeMean, F: 1}
		d.MaybeScanArgs(t, "every", &p.Every)
		d.MaybeScanArgs(t, "pull", &p.Pull)
		s.Params = p
	case rows.PhasesParams:
		s.Params = rows.PhasesParams{First: 2, Growth: .5, Pull: 4, Merge: rows.MergeMean, F: 1}
	case batches.BatchParams:
		p.First, p.Growth, p.Pull = 2, 0, 4
		d.MaybeScanArgs(t, "analyzer", &p.Analyzer)
		d.MaybeScanArgs(t, "hops", &p.Hops)
		s.Params = p
	case printed.LocalParams:
		p.Neighbourhood, p.Estimators, p.First, p.Growth, p.Pull = printed.Ball, printed.OneEstimator, 2, 0, 4
		d.MaybeScanArgs(t, "hops", &p.Hops)
		var neighbourhood, estimators string
		if d.MaybeScanArgs(t, "neighbourhood", &neighbourhood) {
			p.Neighbourhood = printed.Neighbourhood(neighbourhood)
		}
		if d.MaybeScanArgs(t, "estimators", &estimators) {
			p.Estimators = printed.Estimators(estimators)
		}
		s.Params = p
	case averaging.ConsensusParams:
		p = averaging.ConsensusParams{Weights: averaging.Metropolis, Patience: 4}
		var weights string
		if d.MaybeScanArgs(t, "weights", &weights) {
			p.Weights = averaging.Weights(weights)
		}
		s.Params = p
	case epochs.GISParams:
		p.Epochs, p.Deadline = 4, 0
		d.MaybeScanArgs(t, "deadline", &p.Deadline)
		s.Params = p
	case epochs.CoordinatorParams:
		p = epochs.CoordinatorParams{Schedule: epochs.Doubling, Coordinator: 1, Epochs: 4, Deadline: 4, Patience: 4, Participation: 1}
		var schedule string
		if d.MaybeScanArgs(t, "schedule", &schedule) {
			p.Schedule = epochs.Schedule(schedule)
			s.Learner = func() bandit.Learner { return protocoltest.Explore(s.Arms, 2, p.Epochs, true) }
		}
		s.Params = p
	case epochs.SinkParams:
		p = epochs.SinkParams{Server: 1, Epochs: 4, Deadline: 8, Patience: 4}
		d.MaybeScanArgs(t, "server", &p.Server)
		s.Params = p
	case shuffling.Params:
		p.Deadline, p.Pull = 4, 4
		var sees string
		if d.MaybeScanArgs(t, "sees", &sees) {
			p.Sees = shuffling.Sees(sees)
		}
		d.MaybeScanArgs(t, "analyzer", &p.Analyzer)
		d.MaybeScanArgs(t, "least", &p.Least)
		s.Params = p
	default:
		t.Fatalf("no protocol %q", name)
	}
	each := uint64(1)
	d.MaybeScanArgs(t, "explore", &each)
	s.Learner = func() bandit.Learner { return suited(*s, each) }
}

// begin delivers what was sent in the last round.
func (c *conversation) begin(t *testing.T) {
	in := c.Take()
	c.Underway, c.late = append(c.Underway, c.late...), nil
	for i := range in {
		for _, d := range in[i] {
			es, err := c.Deliver(t, i, d)
			if err != nil {
				fmt.Fprintf(&c.out, "%s refuses: %v\n", protocoltest.Letter(protocol.Peer(i)), err)
			}
			c.print(i, es)
		}
	}
}

// end ends the round.
func (c *conversation) end(t *testing.T) {
	for i := range c.Peers {
		c.print(i, c.Tick(t, i))
	}
	c.Round++
}

func (c *conversation) turn(t *testing.T) {
	c.begin(t)
	c.end(t)
}

func (c *conversation) tamper(t *testing.T, d *datadriven.TestData) {
	var from, to, kind string
	d.ScanArgs(t, "from", &from)
	d.ScanArgs(t, "to", &to)
	d.MaybeScanArgs(t, "kind", &kind)
	var kept []protocoltest.Parcel
	for _, p := range c.Underway {
		if protocoltest.Letter(p.From) != from || protocoltest.Letter(p.To) != to || (kind != "" && nameOf(p.Message.Kind()) != kind) {
			kept = append(kept, p)
			continue
		}
		fmt.Fprintf(&c.out, "%s→%s %s\n", from, to, words(p.Message))
		switch d.Cmd {
		case "repeat":
			kept = append(kept, p, p)
		case "delay":
			c.late = append(c.late, p)
		}
	}
	c.Underway = kept
}

func (c *conversation) who(d *datadriven.TestData) []int {
	var is []int
	for i := range c.Peers {
		if k := d.CmdArgs[0].Key; k == "all" || k == protocoltest.Letter(protocol.Peer(i)) {
			is = append(is, i)
		}
	}
	return is
}

func (c *conversation) print(from int, es []protocol.Envelope) {
	for _, e := range es {
		to := "all"
		if e.To != protocol.Everyone {
			to = protocoltest.Letter(e.To)
		}
		fmt.Fprintf(&c.out, "%s→%s %s\n", protocoltest.Letter(protocol.Peer(from)), to, words(e.Message))
	}
}

// words describes a message: kind, label, labels that it names, body.
func words(message protocol.Message) string {
	var b strings.Builder
	m := protocoltest.DraftOf(message)
	fmt.Fprintf(&b, "%s %s", nameOf(m.Kind), labelWords(m.Label))
	for i, l := range m.Refs {
		b.WriteString([]string{", ", " on "}[protocoltest.Count(i == 0)] + labelWords(l))
	}
	for _, r := range m.Body {
		b.WriteString(" ")
		if s := r.Span(); s != (dp.Span{}) {
			fmt.Fprintf(&b, "s%d(%d,%d]", r.Stream(), s.From, s.To)
		}
		if r.Len() > 0 {
			v := make([]float64, r.Len())
			for i := range v {
				v[i] = r.At(i)
			}
			fmt.Fprintf(&b, "%.6g", v)
		}
		if r.Counts() > 0 {
			n := make([]uint64, r.Counts())
			for i := range n {
				n[i] = r.Count(i)
			}
			fmt.Fprintf(&b, "n%d", n)
		}
	}
	for _, s := range m.Sealed {
		h := fnv.New32a()
		_, _ = h.Write(s.Bytes())
		fmt.Fprintf(&b, " sealed:%04x", h.Sum32()>>16)
	}
	if len(m.Sig) > 0 {
		b.WriteString(" signed")
	}
	return b.String()
}

func labelWords(l protocol.Label) string {
	s := fmt.Sprintf("%s#%d", protocoltest.Letter(l.Origin), l.Seq)
	if l.Stream != 0 {
		s += fmt.Sprintf("/s%d", l.Stream)
	}
	if l.Incarnation != 0 {
		s += fmt.Sprintf("/i%d", l.Incarnation)
	}
	return s
}

func nameOf(k protocol.Kind) string {
	if name := protocoltest.KindName(papers.All(), k); name != "" {
		return name
	}
	return fmt.Sprintf("kind-%d", k)
}

func ints(t *testing.T, d *datadriven.TestData, key string) []int {
	t.Helper()
	for _, a := range d.CmdArgs {
		if a.Key == key {
			out := make([]int, len(a.Vals))
			for i := range a.Vals {
				a.Scan(t, i, &out[i])
			}
			return out
		}
	}
	t.Fatalf("%s: want %s=", d.Pos, key)
	return nil
}
