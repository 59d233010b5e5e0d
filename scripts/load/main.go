// Command load measures how fast a real peer answers an application that does not wait: decisions
// and rewards over 64 keep-alive TCP connections, sent by a clock and not after the last answer.
// Every time is measured from when a request should have been sent, so a slow answer also delays
// later ones. For comparison, on the same disk and in the same run, it measures the minimal
// durable operation: to append 300 bytes to a file and sync it.
//
// The client shares the machine with the peer, so it is lean: it formats requests before a phase
// begins, sends them over raw TCP, and reads only the status and the length of an answer. It
// reports how much of the machine it used nevertheless.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Limits.
const (
	wantDecision = 2 * time.Millisecond // p99 of a durable decision at 1,000 per second
	wantReward   = 3                    // the median of a durable reward, as a multiple of an append with fsync
	wantRate     = 10_000               // durable rewards per second
	wantLate     = 25 * time.Millisecond
	conns        = 64
	repeats      = 0.01 // share of ids that are asked for again
)

type options struct {
	peerd   string
	dir     string
	seconds int
	most    int
	linear  bool
	before  string
	pairs   int
	bare    string
	open    int
}

func main() {
	var o options
	flag.StringVar(&o.peerd, "peerd", "bin/peerd", "the program")
	flag.StringVar(&o.dir, "dir", "", "folder to work in, on the disk that is to be measured; empty takes one in the folder for temporary files")
	flag.IntVar(&o.seconds, "seconds", 60, "length of a phase")
	flag.IntVar(&o.most, "most", 40_000, "highest rate of rewards to try")
	flag.BoolVar(&o.linear, "features", false, "measure decisions by features instead")
	flag.StringVar(&o.before, "before", "", "another build of the program: measure how much processor time a reward takes with each instead")
	flag.IntVar(&o.pairs, "pairs", 12, "with -before or -pages, how often each is measured")
	flag.StringVar(&o.bare, "bare", "", "be the bare server that a peer is compared with, until standard input ends: read, or write to append and sync as well")
	flag.IntVar(&o.open, "pages", 0, "measure what this many open pages cost instead, 16 at most; -pairs times with and without")
	flag.Parse()
	if o.bare != "" {
		if err := serveBare(o.bare, o.dir); err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
			os.Exit(1)
		}
		return
	}
	missed, err := run(o)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	case len(missed) > 0:
		os.Exit(1)
	}
}

func run(o options) (missed []string, err error) {
	dir, err := os.MkdirTemp(o.dir, "load")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	exe, err := filepath.Abs(o.peerd)
	if err != nil {
		return nil, err
	}
	if o.before != "" {
		return nil, o.compare(dir)
	}
	settings := rowsSettings()
	if o.linear {
		settings = linearSettings()
	}
	n, err := newNetwork(exe, dir, settings...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.stop()) }()
	if err := n.start(); err != nil {
		return nil, err
	}
	fmt.Printf("%d CPUs, %s; a real peer with a real neighbour, rounds of a second, ε = 1; %d TCP connections, %g %% of ids repeated\n",
		runtime.NumCPU(), runtime.Version(), conns, 100*repeats)
	fmt.Printf("The client runs on the same CPUs. Times are from when a request was to be sent.\n\n")
	l := loader{options: o, net: n, disk: &disk{path: filepath.Join(dir, "raw")}}
	switch {
	case o.linear:
		return l.linearDecisions(1000)
	case o.open > 0:
		return l.pages()
	}
	return l.all()
}

func rowsSettings() []string {
	return []string{"arms=[a, b, c]", "protocol.name=rows", "protocol.rows.every=1", "protocol.rows.pull=1"}
}

// loader runs the phases.
type loader struct {
	options
	net    *network
	disk   *disk
	ids    int
	missed []string
}

func (l *loader) all() ([]string, error) {
	raw, err := l.disk.measure(2 * time.Second)
	if err != nil {
		return nil, err
	}
	fmt.Println(header)
	raw.print("append + fsync of 300 bytes, before")

	if err = l.decisions(1000); err != nil {
		return nil, err
	}
	ratio, err := l.rewards(1000, time.Duration(l.seconds)*time.Second, "rewards")
	if err != nil {
		return nil, err
	}
	if ratio.times > wantReward {
		l.miss("median reward %v is %.1f appends with fsync, want at most %d", ratio.p50, ratio.times, wantReward)
	}
	if err = l.climb(); err != nil {
		return nil, err
	}
	if raw, err = l.disk.measure(2 * time.Second); err != nil {
		return nil, err
	}
	raw.print("append + fsync of 300 bytes, after")
	took, waiting, err := l.net.restart()
	if err != nil {
		return nil, err
	}
	fmt.Printf("killed with %d decisions waiting for their round: ready %v after exec\n\n", waiting, took.Round(time.Millisecond))
	if len(l.missed) == 0 {
		fmt.Println("all wanted figures reached")
	}
	for _, m := range l.missed {
		fmt.Println("missed:", m)
	}
	return l.missed, nil
}

func (l *loader) miss(format string, args ...any) {
	l.missed = append(l.missed, fmt.Sprintf(format, args...))
}

// newIDs returns unused ids.
func (l *loader) newIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("load-%08d", l.ids)
		l.ids++
	}
	return ids
}

// repeated returns requests, some of them twice; the copy comes a few places later.
func repeated(requests [][][]byte) [][][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([][][]byte, 0, len(requests)+len(requests)/50)
	for i, q := range requests {
		out = append(out, q)
		if i > conns && r.Float64() < repeats {
			out = append(out, requests[i-r.IntN(conns)])
		}
	}
	return out
}

// decisions asks at a rate.
func (l *loader) decisions(rate int) error {
	ids := l.newIDs(rate * l.seconds)
	requests := make([][][]byte, len(ids))
	for i, id := range ids {
		requests[i] = l.net.request("/v1/decisions", fmt.Sprintf(`{"id":%[1]q,"subject":%[1]q}`, id))
	}
	p, err := l.phase(repeated(requests), rate)
	if err != nil {
		return err
	}
	p.print(fmt.Sprintf("decisions, %d/s", rate))
	if p99 := p.at(.99); p99 > wantDecision {
		l.miss("decisions at %d/s: p99 %v, want %v; append + fsync in the same minute: p99 %v", rate, short(p99), wantDecision, short(p.raw.at(.99)))
	}
	return nil
}

type median struct {
	p50   time.Duration
	times float64
}

// rewards reports rewards of decisions that it has made before, at a rate.
func (l *loader) rewards(rate int, length time.Duration, name string) (median, error) {
	p, err := l.rewarded(rate, length)
	if err != nil {
		return median{}, err
	}
	p.print(fmt.Sprintf("%s, %d/s", name, rate))
	return median{short(p.at(.5)), float64(p.at(.5)) / float64(p.raw.at(.5))}, nil
}

func (l *loader) rewarded(rate int, length time.Duration) (*phase, error) {
	return l.reports(rate, length, nil)
}

// climb finds the highest rate of rewards at which 99 in 100 are in time.
func (l *loader) climb() error {
	best, length := 0, time.Duration(l.seconds)*time.Second
	for rate := wantRate; rate <= l.most; rate += rate / 4 {
		p, err := l.rewarded(rate, length)
		if err != nil {
			return err
		}
		p.print(fmt.Sprintf("rewards, %d/s", rate))
		if p.at(.99) > wantLate || p.rate() < .99*float64(rate) {
			if rate == wantRate {
				l.miss("rewards at %d/s: %.0f/s with p99 %v, want %v", rate, p.rate(), short(p.at(.99)), wantLate)
			}
			break
		}
		best = rate
		length = min(length, 10*time.Second)
	}
	fmt.Printf("highest rate of single rewards with p99 up to %v: %d/s\n", wantLate, best)
	return nil
}
