package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"peerd.dev/node/api/client"
)

// A Peer takes decisions and rewards, as [client.Client] does.
type Peer interface {
	DecideBatch(ctx context.Context, asks []client.Ask) ([]client.DecisionOutcome, error)
	RewardBatch(ctx context.Context, rewards []client.Reward) ([]client.ReceiptOutcome, error)
}

// A Replay reports a log to a peer.
type Replay struct {
	File    string   // its name, of which ids are made
	Actions []string // names of the network's, by the log's places
	Rate    float64  // decisions a second
	After   int      // line up to which nothing is reported
	Report  string   // id of the report of each reward, where rewards add up; else ""
	Peer    Peer
	Tell    func(Done) // called after every batch
}

// Done counts what was reported.
type Done struct {
	Line      int    `json:"line"`      // of the last decision that was
	Decisions uint64 `json:"decisions"` // the peer took
	Repeated  uint64 `json:"repeated"`  // of them, those that it had from an earlier import
	Rewards   uint64 `json:"rewards"`
	Expired   uint64 `json:"expired"` // rewards of repeated decisions whose windows are over
}

const batch = 100 // decisions of a request

// Run reports records until there are no more, one is refused, or ctx ends.
func (r *Replay) Run(ctx context.Context, log iter.Seq2[Record, error]) (done Done, err error) {
	var wait []Record
	next := time.Now()
	send := func() error {
		if len(wait) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(next)):
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		next = time.Now().Add(time.Duration(float64(len(wait)) / r.Rate * float64(time.Second)))
		err := r.send(ctx, wait, &done)
		wait = wait[:0]
		r.Tell(done)
		return err
	}
	for record, err := range log {
		if err != nil {
			return done, errors.Join(send(), err)
		}
		if record.Line <= r.After {
			continue
		}
		if record.Action >= len(r.Actions) {
			return done, errors.Join(send(), wrong(record.Line, "the log's action number %d (from 0) has no name: there are %s; --actions names them in the log's order", record.Action, strings.Join(r.Actions, ", ")))
		}
		if wait = append(wait, record); len(wait) == batch {
			if err := send(); err != nil {
				return done, err
			}
		}
	}
	return done, send()
}

// send reports some decisions, then their rewards.
func (r *Replay) send(ctx context.Context, all []Record, done *Done) error {
	asks, rewards := make([]client.Ask, len(all)), make([]client.Reward, len(all))
	for i := range all {
		id := all[i].ID(r.File)
		asks[i] = client.Ask{ID: id, Taken: &client.Taken{Action: r.Actions[all[i].Action], Propensity: all[i].Propensity}}
		rewards[i] = client.Reward{ID: id, Value: all[i].Reward, Report: r.Report}
	}
	decided, err := r.Peer.DecideBatch(ctx, asks)
	if err != nil {
		return err
	}
	repeated := make([]bool, len(all))
	for i, o := range decided {
		if o.Decision == nil {
			return refused(all[i].Line, o.Problem)
		}
		if repeated[i] = o.Decision.Repeated; repeated[i] {
			done.Repeated++
		}
		done.Decisions++
	}
	paid, err := r.Peer.RewardBatch(ctx, rewards)
	if err != nil {
		return err
	}
	for i, o := range paid {
		switch {
		case o.Receipt != nil:
			done.Rewards++
		case o.Problem != nil && errors.Is(o.Problem, client.ErrExpired) && repeated[i]:
			done.Expired++
		default:
			return refused(all[i].Line, o.Problem)
		}
		done.Line = all[i].Line
	}
	return nil
}

// refused returns why a line was not taken.
func refused(line int, p *client.Problem) error {
	switch {
	case p == nil:
		return wrong(line, "the peer did not say what became of it: run the same command again")
	case slices.ContainsFunc(p.Errors, func(f client.Flaw) bool { return strings.Contains(f.Location, "taken") }) || strings.Contains(p.Detail, "taken"):
		return fmt.Errorf("%w; a log is taken in shadow mode: set api.shadow, to propose or learn, at this site, and start the peer again", wrong(line, "%s", p.Error()))
	case slices.ContainsFunc(p.Errors, func(f client.Flaw) bool { return strings.HasSuffix(f.Location, "features") }):
		return fmt.Errorf("%w; the log's features are not read, so a log can be imported for a learner without features alone", wrong(line, "%s", p.Error()))
	}
	return wrong(line, "%s", p.Error())
}
