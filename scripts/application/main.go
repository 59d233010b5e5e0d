// Command application plays the applications of three sites against a real network: decisions by
// a clock, and the reward of each at a random time in its window. It prints the share of
// decisions for the best arm in every minute, and when it last rose to 90 %.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"time"

	"peerd.dev/scripts/served"
)

const (
	sites  = 3
	window = time.Minute
	rate   = 2000 // decisions of a site per minute
	wanted = .9   // share of the decisions of a minute
)

// means are the mean rewards of the actions, by site. Over all sites mail pays most.
var means = [sites]map[string]float64{ //nolint:gochecknoglobals // a table
	{"mail": .9, "banner": .3, "call": .2},
	{"mail": .4, "banner": .9, "call": .3},
	{"mail": .9, "banner": .2, "call": .4},
}

const best = "mail"

func main() {
	peerd := flag.String("peerd", "bin/peerd", "the program")
	minutes := flag.Int("minutes", 10, "length of the run, in minutes of the application")
	scale := flag.Float64("scale", 1, "how many times faster the clock of the application is")
	flag.Parse()
	if err := run(*peerd, flag.Args(), *minutes, *scale); err != nil {
		fmt.Fprintln(os.Stderr, "application:", err)
		os.Exit(1)
	}
}

func run(peerd string, args []string, minutes int, scale float64) (err error) {
	fast := func(d time.Duration) time.Duration { return time.Duration(float64(d) / scale) }
	args = append([]string{"--set", "api.window=" + fast(window).String(), "--set", "rounds.every=" + fast(time.Second).String()}, args...)
	network, err := served.Start(peerd, sites, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, network.Stop()) }()

	c := &counts{right: make([]int, minutes), all: make([]int, minutes)}
	var running sync.WaitGroup
	errs := make([]error, sites)
	begin := time.Now()
	for i, p := range network.Peers {
		a := &app{Peer: p, pays: means[i], window: fast(window), rng: rand.New(rand.NewPCG(uint64(i), 1))}
		running.Go(func() {
			tick := time.NewTicker(fast(time.Minute) / rate)
			defer tick.Stop()
			for n := 0; time.Since(begin) < time.Duration(minutes)*fast(time.Minute); n++ {
				<-tick.C
				action, err := a.decide(fmt.Sprint(i, "-", n))
				if err != nil {
					errs[i] = err
					return
				}
				c.add(int(time.Since(begin)/fast(time.Minute)), action == best)
			}
			errs[i] = a.wait()
		})
	}
	running.Wait()
	c.print(minutes)
	return errors.Join(errs...)
}

// counts are decisions by minute.
type counts struct {
	sync.Mutex
	right, all []int
}

func (c *counts) add(minute int, right bool) {
	c.Lock()
	defer c.Unlock()
	minute = min(minute, len(c.all)-1) // one that was asked for at the end
	c.all[minute]++
	if right {
		c.right[minute]++
	}
}

func (c *counts) print(minutes int) {
	reached, all := minutes+1, 0
	fmt.Print("share of the best action, by minute:")
	for i, n := range c.all {
		all += n
		share := float64(c.right[i]) / float64(max(1, n))
		fmt.Printf(" %.2f", share)
		if share < wanted {
			reached = minutes + 1
		} else if reached > minutes {
			reached = i + 1
		}
	}
	fmt.Printf("; %d decisions\n", all)
	if reached > minutes {
		fmt.Printf("%.0f %% of a minute were not reached, or not kept, in %d minutes\n", 100*wanted, minutes)
		return
	}
	fmt.Printf("%.0f %% from minute %d on\n", 100*wanted, reached)
}

// app is a site's application.
type app struct {
	served.Peer
	pays   map[string]float64
	window time.Duration
	rng    *rand.Rand
	late   sync.WaitGroup // rewards that are not reported yet
	mu     sync.Mutex
	err    error
}

// decide asks for an action, and reports its reward later.
func (a *app) decide(id string) (action string, err error) {
	var answer struct{ Action string }
	if err = a.post("/v1/decisions", map[string]any{"id": id, "subject": id}, &answer); err != nil {
		return "", err
	}
	value := 0
	if a.rng.Float64() < a.pays[answer.Action] {
		value = 1
	}
	after := time.Duration(.95 * a.rng.Float64() * float64(a.window)) // the rest is for a slow machine
	a.late.Add(1)
	time.AfterFunc(after, func() {
		defer a.late.Done()
		if err := a.post("/v1/rewards", map[string]any{"id": id, "value": value}, nil); err != nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.err = err
		}
	})
	return answer.Action, nil
}

func (a *app) wait() error {
	a.late.Wait()
	return a.err
}

// post sends a document and reads the answer.
func (a *app) post(path string, body, answer any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, a.URL+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if b, err = io.ReadAll(res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %.300s", path, res.Status, b)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(b, answer)
}
