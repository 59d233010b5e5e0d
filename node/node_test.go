package node_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// generous always pays.
type generous struct{}

func (generous) Play(bandit.Arm) (bandit.Reward, error) { return 1, nil }

// wire remembers what it was given and delivers nothing.
type wire struct {
	sent  []protocol.Envelope
	inbox chan protocol.Delivery
}

func (w *wire) Send(_ context.Context, es []protocol.Envelope) error {
	w.sent = append(w.sent, es...)
	return nil
}

func (w *wire) Inbox() <-chan protocol.Delivery { return w.inbox }

// account fails when told to.
type account struct {
	err     error
	charges []dp.Charge
	sent    *wire
	before  int // messages sent before the first charge was durable
}

func (a *account) Append(cs ...dp.Charge) error {
	a.before = len(a.sent.sent)
	a.charges = append(a.charges, cs...)
	return a.err
}

func spec(horizon uint64) node.Spec {
	return node.Spec{
		Arms: 2, Peers: 2, Confidence: bandit.Calibrated, Protocol: "average",
		Params:  protocol.Params{Average: protocol.AverageParams{Consistency: protocol.Budget, Rate: .5, Patience: 4}},
		Privacy: node.Privacy{Mode: dp.Private, Epsilon: dp.Nano, RecordsPerUser: 1, Horizon: horizon},
	}
}

func agent(t *testing.T, s node.Spec) *node.Agent {
	t.Helper()
	a, err := s.Agent(node.Seat{
		Self: 0, Neighbours: []protocol.Peer{1}, Seed: node.FreshSeed(), Noise: dp.NewSecureSource(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func start(t *testing.T, a *node.Agent, rounds uint64, ledger *account) (*node.Node, *wire) {
	t.Helper()
	w := &wire{inbox: make(chan protocol.Delivery)}
	ledger.sent = w
	return node.New(node.Config{
		Agent: a, World: generous{}, Transport: w, Ledger: ledger, Neighbours: []protocol.Peer{1}, Rounds: rounds,
		Slots: &node.Slots{Start: time.Now().Add(time.Second), Every: time.Minute}, Logger: slog.New(slog.DiscardHandler),
	}), w
}

func TestNothingIsSentUnpaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		n, w := start(t, agent(t, spec(10)), 10, &account{err: full})
		if err := n.Run(t.Context()); !errors.Is(err, full) {
			t.Errorf("got %v, want %v", err, full)
		}
		if len(w.sent) != 0 {
			t.Errorf("sent %d messages that were not paid for", len(w.sent))
		}
	})
}

func TestTheHorizonIsChargedBeforeTheFirstRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute+30*time.Second)
		defer cancel()
		ledger := &account{}
		n, w := start(t, agent(t, spec(10)), 10, ledger)
		if err := n.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if len(ledger.charges) != 1 || ledger.charges[0].Cost != dp.Nano || ledger.before != 0 {
			t.Errorf("charges %v, the first after %d messages", ledger.charges, ledger.before)
		}
		if len(w.sent) < 6 {
			t.Errorf("%d messages in 6 rounds", len(w.sent))
		}
	})
}

func TestARoundIsASlotAndLateOnesAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		n, _ := start(t, agent(t, spec(100)), 100, &account{})
		done := make(chan error)
		time.Sleep(10*time.Minute + 30*time.Second) // the node comes late, in slot 10
		go func() { done <- n.Run(ctx) }()
		time.Sleep(2 * time.Minute)
		s, err := n.Status(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if s.Round != 13 || s.Skipped != 10 || s.Pulls[0]+s.Pulls[1] != 3 {
			t.Errorf("round %d, %d skipped, pulls %v; want round 13, 10 skipped, 3 pulls", s.Round, s.Skipped, s.Pulls)
		}
		if s.Spent != 1 || s.Left != 0 {
			t.Errorf("spent %v, left %v of ε = 1", s.Spent, s.Left)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("an end that was asked for is %v", err)
		}
	})
}

func TestNothingOwnIsReleasedPastTheHorizon(t *testing.T) {
	s := spec(3)
	a := agent(t, s)
	drawn := 0
	for round := range protocol.Round(10) {
		if _, err := a.Round(round, nil, generous{}); err != nil {
			t.Fatal(err)
		}
		drawn += len(a.Ready().Drawn)
	}
	if drawn > 2*3 { // each arm's stream has the horizon
		t.Errorf("%d releases of 2 streams with a horizon of 3", drawn)
	}
}
