package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"reflect"
	"slices"
	"time"
)

// Pauses between tries, the first and the longest. Each is twice the one before, less a random
// part of up to a half.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
)

const mostAnswer = 8 << 20 // bytes

// again reports whether another try may have another status.
func again(status int) bool {
	return status == http.StatusInternalServerError || status == http.StatusServiceUnavailable || status == http.StatusInsufficientStorage
}

// mistake reports whether a status is of a request that is wrong, whichever peer has it.
func mistake(status int64) bool { return slices.Contains([]int64{400, 409, 413, 415, 422}, status) }

// A tries counts the tries of a call.
type tries struct {
	end   time.Time
	pause time.Duration // before the next try; 0 before the first
}

// next waits until it is time for the next try, and reports whether there is one.
func (t *tries) next(ctx context.Context) bool {
	if t.pause == 0 {
		t.pause = firstPause
		return true
	}
	wait := t.pause/2 + rand.N(t.pause/2) //nolint:forbidigo // of a program that is not a peer
	t.pause = min(2*t.pause, longestPause)
	if time.Until(t.end) <= wait {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// within returns a context that ends with the call.
func (c *Client) within(ctx context.Context) (context.Context, context.CancelFunc, *tries) {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	end, _ := ctx.Deadline()
	return ctx, cancel, &tries{end: end}
}

// call sends a document, repeatedly if necessary, and reads the answer.
func (c *Client) call(ctx context.Context, method, path string, body, answer any, right func() bool) error {
	within, cancel, t := c.within(ctx)
	defer cancel()
	return c.try(within, ctx, t, method, path, body, answer, right)
}

// try is call with the remaining tries. ctx is within the caller's context, whose cancellation
// try reports; ctx also ends with the call.
func (c *Client) try(ctx, caller context.Context, t *tries, method, path string, body, answer any, right func() bool) error {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil { // for example because of a NaN
			return err
		}
	}
	err := fmt.Errorf("%w: no time to ask", ErrUnreachable)
	for first := true; t.next(ctx); first = false {
		status, text, failed := c.send(ctx, method, path, sent)
		switch {
		case errors.Is(failed, ErrToken):
			return failed
		case failed != nil && ctx.Err() != nil && !first: // the call ends: the try before says more
		case failed != nil:
			err = fmt.Errorf("%w: %s %s: %w", ErrUnreachable, method, path, failed)
			if op := new(net.OpError); errors.As(failed, &op) && op.Op == "dial" {
				err = fmt.Errorf("%w: no peer runs at %v: %w", ErrUnreachable, op.Addr, failed)
			}
		case status != http.StatusOK:
			if err = problem(status, text); !again(status) {
				return err
			}
		default:
			reflect.ValueOf(answer).Elem().SetZero() // of an answer that was none
			if failed = json.Unmarshal(text, answer); failed == nil && (right == nil || right()) {
				return nil
			}
			failed = cmp.Or(failed, errors.New("the answer is about something else"))
			err = fmt.Errorf("%w: %s %s: %w", ErrUnreachable, method, path, failed)
		}
	}
	if errors.Is(caller.Err(), context.Canceled) {
		return fmt.Errorf("%s %s: %w", method, path, context.Cause(caller))
	}
	return err
}

// send is one try.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (status int, text []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.tokenFile != "" { // read each time, since the peer makes a new one if it is removed
		token, wrong := readToken(c.tokenFile)
		if wrong != nil {
			return 0, nil, wrong
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		c.transport.CloseIdleConnections() // the other connections are probably dead as well
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err = io.ReadAll(io.LimitReader(res.Body, mostAnswer+1))
	if err == nil && len(text) > mostAnswer {
		err = errors.New("the answer has over 8 MiB")
	}
	return res.StatusCode, text, err
}

// problem is the error of an answer, which is text if the HTTP server itself refused.
func problem(status int, text []byte) error {
	p := new(Problem)
	if json.Unmarshal(text, p) != nil || p.Code == "" {
		p = &Problem{Title: http.StatusText(status), Detail: string(text)}
	}
	p.Status = int64(status)
	return p
}

// batch sends items, and sends those again whose own status allows it. A failure of the first
// request is an error; later failures leave the outcomes unchanged.
func batch[I, D, O any](
	ctx context.Context, c *Client, path string, items []I,
	pack func([]I) any, unpack func(*D) []O, status func(O) int64, right func(O, I) bool,
) ([]O, error) {
	results, todo := make([]O, len(items)), make([]int, len(items))
	for i := range todo {
		todo[i] = i
	}
	within, cancel, t := c.within(ctx)
	defer cancel()
	for begin := true; len(todo) > 0; begin = false {
		if !begin && !t.next(within) {
			break
		}
		part := make([]I, len(todo))
		for k, i := range todo {
			part[k] = items[i]
		}
		var doc D
		err := c.try(within, ctx, &tries{end: t.end}, http.MethodPost, path, pack(part), &doc, func() bool {
			all := unpack(&doc)
			for k := range all {
				if k >= len(part) || !right(all[k], part[k]) {
					return false
				}
			}
			return len(all) == len(part)
		})
		if err != nil {
			if begin {
				return nil, err
			}
			break
		}
		var left []int
		for k, o := range unpack(&doc) {
			results[todo[k]] = o
			if again(int(status(o))) {
				left = append(left, todo[k])
			}
		}
		if todo = left; begin {
			t.pause = firstPause
		}
	}
	return results, nil
}

// apart returns the outcomes of items that have one without a request, and the places of the others.
func apart[I, O any](items []I, early func(i int) (O, bool)) (outcomes []O, todo []int) {
	outcomes = make([]O, len(items))
	for i := range items {
		var ok bool
		if outcomes[i], ok = early(i); !ok {
			todo = append(todo, i)
		}
	}
	return outcomes, todo
}

func pick[I any](items []I, places []int) (picked []I) {
	for _, i := range places {
		picked = append(picked, items[i])
	}
	return picked
}

// fill fills in what a batch has sent. An item without a final answer gets the outcome of last, if there is one. An error of the
// whole batch stands for all items, unless one of them has an outcome: then it is the problem of the others.
func fill[O any](ctx context.Context, outcomes []O, todo []int, sent []O, err error, last func(i int, o O) (O, bool), problem func(*Problem) O) ([]O, error) {
	if err != nil && !unanswered(ctx, err) && len(todo) == len(outcomes) {
		return nil, err
	}
	p := &Problem{Title: http.StatusText(http.StatusServiceUnavailable), Status: http.StatusServiceUnavailable, Code: "unavailable"}
	if err != nil && !errors.As(err, &p) {
		p.Detail = err.Error()
	}
	some := len(todo) < len(outcomes)
	for n, i := range todo {
		var got O
		if err == nil {
			got = sent[n]
		}
		if err != nil && !unanswered(ctx, err) {
			outcomes[i] = problem(p)
		} else if o, ok := last(i, got); ok {
			outcomes[i], some = o, true
		} else if err == nil {
			outcomes[i] = got
		} else {
			outcomes[i] = problem(p)
		}
	}
	if err != nil && !some {
		return nil, err
	}
	return outcomes, nil
}
