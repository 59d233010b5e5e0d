package protocol

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"peerd.dev/dp"
)

// A Net is what the parameters of a protocol have to suit.
type Net struct {
	Peers       int      // 0 if it is not known
	LeastDegree int      // neighbours of the peer that has fewest; 0 if it is not known
	Graph       [][]Peer // neighbours of every peer, ascending; nil if it is not known
	Horizon     uint64   // rounds
	Live        bool     // there are people to protect
}

// Words are what pages for people say of a protocol.
type Words struct {
	Public string // what of the rewards is released without noise
	Mixed  string // of the mean over sites: when a peer learns from it, as the end of a sentence; often empty
}

// An Entry describes a protocol to all who assemble, configure, explain, audit and test a
// peer.
type Entry struct {
	Name    string
	Summary string // one line, for people
	// Params holds the defaults in a struct. Its fields are the keys
	// protocol.<name>.<field>; their tags say what a configuration may hold (want), in
	// which unit, what it means (doc), and whether a folder keeps it (fixed).
	Params any
	// Small returns params changed so that a few rounds show all, for audits and tests.
	// Where they say how long a leaf is, it is as many rounds or decisions as given.
	Small func(params any, leaf uint64) any
	// Kinds lists the messages of the protocol. No other one has them.
	Kinds []Kind
	// Leaf is the field of Params that sets how long a leaf is; empty if none does.
	Leaf string
	// Wide says that the protocol carries sums of more than one number.
	Wide bool
	// NoisedCounts says that the protocol can do without exact numbers of records: its
	// leaves close by the clock, and it reads no counts of releases that have none. See
	// docs/proofs/counts.md.
	NoisedCounts bool
	// Suits reports whether a mechanism releases what the protocol carries; nil for
	// running sums.
	Suits func(m dp.Mechanism) bool
	// Adaptive reports whether messages, or when they leave, can follow from what was released before,
	// too; nil for never.
	Adaptive func(params any) bool
	// Cadence returns when leaves close.
	Cadence func(params any) Cadence
	// Check refuses parameters that do not suit the network: the field, as in a key, and
	// what is wanted; empty if all is well.
	Check func(params any, n Net) (field, want string)
	// Fit returns params with what they leave to the noise: epsilon is 1/b for a draw with the
	// deviation of Laplace noise of scale b on a reward, +Inf for none.
	Fit func(params any, epsilon float64) any
	// Raw returns what follows from records that are not released; nil for nothing.
	Raw func(params any) Raw
	// Sites reports whether a belief holds the mean of each site, and not only a mean over them; nil for never.
	Sites func(params any) bool
	// Idle reports whether a peer has a role and no arms; nil if all peers have arms.
	Idle func(params any, self Peer) bool
	// Origins returns how many of a number of peers with arms have their releases of one leaf
	// merged.
	Origins func(params any, learners int) int
	// Among returns params for a network of fewer peers, of which the first has arms.
	Among func(params any, peers int) any
	// Fixed returns why no peer can join or leave while the network runs, or "".
	Fixed func(params any) string
	// Words returns what pages say.
	Words func(params any) Words
	// New returns a peer's half of the protocol, with parameters of the type of Params.
	New func(c Config, params any) (Protocol, error)
}

// A part of an Entry that takes the parameters as they are.
type typed[P any] struct {
	cadence  func(P) Cadence
	check    func(P, Net) (field, want string) // nil for none
	fit      func(P, float64) P                // nil where params do for it
	adaptive func(P) bool                      // nil for never
	raw      func(P) Raw                       // nil for nothing
	sites    func(P) bool                      // nil for never
	idle     func(P, Peer) bool                // nil for no peer
	origins  func(P, int) int                  // nil for all
	among    func(P, int) P                    // nil where params do for it
	small    func(P, uint64) P                 // nil where params do for it
	fixed    func(P) string                    // nil where peers can join and leave
	words    func(P) Words
	new      func(Config, P) (Protocol, error)
}

// define completes an Entry by functions that take the parameters as they are.
func define[P any](e Entry, params P, f typed[P]) Entry {
	e.Params = params
	e.Cadence = func(p any) Cadence { return f.cadence(p.(P)) }
	e.Words = func(p any) Words { return f.words(p.(P)) }
	e.New = func(c Config, p any) (Protocol, error) { return f.new(c, p.(P)) }
	e.Check = func(p any, n Net) (string, string) {
		if f.check == nil {
			return "", ""
		}
		return f.check(p.(P), n)
	}
	e.Small = func(p any, leaf uint64) any {
		if f.small == nil {
			return p
		}
		return f.small(p.(P), leaf)
	}
	e.Fit = func(p any, epsilon float64) any {
		if f.fit == nil {
			return p
		}
		return f.fit(p.(P), epsilon)
	}
	e.Origins = func(p any, learners int) int {
		if f.origins == nil {
			return learners
		}
		return f.origins(p.(P), learners)
	}
	e.Among = func(p any, peers int) any {
		if f.among == nil {
			return p
		}
		return f.among(p.(P), peers)
	}
	if e.Suits == nil {
		e.Suits = dp.Mechanism.Running
	}
	e.Fixed = func(p any) string {
		if f.fixed == nil {
			return ""
		}
		return f.fixed(p.(P))
	}
	if f.adaptive != nil {
		e.Adaptive = func(p any) bool { return f.adaptive(p.(P)) }
	}
	if f.raw != nil {
		e.Raw = func(p any) Raw { return f.raw(p.(P)) }
	}
	if f.sites != nil {
		e.Sites = func(p any) bool { return f.sites(p.(P)) }
	}
	if f.idle != nil {
		e.Idle = func(p any, self Peer) bool { return f.idle(p.(P), self) }
	}
	return e
}

// Learners returns how many of a number of peers have arms.
func (e *Entry) Learners(params any, peers int) (n int) {
	for p := range peers {
		if e.Learns(params, Peer(p)) {
			n++
		}
	}
	return n
}

// FromRaw returns what follows from raw records by parameters.
func (e *Entry) FromRaw(params any) Raw {
	if e.Raw == nil {
		return Raw{}
	}
	return e.Raw(params)
}

// StatesSites reports whether a belief holds the mean of each site by parameters.
func (e *Entry) StatesSites(params any) bool { return e.Sites != nil && e.Sites(params) }

// Learns reports whether a peer has arms.
func (e *Entry) Learns(params any, p Peer) bool { return e.Idle == nil || !e.Idle(params, p) }

// Table lists every protocol a peer can speak, the default one first. A name is here only
// when its conformance tests pass.
func Table() []Entry {
	return []Entry{
		averageEntry(),
		rowsEntry(),
		phasesEntry(),
		consensusEntry(),
		coordinatorEntry(),
		gisEntry(),
		sinkEntry(),
		batchEntry(),
		localEntry(),
	}
}

// Lookup returns the entry of a name, or an error that lists the names there
// are.
func Lookup(name string) (Entry, error) {
	var names []string
	for _, e := range Table() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return Entry{}, fmt.Errorf("unknown protocol %q, want one of %s", name, strings.Join(names, ", "))
}

// EntryOf returns the entry whose parameters have the type of params.
func EntryOf(params any) (Entry, error) {
	for _, e := range Table() {
		if reflect.TypeOf(e.Params) == reflect.TypeOf(params) {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("no protocol has parameters of type %T", params)
}
