// Command visitors plays the application of one site: decisions by a clock over the peer's
// socket, and the reward of each up to a few seconds later, until it is interrupted. It repeats a
// request that is not answered, or answered with 503, with the same id, as docs/api.md says. At
// the end it prints the outcomes as JSON, and fails if an answer was a refusal, or a decision or
// a reward was never acknowledged.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "folder of the peer")
	flag.StringVar(&o.name, "name", "", "beginning of the ids")
	flag.Float64Var(&o.rate, "rate", 20, "decisions a second")
	flag.DurationVar(&o.delay, "delay", 5*time.Second, "greatest time from a decision to its reward")
	flag.DurationVar(&o.patience, "patience", 30*time.Second, "for how long a request is repeated")
	start := flag.String("start", "", "time of round 0, RFC 3339")
	flag.DurationVar(&o.every, "every", time.Second, "length of a round")
	pays := flag.String("pays", "", "what actions pay, such as red=.3,green=.5")
	flag.Parse()
	var err error
	if o.pays, err = parse(*pays); err == nil {
		o.start, err = time.Parse(time.RFC3339, *start)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "visitors:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := run(ctx, &o)
	text, _ := json.Marshal(r) // only strings and numbers
	fmt.Println(string(text))
	if r.Refused > 0 || r.Lost > 0 {
		os.Exit(1)
	}
}

type options struct {
	dir, name string
	rate      float64
	delay     time.Duration
	patience  time.Duration
	start     time.Time
	every     time.Duration
	pays      map[string]float64
}

func parse(text string) (map[string]float64, error) {
	pays := make(map[string]float64)
	for one := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(one, "=")
		p, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("-pays: %q: want ACTION=MEAN", one)
		}
		pays[name] = p
	}
	return pays, nil
}

// run visits until ctx is done, and then waits for the rewards that are pending.
func run(ctx context.Context, o *options) *report {
	t := &tally{o: o, rng: rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano()))), rounds: make(map[int64]map[string]int)}
	p := newPeer(filepath.Join(o.dir, "peerd.sock"), o.patience)
	watched, stop := context.WithCancel(context.Background())
	var watch, visits sync.WaitGroup
	watch.Go(func() { t.watch(watched, p) })
	tick := time.NewTicker(time.Duration(float64(time.Second) / o.rate))
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			visits.Wait()
			stop()
			watch.Wait()
			return t.report()
		case <-tick.C:
			visits.Go(func() { t.visit(p, fmt.Sprint(o.name, "-", n)) })
		}
	}
}
