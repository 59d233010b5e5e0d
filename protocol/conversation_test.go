package protocol

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"peerd.dev/dp"
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
//	mass                         average, consensus: sums over peers, of estimates and own values
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
	*network
	late []parcel // a round later than the rest
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
				c.print(i, c.pull(t, i, arms[k], float64(rewards[k%len(rewards)])))
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
		fmt.Fprintf(&c.out, "now in round %d\n", c.round)
		for k := range Kind(128) {
			if n := total[nameOf(k)]; n > 0 {
				fmt.Fprintf(&c.out, "%d %s\n", n, nameOf(k))
			}
		}
	case "lose", "repeat", "delay":
		c.tamper(t, d)
	case "belief":
		for i, p := range c.peers {
			b := p.Belief()
			fmt.Fprintf(&c.out, "%s mean %.6g pulls %d", letter(Peer(i)), b.Mean, b.Pulls)
			if len(b.Behind) > 0 {
				fmt.Fprintf(&c.out, " behind in %d", b.Behind)
			}
			fmt.Fprintln(&c.out)
		}
	case "mass":
		c.mass()
	case "crossings":
		var kind string
		d.ScanArgs(t, "kind", &kind)
		most, links := 0, make(map[[2]Peer]bool)
		for x, n := range c.crossed {
			if nameOf(x.kind) == kind {
				most, links[[2]Peer{x.a, x.b}] = max(most, n), true
			}
		}
		fmt.Fprintf(&c.out, "on %d links, no %s more than %d time(s) on the same one\n", len(links), kind, most)
	default:
		t.Fatalf("unknown command %q", d.Cmd)
	}
}

func (c *conversation) open(t *testing.T, d *datadriven.TestData) {
	s := setting{
		protocol: d.CmdArgs[0].Key, arms: 2, rounds: 64, mechanism: dp.None, seed: 1,
		params: Params{
			Average: AverageParams{Consistency: Max, F: 1, Rate: .5, Patience: 4},
			Rows:    RowsParams{Every: 2, Pull: 4, Merge: MergeMean, F: 1},
		},
		fake: fakeParams{Gamma: 2, Explore: 1, Epochs: 4, Every: 2, Analyst: 1},
	}
	n := 3
	d.MaybeScanArgs(t, "n", &n)
	shape := "path"
	d.MaybeScanArgs(t, "topology", &shape)
	s.graph = map[string]func(int) [][]Peer{"path": path, "ring": ring, "star": star, "complete": complete}[shape](n)
	for _, a := range d.CmdArgs {
		if a.Key == "links" {
			n = 0
			for _, l := range a.Vals {
				n = max(n, int(l[0]-'a')+1, int(l[1]-'a')+1)
			}
			s.graph = graphOf(n, func(link func(a, b int)) {
				for _, l := range a.Vals {
					link(int(l[0]-'a'), int(l[1]-'a'))
				}
			})
		}
	}
	var hub, analyst string
	var rule string
	if d.MaybeScanArgs(t, "rule", &rule) {
		s.params.Average.Consistency = Consistency(rule)
	}
	d.MaybeScanArgs(t, "arms", &s.arms)
	d.MaybeScanArgs(t, "seed", &s.seed)
	d.MaybeScanArgs(t, "rounds", &s.rounds)
	d.MaybeScanArgs(t, "topic", &s.topic)
	d.MaybeScanArgs(t, "every", &s.fake.Every)
	d.MaybeScanArgs(t, "every", &s.params.Rows.Every)
	d.MaybeScanArgs(t, "pull", &s.params.Rows.Pull)
	d.MaybeScanArgs(t, "gamma", &s.fake.Gamma)
	d.MaybeScanArgs(t, "explore", &s.fake.Explore)
	if d.MaybeScanArgs(t, "hub", &hub) {
		s.fake.Hub = Peer(hub[0] - 'a')
	}
	if d.MaybeScanArgs(t, "analyst", &analyst) {
		s.fake.Analyst = Peer(analyst[0] - 'a')
	}
	c.network, c.late = newNetwork(t, s), nil
	for a, ns := range s.graph {
		for _, b := range ns {
			if Peer(a) < b {
				fmt.Fprintf(&c.out, "%s–%s ", letter(Peer(a)), letter(b))
			}
		}
	}
	fmt.Fprintln(&c.out)
}

// begin delivers what was sent in the last round.
func (c *conversation) begin(t *testing.T) {
	in := c.take()
	c.underway, c.late = append(c.underway, c.late...), nil
	for i := range in {
		for _, d := range in[i] {
			es, err := c.deliver(t, i, d)
			if err != nil {
				fmt.Fprintf(&c.out, "%s refuses: %v\n", letter(Peer(i)), err)
			}
			c.print(i, es)
		}
	}
}

// end ends the round.
func (c *conversation) end(t *testing.T) {
	for i := range c.peers {
		c.print(i, c.tick(t, i))
	}
	c.round++
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
	var kept []parcel
	for _, p := range c.underway {
		if letter(p.From) != from || letter(p.to) != to || (kind != "" && nameOf(p.Message.kind) != kind) {
			kept = append(kept, p)
			continue
		}
		fmt.Fprintf(&c.out, "%s→%s %s\n", from, to, tell(p.Message))
		switch d.Cmd {
		case "repeat":
			kept = append(kept, p, p)
		case "delay":
			c.late = append(c.late, p)
		}
	}
	c.underway = kept
}

// mass adds up what averaging conserves: Σ estimates = Σ own + what one end of a link has
// moved and the other has not. Protocol average has the weights of arms behind their
// values, and counts as own what a peer has entered.
func (c *conversation) mass() {
	estimates, own, way := make([]float64, 2*c.arms), make([]float64, 2*c.arms), make([]float64, 2*c.arms)
	var as []*average
	for _, p := range c.peers {
		for k := range estimates {
			switch p := p.Protocol.(type) {
			case *average:
				estimates[k] += lattice(mixed(p, k), dp.MeanExponent)
				own[k] += lattice(entered(p, k), dp.MeanExponent)
			case *fakeConsensusPeer:
				estimates[k] += lattice(p.state.Value(k), dp.GridExponent)
				own[k] += lattice(p.state.Own(k), dp.GridExponent)
			}
		}
		if a, ok := p.Protocol.(*average); ok {
			as = append(as, a)
		}
	}
	for k := range way {
		way[k] = lattice(underWay(as, k), dp.MeanExponent)
	}
	fmt.Fprintf(&c.out, "estimates %.6g own %.6g under way %.6g\n", estimates, own, way)
}

func (c *conversation) who(d *datadriven.TestData) []int {
	var is []int
	for i := range c.peers {
		if k := d.CmdArgs[0].Key; k == "all" || k == letter(Peer(i)) {
			is = append(is, i)
		}
	}
	return is
}

func (c *conversation) print(from int, es []Envelope) {
	for _, e := range es {
		to := "all"
		if e.To != Everyone {
			to = letter(e.To)
		}
		fmt.Fprintf(&c.out, "%s→%s %s\n", letter(Peer(from)), to, tell(e.Message))
	}
}

// tell puts a message into words: kind, label, labels it speaks of, body.
func tell(m Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", nameOf(m.kind), tellLabel(m.label))
	if m.hops > 0 {
		fmt.Fprintf(&b, " hops %d", m.hops)
	}
	for i, l := range m.refs {
		b.WriteString([]string{", ", " on "}[b2i(i == 0)] + tellLabel(l))
	}
	for _, r := range m.body {
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
	for _, s := range m.sealed {
		h := fnv.New32a()
		_, _ = h.Write(s.Bytes())
		fmt.Fprintf(&b, " sealed:%04x", h.Sum32()>>16)
	}
	if len(m.sig) > 0 {
		b.WriteString(" signed")
	}
	return b.String()
}

func tellLabel(l Label) string {
	s := fmt.Sprintf("%s#%d", letter(l.Origin), l.Seq)
	if l.Stream != 0 {
		s += fmt.Sprintf("/s%d", l.Stream)
	}
	if l.Incarnation != 0 {
		s += fmt.Sprintf("/i%d", l.Incarnation)
	}
	return s
}

func nameOf(k Kind) string {
	switch k {
	case averageDelta:
		return "delta"
	case averageBusy:
		return "busy"
	case averageAsk:
		return "ask"
	case averageCounts:
		return "counts"
	case rowsRow:
		return "row"
	case rowsDigest:
		return "digest"
	case rowsWant:
		return "want"
	case fakeConsensus:
		return "state"
	case fakeNews:
		return "news"
	case fakeAdv:
		return "adv"
	case fakeReq:
		return "req"
	case fakeData:
		return "data"
	case fakeUp:
		return "up"
	case fakeMean:
		return "sums"
	case fakeModel:
		return "model"
	case fakeNode:
		return "p-sum"
	case fakeTotal:
		return "total"
	case fakeSealed:
		return "envelope"
	case fakeShuffled:
		return "batch"
	case fakeSum:
		return "sum"
	default:
		return fmt.Sprintf("kind-%d", k)
	}
}

func letter(p Peer) string { return string(rune('a' + p)) }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
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
