package averaging

import (
	"peerd.dev/dp/averages"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
)

// What the tests of average see of its inside.

type Average = average

const (
	AverageDelta  = averageDelta
	AverageBusy   = averageBusy
	AverageAsk    = averageAsk
	AverageCounts = averageCounts

	MaxRate      = .5
	MaxPullRatio = maxPullRatio
)

func NewAverage(c protocol.Config, p AverageParams) (protocol.Protocol, error) {
	return protocol.New(p, c)
}

func (a *average) Mixed() *averages.Mixed                      { return a.mixed }
func (a *average) Counts() *averages.Counts                    { return a.counts }
func (a *average) OwnCounts() *averages.Counts                 { return a.ownCounts }
func (a *average) HeardCounts() bool                           { return a.heardCounts }
func (a *average) Outside() int                                { return a.notJoined }
func (a *average) Variance(arm int) float64                    { return a.variance(arm) }
func (a *average) Incarnation() uint32                         { return a.c.Incarnation }
func (a *average) LastAnswer(from protocol.Peer) protocol.Kind { return a.links[a.link(from)].answer }

// OpenQuestions returns how many questions have no answer.
func (a *average) OpenQuestions() (n int) {
	for _, l := range a.links {
		if l.open {
			n++
		}
	}
	return n
}

// An AverageMutant breaks a rule of a peer that a message of a neighbour is about to
// reach, or that restarts; then from is Everyone. It returns the message that the peer receives in
// place of m.
type AverageMutant func(a *Average, from protocol.Peer, m protocol.Message) protocol.Message

// AverageMutants breaks the rules one at a time.
func AverageMutants() map[string]AverageMutant {
	mutants := averageMutants()
	all := make(map[string]AverageMutant)
	for name, mutate := range mutants {
		all[name] = func(a *average, from protocol.Peer, m protocol.Message) protocol.Message {
			var l *averageLink
			if from != protocol.Everyone {
				l = &a.links[a.link(from)]
			}
			return mutate(a, l, m)
		}
	}
	return all
}

func averageMutants() map[string]func(a *average, l *averageLink, m protocol.Message) protocol.Message {
	return map[string]func(a *average, l *averageLink, m protocol.Message) protocol.Message{
		"a busy answer is not final": func(_ *average, l *averageLink, m protocol.Message) protocol.Message {
			if m.Kind() == averageAsk && m.Label() == l.last && l.answer == averageBusy {
				l.answer = 0
			}
			return m
		},
		"a repeated question is averaged again": func(_ *average, l *averageLink, m protocol.Message) protocol.Message {
			if m.Kind() == averageAsk && m.Label() == l.last && l.answer == averageDelta {
				l.answer = 0
			}
			return m
		},
		"an overtaken question is averaged after a later one": func(_ *average, l *averageLink, m protocol.Message) protocol.Message {
			if m.Kind() == averageAsk && l.answer != 0 && protocol.Newer(l.last, m.Label()) {
				l.answer = 0
			}
			return m
		},
		"a repeated answer is subtracted again": func(_ *average, l *averageLink, m protocol.Message) protocol.Message {
			if m.Kind() == averageDelta && m.Refs() == 1 && m.Ref(0).Seq == l.seq {
				l.open = true
			}
			return m
		},
		"an answer to an older question is taken for the open one's": func(_ *average, l *averageLink, m protocol.Message) protocol.Message {
			if m.Kind() == averageDelta && m.Refs() == 1 && l.open {
				d := protocoltest.DraftOf(m)
				d.Refs[0].Seq = l.seq
				m = d.Message()
			}
			return m
		},
		"an answer is given up with patience": func(a *average, l *averageLink, m protocol.Message) protocol.Message {
			if l != nil && a.pendingLink < 0 {
				l.open = false
			}
			return m
		},
		"weights are added and not subtracted": func(_ *average, _ *averageLink, m protocol.Message) protocol.Message {
			if m.Kind() == averageDelta && m.Release(0).Len() > m.Release(1).Counts() {
				d := protocoltest.DraftOf(m)
				f := d.Body[0].Fields()
				f.Value = f.Value[:d.Body[1].Counts()]
				d.Body[0] = dptest.Received(nil, f)
				m = d.Message()
			}
			return m
		},
		"a restart forgets which arms were entered": func(a *average, l *averageLink, m protocol.Message) protocol.Message {
			if l == nil {
				was := a.mixed.Release()
				a.mixed, a.notJoined = averages.NewMixed(a.c.Parts, a.c.Peers()), a.c.Parts
				_ = a.mixed.Add(was)
			}
			return m
		},
	}
}

// Drift returns what is mixed of a coordinate beyond what was entered: Σv - ΣX of an arm,
// or Σw less the number of peers that have entered it; weights stand behind values.
func Drift(peers []*average, c int) (d int64) {
	for _, a := range peers {
		d += Coordinate(a, c) - Entered(a, c)
	}
	return d
}

// Coordinate returns a coordinate as it stands at a peer.
func Coordinate(a *average, c int) int64 {
	if c < a.c.Parts {
		return a.mixed.Value(c)
	}
	return a.mixed.Weight(c - a.c.Parts)
}

// Entered returns what a peer has put into a coordinate.
func Entered(a *average, c int) int64 {
	switch k := c % a.c.Parts; {
	case !a.mixed.Joined(k):
		return 0
	case c < a.c.Parts:
		return a.mixed.Own(k)
	default:
		return 1 << -averages.MeanExponent
	}
}

// UnderWay returns the sum over links of what the asked end added for a question
// that the asking end still has open.
func UnderWay(peers []*average, c int) (d int64) {
	for i, a := range peers {
		for _, l := range a.links {
			if !l.open {
				continue
			}
			b := peers[l.peer]
			back := &b.links[b.link(protocol.Peer(i))]
			if back.answer == averageDelta && c < back.delta.Len() && back.last == (protocol.Label{Origin: protocol.Peer(i), Incarnation: a.c.Incarnation, Seq: l.seq}) {
				d += back.delta.Value(c)
			}
		}
	}
	return d
}
