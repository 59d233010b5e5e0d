// Package client asks a peer for decisions and reports their rewards.
//
//	peer, err := client.New(client.Options{Dir: "hospital-a"}) // or URL and TokenFile
//	d, err := peer.DecideOr(ctx, client.Ask{Subject: "patient-17"}, "usual-care")
//	…
//	if d.ID != "" {
//		_, err = peer.Reward(ctx, d.ID, 1)
//	}
//
// A request that gets no answer, or status 500, 503 or 507, is sent again with the same id until
// the deadline, and counts once however often it was sent. With [Options].Table the client decides by
// the peer's newest table while the peer is down, and reports what was decided and its rewards when the
// peer answers again. The package imports only the standard
// library. docs/api.md describes the API. The folders python and node have packages for these
// languages that do the same.
package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Errors of a method without an answer. For the first three, which a peer answered, [Problem] has
// more detail.
var (
	ErrUnknown     = errors.New("the peer has no such decision")                  // 404
	ErrConflict    = errors.New("decided or rewarded otherwise before")           // 409; that stands
	ErrExpired     = errors.New("the time for this reward is over")               // 410
	ErrUnreachable = errors.New("no answer; the peer may have taken the request") // before the deadline
	ErrToken       = errors.New("no token")                                       // in the token file, so nothing was sent
)

// Fallback is the Source of a decision that no peer made. It has no id, and no reward to report.
const Fallback = "client-fallback"

// The defaults of [Options].
const (
	DefaultTimeout  = 2 * time.Second
	DefaultDeadline = 5 * time.Second

	DefaultTableEvery = time.Minute
	DefaultQueue      = 10_000
)

// Options say which peer a [Client] asks, and how long it waits.
type Options struct {
	Dir       string // the peer's folder: over its socket, without a token
	URL       string // otherwise the peer's URL, such as http://127.0.0.1:8470; empty for the environment's PEERD_URL, or that
	TokenFile string // such as hospital-a/api.write.token; empty for the environment's PEERD_TOKEN_FILE, or no token

	Timeout  time.Duration // of one try; 0 for [DefaultTimeout]
	Deadline time.Duration // of a call with all its tries, unless the context's deadline is earlier; 0 for [DefaultDeadline]

	// With Table the client asks for the peer's newest table again and again, until it is closed. When no answer comes
	// by the deadline, it decides by the table, and keeps these decisions and rewards to report them later.
	Table      bool
	TableFile  string        // keeps them and the table, too; a second client of it is refused (on Unix). Implies Table
	TableEvery time.Duration // between two tables; 0 for [DefaultTableEvery]
	Queue      int           // how many decisions, and as many rewards, are kept; 0 for [DefaultQueue]
}

// A Client asks one peer. It is safe for concurrent use.
type Client struct {
	base      string
	tokenFile string
	timeout   time.Duration
	deadline  time.Duration
	http      *http.Client
	transport *http.Transport
	offline   *offline // nil without a table
}

// New returns a client. It does not ask the peer for anything, except for tables.
func New(o Options) (*Client, error) {
	c, err := newClient(o)
	if err != nil || !o.Table && o.TableFile == "" {
		return c, err
	}
	every, bound := cmp.Or(o.TableEvery, DefaultTableEvery), cmp.Or(o.Queue, DefaultQueue)
	if c.offline, err = newOffline(c, o.TableFile, every, bound); err != nil {
		return nil, err
	}
	return c, nil
}

func newClient(o Options) (*Client, error) {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	c := &Client{timeout: o.Timeout, deadline: o.Deadline, transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	c.http = &http.Client{Transport: c.transport}
	if o.Dir != "" {
		socket := filepath.Join(o.Dir, "peerd.sock")
		c.base = "http://peer"
		c.transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		}
		return c, nil
	}
	c.base = first(o.URL, os.Getenv("PEERD_URL"), "http://127.0.0.1:8470")
	c.tokenFile = first(o.TokenFile, os.Getenv("PEERD_TOKEN_FILE"))
	if u, err := url.Parse(c.base); err != nil || u.Scheme != "http" || u.Host == "" || u.Path != "" {
		return nil, fmt.Errorf("%q is no URL such as http://127.0.0.1:8470", c.base)
	}
	return c, nil
}

func first(of ...string) string {
	i := slices.IndexFunc(of, func(s string) bool { return s != "" })
	if i < 0 {
		return ""
	}
	return of[i]
}

// Close reports what waits for the peer, until the deadline, and returns what is left; a file still has it. It closes idle
// connections. The client then decides by no table any more.
func (c *Client) Close() []Waiting {
	var left []Waiting
	if c.offline != nil {
		left = c.offline.close(c.deadline)
	}
	c.transport.CloseIdleConnections()
	return left
}

// Decide chooses an action. An ask without an id gets one before the first try. The error is a [*Problem] if the peer
// refused, and otherwise wraps [ErrUnreachable], or the cause if ctx was cancelled. When the peer does not answer by the
// deadline, the decision is drawn from the table, if there is one.
func (c *Client) Decide(ctx context.Context, ask Ask) (d Decision, err error) {
	ask = named(ask)
	if drawn, ok := c.offline.early(ask); ok {
		return drawn, nil
	}
	if err = c.call(ctx, http.MethodPost, "/v1/decisions", ask, &d, func() bool { return d.answers(ask) }); err == nil {
		c.offline.asked(d.ID)
		return d, nil
	}
	if unanswered(ctx, err) {
		if drawn, ok := c.offline.instead(ask); ok {
			return drawn, nil
		}
	}
	return Decision{}, err
}

// unanswered reports whether a peer that answers may have had another answer than this error.
func unanswered(caller context.Context, err error) bool {
	p := new(Problem)
	if errors.As(err, &p) {
		return again(int(p.Status))
	}
	return (errors.Is(err, ErrUnreachable) || errors.Is(err, ErrToken)) && !errors.Is(caller.Err(), context.Canceled)
}

// answers reports whether a decision is one for an ask.
func (d *Decision) answers(ask Ask) bool {
	return d != nil && d.ID == ask.ID && d.Action != "" && !slices.Contains(ask.Exclude, d.Action) &&
		(ask.Actions == nil || slices.ContainsFunc(ask.Actions, func(a Action) bool { return a.ID == d.Action }))
}

// DecideOr is Decide with an action for the case that the peer does not answer by the deadline and nothing is drawn:
// then it returns a decision with source [Fallback] and no id. A refusal of the request itself, a bug in the program,
// is still an error, and so is a cancelled ctx.
func (c *Client) DecideOr(ctx context.Context, ask Ask, fallback string) (Decision, error) {
	if slices.Contains(ask.Exclude, fallback) {
		return Decision{}, fmt.Errorf("the fallback %q is excluded", fallback)
	}
	d, err := c.Decide(ctx, ask)
	p := new(Problem)
	if err == nil || errors.Is(ctx.Err(), context.Canceled) || errors.As(err, &p) && mistake(p.Status) {
		return d, err
	}
	return Decision{Action: fallback, Propensity: 1, Source: Fallback}, nil
}

// Reward reports the reward of a decision, in the network's range: from 0 to 1, unless it has another one. It returns errors as
// Decide does.
func (c *Client) Reward(ctx context.Context, id string, value float64) (Receipt, error) {
	return c.Report(ctx, Reward{ID: id, Value: value})
}

// Report is Reward with all that a report can have: an id of its own, where rewards add up, and the end of the window.
func (c *Client) Report(ctx context.Context, report Reward) (Receipt, error) {
	return c.report(ctx, report.ID, report)
}

// End ends the window of a decision without a value: later reports are refused.
func (c *Client) End(ctx context.Context, id string) (Receipt, error) {
	return c.report(ctx, id, map[string]any{"id": id, "end": true})
}

func (c *Client) report(ctx context.Context, id string, body any) (r Receipt, err error) {
	if id == "" {
		return r, errors.New("a decision without an id, such as a fallback, has no reward")
	}
	if receipt, ok, wrong := c.offline.kept(id, body); ok || wrong != nil {
		return receipt, wrong
	}
	err = c.call(ctx, http.MethodPost, "/v1/rewards", body, &r, func() bool { return r.ID == id })
	if err != nil && unanswered(ctx, err) {
		if receipt, ok := c.offline.later(id, body); ok {
			return receipt, nil
		}
	}
	return r, err
}

// DecideBatch chooses actions for 1 to 1,000 asks. Outcomes are in the order of the asks; each
// has a decision or the problem of the last try.
func (c *Client) DecideBatch(ctx context.Context, asks []Ask) ([]DecisionOutcome, error) {
	all := make([]Ask, len(asks))
	for i, ask := range asks {
		all[i] = named(ask)
	}
	outcomes, todo := apart(all, func(i int) (DecisionOutcome, bool) { return drawnOutcome(c.offline.early(all[i])) })
	sent, err := batch(ctx, c, "/v1/decisions/batch", pick(all, todo),
		func(part []Ask) any { return AskBatch{Decisions: part} },
		func(d *DecisionBatch) []DecisionOutcome { return d.Outcomes },
		func(o DecisionOutcome) int64 { return o.Status },
		func(o DecisionOutcome, a Ask) bool {
			return o.Decision == nil && o.Problem.stands() || o.Decision.answers(a)
		})
	return fill(ctx, outcomes, todo, sent, err, func(i int, o DecisionOutcome) (DecisionOutcome, bool) {
		if o.Decision != nil {
			c.offline.asked(o.Decision.ID)
			return o, true
		}
		if o.Status != 0 && !again(int(o.Status)) {
			return o, true
		}
		return drawnOutcome(c.offline.instead(all[i]))
	}, func(p *Problem) DecisionOutcome { return DecisionOutcome{Status: p.Status, Problem: p} })
}

func drawnOutcome(d Decision, ok bool) (DecisionOutcome, bool) {
	return DecisionOutcome{Status: http.StatusOK, Decision: &d}, ok
}

// RewardBatch reports 1 to 1,000 rewards, as DecideBatch asks.
func (c *Client) RewardBatch(ctx context.Context, rewards []Reward) ([]ReceiptOutcome, error) {
	outcomes, todo := apart(rewards, func(i int) (ReceiptOutcome, bool) {
		r, ok, err := c.offline.kept(rewards[i].ID, rewards[i])
		p := new(Problem)
		if errors.As(err, &p) {
			return ReceiptOutcome{Status: p.Status, Problem: p}, true
		}
		return ReceiptOutcome{Status: http.StatusOK, Receipt: &r}, ok
	})
	sent, err := batch(ctx, c, "/v1/rewards/batch", pick(rewards, todo),
		func(part []Reward) any { return RewardBatch{Rewards: part} },
		func(d *ReceiptBatch) []ReceiptOutcome { return d.Outcomes },
		func(o ReceiptOutcome) int64 { return o.Status },
		func(o ReceiptOutcome, r Reward) bool {
			return o.Problem.stands() || o.Receipt != nil && o.Receipt.ID == r.ID
		})
	return fill(ctx, outcomes, todo, sent, err, func(i int, o ReceiptOutcome) (ReceiptOutcome, bool) {
		if o.Receipt != nil || o.Status != 0 && !again(int(o.Status)) {
			return o, true
		}
		r, ok := c.offline.later(rewards[i].ID, rewards[i])
		return ReceiptOutcome{Status: http.StatusOK, Receipt: &r}, ok
	}, func(p *Problem) ReceiptOutcome { return ReceiptOutcome{Status: p.Status, Problem: p} })
}

// Status returns the state of the peer.
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/status", nil, &s, nil)
	return s, err
}

// Arms returns what is known about every action.
func (c *Client) Arms(ctx context.Context) (all []Arm, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/arms", nil, &all, nil)
	return all, err
}

// Peers returns the links to the other peers.
func (c *Client) Peers(ctx context.Context) (all []Peer, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/peers", nil, &all, nil)
	return all, err
}

// named returns an ask with an id.
func named(ask Ask) Ask {
	if ask.ID == "" {
		ask.ID = rand.Text()
	}
	return ask
}

// Error implements error.
func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// Is reports whether the problem is one of [ErrUnknown], [ErrConflict] and [ErrExpired].
func (p *Problem) Is(target error) bool {
	switch target {
	case ErrUnknown:
		return p.Code == "unknown"
	case ErrConflict:
		return p.Code == "conflict"
	case ErrExpired:
		return p.Code == "expired"
	}
	return false
}
