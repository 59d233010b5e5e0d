package protocol

import (
	"fmt"
	"slices"
	"strings"

	"peerd.dev/dp"
)

// Params are the parameters of a protocol, a struct. Its exported fields are the keys
// protocol.<name>.<field> of a configuration; their tags say what a value may be (want), its unit
// (unit) and what it means (doc), and whether a folder keeps it (fixed). Further methods that
// parameters may have are those of [Traited], [Suited], [Checked], [Fitted], [Shrinking],
// [Idling], [Sampling] and [Resized]. Protocols of other Go modules are used as those of [table.Table] are.
type Params interface {
	// Words returns what pages say of the protocol.
	Words() Words
	// Cadence returns when leaves close.
	Cadence() Cadence
	// New returns a peer's half of the protocol. Call the function [New], which completes c.
	New(c Config) (Protocol, error)
}

// Words are what pages say of a protocol.
type Words struct {
	Name    string // in configurations
	Summary string // one line
	When    string // when to take it, as the end of "take it"
	Public  string // what of the rewards is released without noise
	Mixed   string // when a peer learns from the mean over sites, as the end of a sentence; often empty
}

// Traits say in what a protocol differs from one that spreads one running sum an arm. The zero
// Traits are such a protocol's.
type Traits struct {
	// Kinds names the messages of the protocol. No other one has their numbers: those from
	// [FirstFree] on are for protocols of other modules.
	Kinds map[Kind]string
	// Leaf is the field of Params that sets how long a leaf is; empty if none does.
	Leaf string
	// Wide says that the protocol carries sums of more than one number.
	Wide bool
	// NoisedCounts says that the protocol can do without exact numbers of records: its
	// leaves close by the clock, and it reads no counts of releases that have none. See
	// docs/proofs/counts.md.
	NoisedCounts bool
	// Adaptive says that messages, or when they leave, can follow from what was released before, too.
	Adaptive bool
	// Sites says that a belief holds the mean of each site, and not only a mean over them.
	Sites bool
	// Raw is what follows from records that are not released.
	Raw Raw
	// Fixed is why no peer can join or leave while the network runs, or "".
	Fixed string
}

// Traited parameters have traits.
type Traited interface{ Traits() Traits }

// TraitsOf returns the traits of parameters.
func TraitsOf(p Params) Traits {
	if t, ok := p.(Traited); ok {
		return t.Traits()
	}
	return Traits{}
}

// Suited parameters are of a protocol that carries other releases than running sums, or more.
type Suited interface{ Suits(m dp.Mechanism) bool }

// Suits reports whether a mechanism releases what the protocol carries.
func Suits(p Params, m dp.Mechanism) bool {
	if s, ok := p.(Suited); ok {
		return s.Suits(m)
	}
	return m.Running()
}

// A Net is what the parameters of a protocol have to suit.
type Net struct {
	Peers       int      // 0 if it is not known
	LeastDegree int      // neighbours of the peer that has fewest; 0 if it is not known
	Graph       [][]Peer // neighbours of every peer, ascending; nil if it is not known
	Horizon     uint64   // rounds
	Live        bool     // there are people to protect
}

// Checked parameters can go together badly, or not suit a network.
type Checked interface {
	// Check returns the field, as in a key, and what is wanted; empty if all is well.
	Check(n Net) (field, want string)
}

// Check returns what [Checked] parameters refuse.
func Check(p Params, n Net) (field, want string) {
	if c, ok := p.(Checked); ok {
		return c.Check(n)
	}
	return "", ""
}

// Fitted parameters leave something to the noise.
type Fitted interface{ Fit(epsilon float64) Params }

// Fit returns parameters with what they leave to the noise: epsilon is 1/b for a draw with the
// deviation of Laplace noise of scale b on a reward, +Inf for none.
func Fit(p Params, epsilon float64) Params {
	if f, ok := p.(Fitted); ok {
		return f.Fit(epsilon)
	}
	return p
}

// Shrinking parameters can be changed so that a few rounds show all that the protocol does.
type Shrinking interface{ Small(leaf uint64) Params }

// Small returns such parameters, for audits and tests. Where they say how long a leaf is, it is as
// many rounds or decisions as given.
func Small(p Params, leaf uint64) Params {
	if s, ok := p.(Shrinking); ok {
		return s.Small(leaf)
	}
	return p
}

// Idling parameters give some peers a role and no arms.
type Idling interface{ Idle(self Peer) bool }

// Learns reports whether a peer has arms.
func Learns(p Params, self Peer) bool {
	i, ok := p.(Idling)
	return !ok || !i.Idle(self)
}

// Learners returns how many of a number of peers have arms.
func Learners(p Params, peers int) (n int) {
	for i := range peers {
		if Learns(p, Peer(i)) {
			n++
		}
	}
	return n
}

// Sampling parameters merge the releases of some peers only.
type Sampling interface{ Origins(learners int) int }

// Origins returns how many of a number of peers with arms have their releases of one leaf merged.
func Origins(p Params, learners int) int {
	if s, ok := p.(Sampling); ok {
		return s.Origins(learners)
	}
	return learners
}

// Resized parameters depend on how many peers there are.
type Resized interface{ Among(peers int) Params }

// Among returns parameters for a network of fewer peers, of which the first has arms.
func Among(p Params, peers int) Params {
	if r, ok := p.(Resized); ok {
		return r.Among(peers)
	}
	return p
}

// Lookup returns the parameters of a name in a table, or an error that lists the names there are.
func Lookup(table []Params, name string) (Params, error) {
	var names []string
	for _, p := range table {
		if p.Words().Name == name {
			return p, nil
		}
		names = append(names, p.Words().Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("unknown protocol %q, want one of %s", name, strings.Join(names, ", "))
}
