package api

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// fake is a backend that keeps everything in memory.
type fake struct {
	mu      sync.Mutex
	calls   int // of Decide and Reward
	decided map[string]decision.Decision
	rewards map[string]bandit.Reward
	expired map[string]bool
	refusal error     // returned by every method
	panics  any       // thrown by every method
	until   time.Time // when learning ends; zero for unknown
	alone   string
	inside  *Inside // nil for a peer that gives all decisions
	ready   error
	shape   decision.Shape
	asked   []decision.Ask
	actions []string
	choice  string
	chance  float64 // propensity of the choice
	records int
	broken  int // record that cannot be read; 0 for none
	entered chan struct{}
	leave   chan struct{} // blocks Decide until closed; nil does not block
}

var _ Backend = (*fake)(nil)

func newFake() *fake {
	return &fake{
		decided: make(map[string]decision.Decision), rewards: make(map[string]bandit.Reward), expired: make(map[string]bool),
		actions: []string{"red", "green", "blue"},
		records: 25, choice: "red", chance: .5,
	}
}

func (f *fake) state() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprintf("%d decisions, %d rewards", len(f.decided), len(f.rewards))
}

func (f *fake) Decide(_ context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision] {
	if f.leave != nil {
		f.entered <- struct{}{}
		<-f.leave
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	f.asked = asks
	if f.panics != nil {
		panic(f.panics)
	}
	return outcomes(asks, func(a decision.Ask) (decision.Decision, error) {
		if f.refusal != nil {
			return decision.Decision{}, f.refusal
		}
		for i, x := range a.Exclude {
			if !slices.Contains([]string{"red", "green", "blue"}, x) {
				return decision.Decision{}, &decision.Refusal{Code: decision.Invalid, Field: fmt.Sprintf("exclude[%d]", i), Reason: "no such action"}
			}
		}
		if a.ID == "" {
			a.ID = "made-" + strconv.Itoa(len(f.decided))
		}
		d, ok := f.decided[a.ID]
		if d.Repeated = ok; !ok {
			d = decision.Decision{
				ID: a.ID, Action: f.choice, Propensity: f.chance, Source: decision.Learned, Model: "1-2-3", Counted: true, Kept: a.Keep,
				ExpiresAt: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
			}
			f.decided[a.ID] = d
		}
		return d, nil
	})
}

func (f *fake) Reward(_ context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt] {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.panics != nil {
		deep(f, reports[0].Value)
	}
	return outcomes(reports, func(r decision.Report) (decision.Receipt, error) {
		old, again := f.rewards[r.ID]
		_, known := f.decided[r.ID]
		refuse := func(c decision.Code, why string) (decision.Receipt, error) {
			return decision.Receipt{}, &decision.Refusal{Code: c, Field: "id", Reason: why}
		}
		switch {
		case f.refusal != nil:
			return decision.Receipt{}, f.refusal
		case f.expired[r.ID]:
			return refuse(decision.Expired, "its time is over")
		case !known:
			return refuse(decision.Unknown, "no such decision")
		case again && old != r.Value:
			return decision.Receipt{}, &decision.Refusal{Code: decision.Conflict, Field: "value", Reason: "is not what was reported before"}
		}
		f.rewards[r.ID] = r.Value
		return decision.Receipt{ID: r.ID, Duplicate: again, Counted: true}, nil
	})
}

// deep panics with a reward among its arguments.
//
//go:noinline
func deep(f *fake, v bandit.Reward) {
	if p, ok := f.panics.(func(bandit.Reward)); ok {
		p(v)
	}
	panic(f.panics)
}

func outcomes[Q, A any](all []Q, one func(Q) (A, error)) []decision.Outcome[A] {
	var out []decision.Outcome[A]
	for _, q := range all {
		a, err := one(q)
		out = append(out, decision.Outcome[A]{Value: a, Err: err})
	}
	return out
}

func (f *fake) Actions() []string { return f.actions }

func (f *fake) Features() decision.Shape { return f.shape }

func (*fake) Range() (least, most float64) { return 0, 1 }

func (f *fake) Status(context.Context) (Status, error) {
	if f.panics != nil {
		panic(f.panics)
	}
	return Status{ID: "12D3", Name: "hospital-a", Round: 7, Spent: .25, Left: .75, Pending: 3, LedgerRecords: uint64(f.records), Pulls: []uint64{4}, Means: []float64{.123456789}, Learning: stateLearning, AloneReason: f.alone, Until: f.until, ClockAhead: new(float64), Stopped: []Stopped{{Peer: 3, Name: "d", Share: .25, Rewards: 4}}}, f.refusal
}

func (f *fake) Arms(context.Context) ([]Arm, error) {
	return []Arm{{Name: "red", Pulls: 4, Estimate: .987654321, Samples: .1}}, f.refusal
}

func (f *fake) Peers(context.Context) ([]Peer, error) {
	return []Peer{
		{Peer: 1, Name: "b", Neighbour: true, State: "up", FramesIn: 5, FramesOut: 6, RTT: "12ms"},
		{Peer: 2, Name: "c", Neighbour: true, State: "down", FramesIn: 1},
		{Peer: 3, Name: "d"},
	}, f.refusal
}

func (f *fake) Ledger(_ context.Context, from, limit uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f.mu.Lock()
		refusal, records, broken := f.refusal, uint64(f.records), uint64(f.broken)
		f.mu.Unlock()
		if refusal != nil {
			yield(nil, refusal)
			return
		}
		for i := from; i < records && limit > 0; i, limit = i+1, limit-1 {
			if broken > 0 && i == broken {
				yield(nil, fmt.Errorf("record %d is broken", i))
				return
			}
			if !yield(fmt.Appendf(nil, `{"seq":%d}`, i), nil) {
				return
			}
		}
	}
}

// views are what extras add.
func (f *fake) views() []View {
	return []View{{Path: "/v1/table", Get: func(context.Context) (any, error) {
		return tableBody{Version: "v", Model: "1-2-3", Salt: "s", Actions: []weightBody{{"red", 3}, {"green", 0}}, MadeAt: time.UnixMilli(1e12).UTC()}, f.refusal
	}}, {Path: "/v1/receipts", Local: true, Get: func(context.Context) (any, error) {
		return LedgerReceipts{Receipts: []LedgerReceipt{{Kind: "receipt", Witness: "12D3", Records: 27}}, Checkpoints: []LedgerCheckpoint{}}, f.refusal
	}}}
}

func (f *fake) Backup(_ context.Context, to io.Writer) error {
	if f.refusal == nil {
		_, _ = io.WriteString(to, "key")
	}
	return f.refusal
}

func (f *fake) Inside(context.Context) (d Inside, err error) {
	if f.inside == nil {
		return d, ErrGivesAll
	}
	return *f.inside, f.refusal
}

func (f *fake) Ready(context.Context) error { return f.ready }

func (f *fake) Privacy(context.Context) (Privacy, error) {
	return Privacy{Private: true, Epsilon: 1, Compared: "histories", Public: []string{"rounds"}, NotCovered: []string{"all else"}, Heading: "What a promises", Sections: []Section{{Title: "The promise", Blocks: []Block{{Text: "little"}}}}}, f.refusal
}

func (f *fake) Network(context.Context) (Network, error) {
	return Network{Name: "n", Actions: f.actions, Places: []Place{{Name: "a", ID: "12D3"}}, Links: [][]uint32{}}, f.refusal
}
