package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// report summarizes all visits.
type report struct {
	Decisions  int            `json:"decisions"`
	Rewards    int            `json:"rewards"`
	Refused    int            `json:"refused"`
	Lost       int            `json:"lost"`
	Longest    float64        `json:"longest_answer_seconds"`
	Learned    float64        `json:"first_learned_seconds"` // from the first reward to the learner's first choice from releases
	Pause      int64          `json:"longest_pause_rounds"`  // rounds of the clock that the peer had not ended when it answered
	Unlinked   float64        `json:"longest_unlinked_seconds"`
	Rounds     int            `json:"rounds"`         // with at least ten decisions of the learner
	OfOne      int            `json:"rounds_of_one"`  // with only one action among these decisions
	LongestOne int            `json:"longest_of_one"` // consecutive
	Actions    map[string]int `json:"actions"`
}

type tally struct {
	o *options
	sync.Mutex
	rng      *rand.Rand
	r        report
	first    time.Time // reward
	rounds   map[int64]map[string]int
	detailed int
}

// visit is one decision and its reward.
func (t *tally) visit(p *peer, id string) {
	var d struct {
		Action string `json:"action"`
		Source string `json:"source"`
		Model  string `json:"model"`
	}
	began := time.Now()
	refused, lost := p.ask("/v1/decisions", map[string]any{"id": id, "subject": id}, &d)
	if !t.count(refused, lost) {
		return
	}
	t.decided(began, d.Action, d.Source, d.Model)
	late, coin := t.chance()
	time.Sleep(time.Duration(late * float64(t.o.delay)))
	value := 0
	if coin < t.o.pays[d.Action] {
		value = 1
	}
	var r struct{}
	refused, lost = p.ask("/v1/rewards", map[string]any{"id": id, "value": value}, &r)
	if !t.count(refused, lost) {
		return
	}
	t.Lock()
	defer t.Unlock()
	t.r.Rewards++
	if t.first.IsZero() {
		t.first = time.Now()
	}
}

// chance returns two random numbers.
func (t *tally) chance() (float64, float64) {
	t.Lock()
	defer t.Unlock()
	return t.rng.Float64(), t.rng.Float64()
}

// count counts a request that failed, and shows the first few.
func (t *tally) count(refused, lost error) bool {
	t.Lock()
	defer t.Unlock()
	if refused != nil {
		t.r.Refused++
	}
	if lost != nil {
		t.r.Lost++
	}
	if refused == nil && lost == nil {
		return true
	}
	if t.detailed++; t.detailed <= 5 {
		fmt.Fprintln(os.Stderr, "visitors:", t.o.name, refused, lost)
	}
	return false
}

func (t *tally) decided(began time.Time, action, source, model string) {
	now := time.Now()
	var incarnation, round, released int64
	if _, err := fmt.Sscanf(model, "%d-%d-%d", &incarnation, &round, &released); err != nil {
		fmt.Fprintln(os.Stderr, "visitors: model", model, err)
	}
	t.Lock()
	defer t.Unlock()
	t.r.Decisions++
	if t.r.Actions == nil {
		t.r.Actions = make(map[string]int)
	}
	t.r.Actions[action]++
	t.r.Longest = max(t.r.Longest, now.Sub(began).Seconds())
	clock := int64(now.Sub(t.o.start) / t.o.every)
	if round > 0 { // it has learned before
		t.r.Pause = max(t.r.Pause, clock-round)
	}
	if source != "learned" {
		return
	}
	if t.r.Learned == 0 && !t.first.IsZero() {
		t.r.Learned = now.Sub(t.first).Seconds()
	}
	if t.rounds[clock] == nil {
		t.rounds[clock] = make(map[string]int)
	}
	t.rounds[clock][action]++
}

// watch measures for how long no neighbour is linked.
func (t *tally) watch(ctx context.Context, p *peer) {
	seen := time.Now()
	for ctx.Err() == nil {
		time.Sleep(200 * time.Millisecond)
		neighbours, up, err := p.linked()
		if err == nil && (neighbours == 0 || up > 0) {
			t.Lock()
			t.r.Unlinked = max(t.r.Unlinked, time.Since(seen).Seconds())
			t.Unlock()
			seen = time.Now()
		}
	}
}

func (t *tally) report() *report {
	t.Lock()
	defer t.Unlock()
	run, last := 0, int64(-2)
	for clock := range int64(time.Since(t.o.start)/t.o.every) + 1 {
		n := 0
		for _, k := range t.rounds[clock] {
			n += k
		}
		if n < 10 {
			continue
		}
		t.r.Rounds++
		if len(t.rounds[clock]) > 1 {
			run = 0
			continue
		}
		t.r.OfOne++
		if last != clock-1 {
			run = 0
		}
		run, last = run+1, clock
		t.r.LongestOne = max(t.r.LongestOne, run)
	}
	return &t.r
}
