package replay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
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
	Actions []string                     // names of the network's, by the log's places
	Rate    float64                      // decisions a second that the peer does not have yet
	Report  string                       // id of the report of each reward, where rewards add up; else ""
	Units   func(reward float64) float64 // a reward from 0 to 1 in the network's units
	Named   bool                         // each decision is of a user of its own, as the peer demands a subject
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
	var ids []string
	var past [sha256.Size]byte // of the texts of all decisions so far
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
		at, before := time.Now(), done
		err := r.send(ctx, wait, ids, &done)
		next = at.Add(time.Duration(float64(done.Decisions-done.Repeated-before.Decisions+before.Repeated) / r.Rate * float64(time.Second)))
		wait, ids = wait[:0], ids[:0]
		r.Tell(done)
		return err
	}
	for record, err := range log {
		if err != nil {
			return done, cmp.Or(send(), err)
		}
		if record.Action >= len(r.Actions) {
			return done, cmp.Or(send(), wrong(record.Line, "this is number %d of the log's actions, and there are names of %d; --actions names all in the log's order", record.Action+1, len(r.Actions)))
		}
		// Imported again, under whatever name, or grown a file has no decision twice; equal lines of other files are others.
		past = sha256.Sum256(append(past[:], record.Text...))
		ids = append(ids, "import-"+hex.EncodeToString(past[:16]))
		if wait = append(wait, record); len(wait) == batch {
			if err := send(); err != nil {
				return done, err
			}
		}
	}
	return done, send()
}

// send reports some decisions, then their rewards.
func (r *Replay) send(ctx context.Context, all []Record, ids []string, done *Done) error {
	asks, rewards := make([]client.Ask, len(all)), make([]client.Reward, len(all))
	for i, id := range ids {
		asks[i] = client.Ask{ID: id, Taken: &client.Taken{Action: r.Actions[all[i].Action], Propensity: all[i].Propensity}}
		if r.Named {
			asks[i].Subject = id
		}
		rewards[i] = client.Reward{ID: id, Value: r.Units(all[i].Reward), Report: r.Report}
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
	if p == nil {
		return wrong(line, "the peer did not say what became of it: run the same command again")
	}
	return wrong(line, "%s", p.Error())
}
