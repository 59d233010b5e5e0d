package protocol

import "peerd.dev/dp"

// What the tests of average see of its inside.

type Average = average

const (
	AverageDelta  = averageDelta
	AverageBusy   = averageBusy
	AverageAsk    = averageAsk
	AverageCounts = averageCounts

	MaxRate      = maxRate
	MaxPullRatio = maxPullRatio
)

func NewAverage(c Config, p AverageParams) (Protocol, error) { return New(p, c) }

func (a *average) Mixed() *dp.Mixed          { return a.mixed }
func (a *average) Counts() *dp.Counts        { return a.counts }
func (a *average) OwnCounts() *dp.Counts     { return a.ownCounts }
func (a *average) HeardCounts() bool         { return a.heardCounts }
func (a *average) Outside() int              { return a.notJoined }
func (a *average) Variance(arm int) float64  { return a.variance(arm) }
func (a *average) Incarnation() uint32       { return a.c.Incarnation }
func (a *average) LastAnswer(from Peer) Kind { return a.links[a.link(from)].answer }

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
// reach, or that restarts; then from is Everyone. It may change the lists of m.
type AverageMutant func(a *Average, from Peer, m Message)

// AverageMutants breaks the rules one at a time.
func AverageMutants() map[string]AverageMutant {
	mutants := averageMutants()
	all := make(map[string]AverageMutant)
	for name, mutate := range mutants {
		all[name] = func(a *average, from Peer, m Message) {
			var l *averageLink
			if from != Everyone {
				l = &a.links[a.link(from)]
			}
			mutate(a, l, m)
		}
	}
	return all
}

func averageMutants() map[string]func(a *average, l *averageLink, m Message) {
	return map[string]func(a *average, l *averageLink, m Message){
		"a busy answer is not final": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageAsk && m.label == l.last && l.answer == averageBusy {
				l.answer = 0
			}
		},
		"a repeated question is averaged again": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageAsk && m.label == l.last && l.answer == averageDelta {
				l.answer = 0
			}
		},
		"an overtaken question is averaged after a later one": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageAsk && l.answer != 0 && Newer(l.last, m.label) {
				l.answer = 0
			}
		},
		"a repeated answer is subtracted again": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageDelta && len(m.refs) == 1 && m.refs[0].Seq == l.seq {
				l.open = true
			}
		},
		"an answer to an older question is taken for the open one's": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageDelta && len(m.refs) == 1 && l.open {
				m.refs[0].Seq = l.seq // the slice is the message's own
			}
		},
		"an answer is given up with patience": func(a *average, l *averageLink, _ Message) {
			if l != nil && a.pendingLink < 0 {
				l.open = false
			}
		},
		"weights are added and not subtracted": func(_ *average, _ *averageLink, m Message) {
			if m.kind == averageDelta && m.body[0].Len() > m.body[1].Counts() {
				f := m.body[0].Fields()
				f.Value = f.Value[:m.body[1].Counts()]
				m.body[0], _ = dp.Received(f) // the slice is the message's own
			}
		},
		"a restart forgets which arms were entered": func(a *average, l *averageLink, _ Message) {
			if l == nil {
				was := a.mixed.Release()
				a.mixed, a.notJoined = dp.NewMixed(a.c.Parts, a.c.Peers()), a.c.Parts
				_ = a.mixed.Add(was)
			}
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
		return 1 << -dp.MeanExponent
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
			back := &b.links[b.link(Peer(i))]
			if back.answer == averageDelta && c < back.delta.Len() && back.last == (Label{Origin: Peer(i), Incarnation: a.c.Incarnation, Seq: l.seq}) {
				d += back.delta.Value(c)
			}
		}
	}
	return d
}
