package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// compareRate is the number of rewards per second when builds are compared.
const compareRate = 10_000

// compare measures the processor time of a reward with two builds and with a bare server,
// alternately, and prints the ratios. Decisions are made before each measurement and are not
// included.
func (o options) compare(dir string) (err error) {
	bare, stop, err := startBare("write", dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	var both []*loader
	for i, exe := range []string{o.before, o.peerd} {
		if exe, err = filepath.Abs(exe); err != nil {
			return err
		}
		own := filepath.Join(dir, fmt.Sprint("build", i))
		if err = os.Mkdir(own, 0o700); err != nil {
			return err
		}
		n, err := newNetwork(exe, own, rowsSettings()...)
		if err == nil {
			err = n.start()
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, n.stop()) }()
		both = append(both, &loader{options: o, net: n, disk: &disk{path: filepath.Join(own, "raw")}})
	}
	fmt.Printf("processor time of a reward in µs, %d/s over %d connections, %d s each, in turn\n%10s %10s %10s %28s\n",
		compareRate, conns, o.seconds, "before", "now", "bare", "p99 ms of the same")
	length := time.Duration(o.seconds) * time.Second
	ratios := make(map[string][]float64)
	for pair := range o.pairs {
		var cost, late [3]float64
		for turn := range 3 {
			k := (turn + pair) % 3
			p, err := both[k%2].reports(compareRate, length, map[bool]*server{true: &bare}[k == 2])
			if err != nil {
				return err
			}
			cost[k], late[k] = 1e6*p.server/p.rate(), float64(p.at(.99))/1e6
		}
		fmt.Printf("%10.1f %10.1f %10.1f %9.1f %8.1f %8.1f\n", cost[0], cost[1], cost[2], late[0], late[1], late[2])
		ratios["now to before"] = append(ratios["now to before"], cost[1]/cost[0])
		ratios["now to bare"] = append(ratios["now to bare"], cost[1]/cost[2])
		ratios["before to bare"] = append(ratios["before to bare"], cost[0]/cost[2])
	}
	for _, name := range []string{"now to before", "now to bare", "before to bare"} {
		median, low, high := medianOf(ratios[name])
		fmt.Printf("%s: median %.2f, interval of 95 %% from %.2f to %.2f\n", name, median, low, high)
	}
	return nil
}

// medianOf returns the median of values and its interval of 95 %.
func medianOf(values []float64) (median, low, high float64) {
	all := slices.Sorted(slices.Values(values))
	cut := rankOf(len(all))
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2, all[cut], all[len(all)-1-cut]
}

// rankOf returns how many of n sorted values are outside of a 95 % interval for the median, on
// each side: the greatest number for which the probability of at most as many heads in n tosses
// of a coin is at most 2.5 %.
func rankOf(n int) (cut int) {
	chance, sum := 1., 0. // of no heads
	for range n {
		chance /= 2
	}
	for k := 0; k < n; k++ {
		if sum += chance; sum > .025 {
			break
		}
		cut = k
		chance *= float64(n-k) / float64(k+1)
	}
	return cut
}

// reports reports rewards of decisions that it has made before, to the peer or, with the same
// requests, to another server.
func (l *loader) reports(rate int, length time.Duration, to *server) (*phase, error) {
	requests, err := l.prepared(rate, length, to == nil)
	if err != nil {
		return nil, err
	}
	if to == nil {
		to = &server{l.net.addr, l.net.cpu}
	}
	return l.phaseAt(*to, requests, rate)
}

// prepared returns requests that report rewards, and makes their decisions if the peer is to know them.
func (l *loader) prepared(rate int, length time.Duration, decide bool) ([][][]byte, error) {
	ids := l.newIDs(int(float64(rate) * length.Seconds()))
	if decide {
		if err := l.net.prepare(ids); err != nil {
			return nil, err
		}
	}
	requests := make([][][]byte, len(ids))
	for i, id := range ids {
		requests[i] = l.net.request("/v1/rewards", fmt.Sprintf(`{"id":%q,"value":%.3f}`, id, float64(i%1000)/1000))
	}
	return repeated(requests), nil
}
