package protocol

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp"
)

// What the tests outside of the package see of it. The network that they play on imports
// the package, so they cannot stand inside.

// A Draft is a message that can be changed.
type Draft struct {
	Kind   Kind
	Label  Label
	Refs   []Label
	Body   []dp.Release
	Sealed []dp.Sealed
	Round  Round
	Sig    []byte
}

// Message returns the message, whose lists are the draft's.
func (d Draft) Message() Message {
	return Message{&message{
		kind: d.Kind, label: d.Label, refs: d.Refs, body: d.Body, sealed: d.Sealed, round: d.Round, sig: string(d.Sig),
	}}
}

// Signed returns the message with a signature.
func (d Draft) Signed(k Keys) Message {
	m := d.Message()
	m.sig = string(k.Sign(appendContent(nil, m.message)))
	return m
}

// Draft returns a copy that shares no list with m.
func (m Message) Draft() Draft {
	return Draft{
		m.kind, m.label, slices.Clone(m.refs), slices.Clone(m.body), slices.Clone(m.sealed), m.round,
		[]byte(m.sig),
	}
}

// The generators.

func Garbled(t *rapid.T, m Message) Message { return garbled(t, m) }
func AnyUint() *rapid.Generator[uint64]     { return anyUint() }

// The protocols that are not built.

type FakeParams = fakeParams

func Fakes() []Params { return fakes() }

// Shares returns the state of a peer of consensus, and the flow of each of its links.
func Shares(p Protocol) (s *dp.Shares, flows []dp.Flow, ok bool) {
	c, ok := p.(*consensus)
	if !ok {
		return nil, nil, false
	}
	return c.shares, c.flows, true
}

// Constants returns what a peer of consensus knows of its matrix.
func Constants(p ConsensusParams, g [][]Peer, self Peer) (ci, c0, noiseSq, noiseMax float64) {
	m := newMixing(p, g, self)
	return m.ci, m.c0, m.noiseSq, m.noiseMax
}

// KindName returns the name of a kind, or "".
func KindName(k Kind) string {
	for _, p := range slices.Concat(Table(), fakes()) {
		if name := TraitsOf(p).Kinds[k]; name != "" {
			return name
		}
	}
	return ""
}

// KindOf returns the kind of a name.
func KindOf(p Params, name string) Kind {
	for k, n := range TraitsOf(p).Kinds {
		if n == name {
			return k
		}
	}
	panic("no kind " + name)
}

// OverTheWire encodes m, checks that the encoding keeps its promises, and returns what
// comes out at the other end.
func OverTheWire(t testing.TB, m Message) Message {
	t.Helper()
	b := Encode(nil, m)
	if len(b) != Size(&m) {
		t.Fatalf("%+v: Size says %d bytes, Encode makes %d", m.Draft(), Size(&m), len(b))
	}
	got, err := Decode(b)
	if err != nil {
		t.Fatalf("%+v does not survive the wire: %v", m.Draft(), err)
	}
	if !equal(got, m) {
		t.Fatalf("sent     %+v\nreceived %+v", m.Draft(), got.Draft())
	}
	if fresh := got.Draft().Message(); string(Encode(nil, fresh)) != m.Frame() {
		t.Fatalf("%+v is written in two ways", m.Draft())
	}
	return got
}

// equal compares messages field by field, without the help of the codec.
func equal(a, b Message) bool {
	return a.kind == b.kind && a.label == b.label && a.round == b.round &&
		slices.Equal(a.refs, b.refs) &&
		slices.EqualFunc(a.body, b.body, dp.Release.Equal) &&
		slices.EqualFunc(a.sealed, b.sealed, func(x, y dp.Sealed) bool { return x == y }) &&
		a.sig == b.sig
}

// Diameter returns the greatest distance of two peers.
func Diameter(graph [][]Peer) int { return diameter(graph) }

// CliqueOf returns which peers are in a peer's clique.
func CliqueOf(p Peer, g [][]Peer, hops uint64) []bool { return cliqueOf(p, balls(g, hops)) }

// TwoContributions is the stream that HeldContributions gives a label under which a peer holds two.
const TwoContributions dp.StreamID = 1

// HeldContributions returns the labels of what a peer of gis holds of its first epochs.
func HeldContributions(p Protocol, epochs uint64) (all []Label) {
	g := p.(*gis)
	for _, epoch := range g.epochs[:min(epochs, uint64(len(g.epochs)))] {
		for _, s := range epoch {
			if s != nil && s.m.kind != 0 {
				l := s.m.label
				if s.second.kind != 0 {
					l.Stream = TwoContributions
				}
				all = append(all, l)
			}
		}
	}
	return all
}

// Forest returns the next peer on the way from each to a server.
func Forest(g [][]Peer, server Peer, absent []Peer) []Peer {
	is := make([]bool, len(g))
	for _, p := range absent {
		is[p] = true
	}
	f := newForest(g, server, is)
	return f.parent
}
