package audit_test

import (
	"strings"
	"sync"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/lab/audit"
	"peerd.dev/node/lab/learner"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// A memory is what a learner and a protocol of one program share.
type memory struct {
	sync.Mutex
	seen uint64 // the newest reward, in sixteenths
}

// hoarder is ucb, and remembers rewards that it describes.
type hoarder struct {
	learner.UCBParams
	*memory
}

func (p hoarder) New(c bandit.Config) (bandit.Learner, error) {
	l, err := p.UCBParams.New(c)
	return &hoarding{l, p.memory}, err
}

type hoarding struct {
	bandit.Learner
	*memory
}

func (l *hoarding) Update(p bandit.Pull, u []float64) []float64 {
	l.Lock()
	defer l.Unlock()
	l.seen = uint64(p.Reward * 16)
	return l.Learner.Update(p, u)
}

// revealer is rows, and reveals in some way what a memory holds.
type revealer struct {
	running.Params
	*memory
	how string
}

const revealed = protocol.FirstFree

func (p revealer) Traits() protocol.Traits {
	t := p.Params.Traits()
	kinds := map[protocol.Kind]string{revealed: "revealed"}
	for k, name := range t.Kinds {
		kinds[k] = name
	}
	t.Kinds = kinds
	return t
}

func (p revealer) Small(leaf uint64) protocol.Params {
	p.Params = p.Params.Small(leaf).(running.Params)
	return p
}

func (p revealer) New(c protocol.Config) (protocol.Protocol, error) {
	of, err := p.Params.New(c)
	return &revealing{of, p, c}, err
}

type revealing struct {
	protocol.Protocol
	revealer
	c protocol.Config
}

func (p *revealing) Tick(t protocol.Round, out *protocol.Outbox) error {
	p.Lock()
	defer p.Unlock()
	to := p.c.Neighbours()[0]
	message := func(seq uint64) protocol.Message {
		return p.c.Press.Message(protocol.Content{Kind: revealed, Label: protocol.Label{Origin: p.c.Self, Seq: seq}})
	}
	switch p.how {
	case "the number in a label":
		out.Send(to, message(p.seen))
	case "a message or none":
		if p.seen > 0 {
			out.Send(to, message(1))
		}
	case "which neighbour":
		out.Send(p.c.Neighbours()[min(p.seen, 1)], message(1))
	}
	return p.Protocol.Tick(t, out)
}

func (p *revealing) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	if m.Kind() == revealed {
		return nil
	}
	return p.Protocol.Receive(from, m, out)
}

// TestWhatAProgramSharesIsFound: a learner and a protocol of one program share memory, which no compiler prevents. The
// audit of agents finds a reward that the protocol reveals in any way, and says where.
func TestWhatAProgramSharesIsFound(t *testing.T) {
	for _, how := range []string{"nothing", "the number in a label", "a message or none", "which neighbour"} {
		t.Run(how, func(t *testing.T) {
			m := new(memory)
			err := audit.Agent(t.Context(), hoarder{memory: m}, revealer{running.Params{Every: 10, Pull: 25, Merge: rows.MergeMean, F: 1}, m, how})
			switch {
			case how == "nothing" && err != nil:
				t.Error(err)
			case how != "nothing" && (err == nil || !strings.Contains(err.Error(), "twin")):
				t.Errorf("%v, want a twin that differs", err)
			}
		})
	}
}

// counter is ucb that also counts its choices, and skips one in three.
type counter struct{ learner.UCBParams }

func (p counter) New(c bandit.Config) (bandit.Learner, error) {
	l, err := p.UCBParams.New(c)
	return &counting{Learner: l}, err
}

type counting struct {
	bandit.Learner
	choices byte
}

func (l *counting) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	l.choices++
	c := l.Learner.Choose(b, t)
	if l.choices%3 == 0 {
		c.Arm = 0
	}
	return c
}

func (l *counting) Save() []byte        { return []byte{l.choices} }
func (l *counting) Load(b []byte) error { l.choices = b[0]; return nil }

// TestCountedChoicesAreFound: with noised counts, a learner that chooses by the number of its choices shows how many
// users asked.
func TestCountedChoicesAreFound(t *testing.T) {
	err := audit.Agent(t.Context(), counter{}, running.Params{Every: 10, Pull: 25, Merge: rows.MergeMean, F: 1})
	if err == nil || !strings.Contains(err.Error(), dp.AddOrRemove.String()) || !strings.Contains(err.Error(), "asked: other arms were chosen") {
		t.Errorf("%v, want other choices with noised counts, if a user asked", err)
	}
}
