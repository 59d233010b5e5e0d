package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// report reports what waits, and whether the peer has answered for all of it. One report is made at a time.
func (o *offline) report(ctx context.Context) bool {
	select {
	case o.reporting <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	defer func() { <-o.reporting }()
	for {
		asks := o.backlog.decisions(o.batch["decisions"])
		if len(asks) > 0 && !post(ctx, o, "decisions", asks, func(i int, d DecisionOutcome) bool { return o.decided(asks[i], d) }) {
			return false
		}
		ids, rewards := o.backlog.oldestRewards(o.batch["rewards"])
		if len(ids) > 0 && !post(ctx, o, "rewards", rewards, func(i int, r ReceiptOutcome) bool { return o.rewarded(ids[i], r) }) {
			return false
		}
		if len(asks)+len(ids) == 0 {
			return true
		}
	}
}

// post reports items, calls took with each outcome, and reports whether all are taken or refused.
func post[I, O any](ctx context.Context, o *offline, name string, items []I, took func(int, O) bool) bool {
	body, err := json.Marshal(map[string][]I{name: items})
	if err != nil {
		return false // cannot happen: all items are of a backlog, which is JSON
	}
	status, text, err := o.c.send(ctx, http.MethodPost, "/v1/"+name+"/batch", body)
	if err != nil || again(status) {
		return false
	}
	var answer struct {
		Outcomes []O `json:"outcomes"`
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden: // all of it; a person has to do something
		o.count(func(s *TableState) { s.Problem = problem(status, text).Error() })
		return false
	case status != http.StatusOK && len(items) > 1: // too large, or an item spoils it
		o.batch[name] = len(items) / 2
		return true
	case status != http.StatusOK:
		text = fmt.Appendf(nil, `{"outcomes":[{"status":%d,"problem":%s}]}`, status, text)
	default:
		o.batch[name] = mostItems
	}
	if err = json.Unmarshal(text, &answer); err != nil || len(answer.Outcomes) != len(items) {
		o.count(func(s *TableState) {
			s.Problem = fmt.Sprintf("POST /v1/%s/batch: the answer is no list of as many outcomes", name)
		})
		return false
	}
	all := true
	for i, one := range answer.Outcomes {
		all = took(i, one) && all
	}
	return all
}

// decided ends a decision that the peer has answered for, and reports whether it has.
func (o *offline) decided(ask Ask, got DecisionOutcome) bool {
	if again(int(got.Status)) || got.Decision == nil && !got.Problem.stands() || got.Decision != nil && got.Decision.ID != ask.ID {
		return false
	}
	o.backlog.mu.Lock()
	defer o.backlog.mu.Unlock()
	w := o.backlog.find(ask.ID)
	if d := got.Decision; d != nil {
		if w != nil && d.Source == Drawn && d.Action == w.Action && d.Propensity == w.Propensity {
			o.count(func(s *TableState) { s.Reported++ })
			return o.backlog.add("taken", ask.ID, false) == nil
		}
		got.Status, got.Problem = http.StatusConflict, &Problem{Detail: "the peer has made another decision"}
	}
	o.refused(ask.ID, got.Status, got.Problem)
	return o.backlog.add("dropped", refusal{ask.ID, got.Status}, false) == nil
}

// rewarded ends a reward that the peer has answered for, and reports whether it has.
func (o *offline) rewarded(id string, got ReceiptOutcome) bool {
	if again(int(got.Status)) || !got.Problem.stands() && (got.Receipt == nil || got.Receipt.ID != id) {
		return false
	}
	if got.Receipt != nil {
		o.count(func(s *TableState) { s.Rewarded++ })
	} else {
		o.refused(id, got.Status, got.Problem)
	}
	o.backlog.mu.Lock()
	defer o.backlog.mu.Unlock()
	return o.backlog.add("rewarded", id, false) == nil
}

func (p *Problem) stands() bool { return p != nil && p.Code != "" }

func (o *offline) refused(id string, status int64, p *Problem) {
	o.count(func(s *TableState) {
		if status == http.StatusGone {
			s.Expired++
		} else {
			s.Refused++
		}
		if p != nil {
			s.Problem = id + ": " + p.Detail
		}
	})
}
