package protocol

import (
	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/internal/wanted"
)

// Params are the parameters of a protocol, a struct. Its exported fields are the keys
// protocol.<name>.<field> of a configuration; their tags say what a value may be (want), its unit
// (unit) and what it means (doc), and whether a folder keeps it (fixed). Parameters may also
// implement [Traited], [Suited], [Recommended], [Checked], [Fitted], [Shrinking], [Idling],
// [Sampling], [Promising] and [Resized]. Protocols of other Go modules are used in the same way as the protocols of
// [table.Table].
type Params interface {
	// Words returns the protocol's name and descriptions for documents and pages.
	Words() Words
	// Cadence returns when leaves close.
	Cadence() Cadence
	// New returns a peer's half of the protocol. Call the function [New], which checks parameters by their tags and completes c.
	New(c Config) (Protocol, error)
}

// Words describe a protocol in documents and pages.
type Words struct {
	Name    string // in configurations
	Summary string // one line
	When    string // when to use it, as the end of "take it"
	Public  string // which numbers about rewards are released without noise
	Mixed   string // when a peer learns from the mean over sites, as the end of a sentence; often empty
}

// Traits are the properties of a protocol. The zero Traits describe one that spreads a running sum
// per arm.
type Traits struct {
	// Kinds names the messages of the protocol. Their numbers are unique; numbers from [FirstFree]
	// on are for protocols of other modules.
	Kinds map[Kind]string
	// Leaf is the field of Params that sets the length of a leaf; empty if there is none.
	Leaf string
	// Wide says that the protocol carries sums of more than one number.
	Wide bool
	// NoisedCounts says that the protocol works without exact numbers of records: its leaves close
	// by the clock, and it reads no counts of releases without counts. See docs/proofs/counts.md.
	NoisedCounts bool
	// Adaptive says that messages, or the times at which they are sent, can also depend on earlier
	// releases.
	Adaptive bool
	// Sites says that a belief contains the mean or the sum of each site, in addition to the one over sites.
	Sites bool
	// Fixed is the reason why no peer can join or leave while the network runs; empty if peers can.
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

// Suited parameters belong to a protocol that does not carry running sums, or not only running
// sums.
type Suited interface{ Suits(m dp.Mechanism) bool }

// Suits reports whether the protocol carries the releases of a mechanism.
func Suits(p Params, m dp.Mechanism) bool {
	if s, ok := p.(Suited); ok {
		return s.Suits(m)
	}
	return m.Running()
}

// A Recommendation is what did best with a protocol in experiments; see docs/lab/experiments.md#defaults. It is the
// default where a configuration names none.
type Recommendation struct {
	Learner  string       // its name; empty for the default of all protocols
	Pure     dp.Mechanism // with delta = 0
	Gaussian dp.Mechanism // with a delta
}

// Recommended parameters belong to a protocol with which something else did best than with most.
type Recommended interface {
	// Recommend returns what did best, given what did best with most protocols.
	Recommend(most Recommendation) Recommendation
}

// Recommend returns what did best with the protocol.
func Recommend(p Params) Recommendation {
	r := Recommendation{Pure: dp.EachLaplace, Gaussian: dp.EachGaussian}
	if !Suits(p, r.Pure) {
		r.Pure, r.Gaussian = dp.Kary, dp.BLT
	}
	if !TraitsOf(p).Sites {
		r.Learner = "imed"
	}
	if s, ok := p.(Recommended); ok {
		r = s.Recommend(r)
	}
	return r
}

// A Net is a network that the parameters of a protocol have to suit.
type Net struct {
	Peers       int    // 0 if it is not known
	LeastDegree int    // neighbours of the peer that has fewest; 0 if it is not known
	Horizon     uint64 // rounds
}

// Checked parameters can contradict each other, or not suit a network.
type Checked interface {
	// Check returns a field, as in a key, and the wanted value; empty if all parameters are valid.
	Check(n Net) (field, want string)
}

// Check returns the error of [Checked] parameters; empty for others.
func Check(p Params, n Net) (field, want string) {
	if c, ok := p.(Checked); ok {
		return c.Check(n)
	}
	return "", ""
}

// Fitted parameters have defaults that depend on the noise.
type Fitted interface{ Fit(epsilon float64) Params }

// Fit returns parameters with their defaults set for a noise: epsilon is 1/b for a draw with the
// deviation of Laplace noise of scale b on a reward, +Inf for no noise.
func Fit(p Params, epsilon float64) Params {
	if f, ok := p.(Fitted); ok {
		return f.Fit(epsilon)
	}
	return p
}

// Growing parameters have batches that grow.
type Growing interface {
	// Batches returns parameters with the first batch of some records, at least 1, and each later one as large as all before it.
	Batches(first uint64) Params
}

// Shrinking parameters can be reduced so that a few rounds exercise the whole protocol.
type Shrinking interface{ Small(leaf uint64) Params }

// Small returns such parameters, for audits and tests. Leaves have the given length, in rounds or
// decisions, if parameters set it.
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

// Learners returns the number of peers with arms among a number of peers.
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

// Origins returns the number of peers whose releases of one leaf are merged, among a number of
// peers with arms.
func Origins(p Params, learners int) int {
	if s, ok := p.(Sampling); ok {
		return s.Origins(learners)
	}
	return learners
}

// Promising parameters hold several promises, each against other peers.
type Promising interface {
	// Promises returns them in sentences, given what a peer is charged and the δ of its budget.
	Promises(c dp.Charge, delta float64) []string
}

// Resized parameters depend on the number of peers.
type Resized interface{ Among(peers int) Params }

// Among returns parameters for a network with fewer peers, the first of which has arms.
func Among(p Params, peers int) Params {
	if r, ok := p.(Resized); ok {
		return r.Among(peers)
	}
	return p
}

// New returns a peer's half of the protocol with parameters, if their tags allow them. It gives it a [Press].
func New(p Params, c Config) (Protocol, error) {
	keys := c.Keys.Get()
	if keys == nil {
		keys = unsigned{}
	}
	c.Press, c.Keys = Press{&press{keys, TraitsOf(p).Kinds}}, vouch.Value[Keys]{}
	if err := wanted.Error(p, p.Words().Name); err != nil {
		return nil, err
	}
	return p.New(c)
}
