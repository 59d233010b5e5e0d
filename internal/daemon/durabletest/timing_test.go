//go:build unix

package durabletest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"peerd.dev/protocol"
)

// TestMomentsDoNotFollowRewards: two real processes serve an application that reports a reward of
// 0 or 1 for each round, by coin, and the opposite one to the second process. A neighbour records
// when the message of each round arrives. The times after a 0 and after a 1 must have the same
// distribution; the times of a third process, the program PEERD_SLOW, which sends a
// millisecond later after a 1, must not. PEERD_ROUNDS sets the number of rounds, of a tenth of a
// second each.
func TestMomentsDoNotFollowRewards(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("PEERD_ROUNDS"))
	slower := os.Getenv("PEERD_SLOW")
	if err != nil || slower == "" {
		t.Skip("PEERD_ROUNDS and PEERD_SLOW are not set; scripts/show.sh timing sets them")
	}
	const every = 100 * time.Millisecond
	coins := rand.New(rand.NewPCG(11, uint64(rounds)))
	values := make([]float64, rounds)
	for i := range values {
		values[i] = float64(coins.IntN(2))
	}
	var clean, slow moments
	var all sync.WaitGroup
	for i, n := range []struct {
		exe   string  // of another build; the tests' own if empty
		other float64 // 1 flips the coins
		to    *moments
	}{{"", 0, &clean}, {"", 1, &clean}, {slower, 0, &slow}} {
		l := newLab(t, 2, "protocol.rows.every", "1", "protocol.rows.pull", "1000", "rounds.every", every.String(),
			"api.settle", "window", "api.window", "1s", "privacy.horizon", "1000000")
		l.net.Start = time.Now().Add(2*time.Second + time.Duration(i)*every/3).Truncate(time.Millisecond) // alternately
		l.writeNetwork()
		s, c := l.sites[0], newArrivals(l.sites[1])
		s.start(launch{exe: n.exe})
		s.ready()
		all.Go(func() {
			paid := s.pay(values, n.other, every)
			n.to.add(c.offsets(l.net.Start, every), paid)
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	t.Logf("no fault: %v; a delay of %.0f µs after a 1 would be seen", &clean, clean.least())
	t.Logf("a millisecond later after a 1: %v", &slow)
	if least := rounds * 9 / 10; min(len(clean.zero), len(clean.one)) < least || min(len(slow.zero), len(slow.one)) < least/2 {
		t.Fatalf("fewer than %d messages of a kind arrived", least)
	}
	if p := clean.p(0); p < .001 {
		t.Errorf("p = %.2g: moments follow rewards", p)
	}
	if p := slow.p(0); p > .001 {
		t.Errorf("p = %.2g: a millisecond is not seen", p)
	}
}

// pay asks for a decision in the middle of each round and reports its reward, until it has
// reported all values, and returns what is observed in each round.
func (s *labSite) pay(values []float64, other float64, every time.Duration) map[protocol.Round]float64 {
	paid := make(map[protocol.Round]float64)
	start := s.net.Start
	first := max(0, time.Since(start))/every + 2
	for i, v := range values {
		time.Sleep(time.Until(start.Add((first+time.Duration(i))*every + every*6/10)))
		code, text := s.post("/v1/decisions", map[string]string{"id": fmt.Sprint("visit-", i)})
		if code != http.StatusOK {
			s.Errorf("decision %d: %s", i, text)
			return nil
		}
		at := parsed[struct {
			ExpiresAt time.Time `json:"expires_at"`
		}](text).ExpiresAt
		v = math.Abs(v - other)
		if _, code, text := s.reward(fmt.Sprint("visit-", i), v); code != http.StatusOK {
			s.Errorf("reward %d: %s", i, text)
			return nil
		}
		round := protocol.Round(at.Sub(start)/every) + 1
		if _, twice := paid[round]; twice {
			delete(paid, round) // a pause of the machine: two in one round do not count
			continue
		}
		paid[round] = v
	}
	time.Sleep(2 * time.Second) // for the last windows
	return paid
}

// arrivals are the times when the rows of peer 0 came.
type arrivals struct {
	mu sync.Mutex
	at []time.Time
}

// newArrivals puts a peer that records arrivals in the place of a site.
func newArrivals(s *labSite) *arrivals {
	s.Helper()
	a := new(arrivals)
	host := s.host(func(protocol.Peer, protocol.SignedCheckpoint) {})
	stop := make(chan struct{})
	s.Cleanup(func() { close(stop); _ = host.Close() })
	go func() {
		for {
			select {
			case <-stop:
				return
			case d := <-host.Inbox():
				now := time.Now()
				if d.From == 0 && d.Message.Kind() == kindRow {
					a.mu.Lock()
					a.at = append(a.at, now)
					a.mu.Unlock()
				}
			}
		}
	}()
	return a
}

// offsets returns how long after the beginning of its round the first message of each round came.
func (a *arrivals) offsets(start time.Time, every time.Duration) map[protocol.Round]time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make(map[protocol.Round]time.Duration, len(a.at))
	for _, at := range a.at {
		r := protocol.Round(at.Sub(start) / every)
		if _, again := all[r]; !again {
			all[r] = at.Sub(start) % every
		}
	}
	return all
}

// moments are the offsets in µs of messages after a reward of 0 and of 1, around the median of their peer.
type moments struct {
	mu        sync.Mutex
	zero, one []float64
	medians   []time.Duration
}

func (m *moments) add(offsets map[protocol.Round]time.Duration, paid map[protocol.Round]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []time.Duration
	for r, v := range offsets {
		if _, ok := paid[r]; ok {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	median := all[len(all)/2]
	m.medians = append(m.medians, median)
	for r, v := range offsets {
		value, ok := paid[r]
		switch x := float64(v-median) / 1e3; {
		case !ok:
		case value == 0:
			m.zero = append(m.zero, x)
		default:
			m.one = append(m.one, x)
		}
	}
	slices.Sort(m.zero)
	slices.Sort(m.one)
}

// p returns the smaller of the p-values of two two-sample tests, doubled, with messages after a 1
// delayed by an extra time in µs: Kolmogorov and Smirnov's test, and Mann and Whitney's.
func (m *moments) p(extra float64) float64 {
	one := slices.Clone(m.one)
	for i := range one {
		one[i] += extra
	}
	n, k := float64(len(m.zero)), float64(len(one))
	x := stat.KolmogorovSmirnov(m.zero, nil, one, nil) * math.Sqrt(n*k/(n+k))
	ks := 0.0
	for j := 1.0; j <= 100; j++ {
		ks += 2 * math.Pow(-1, j-1) * math.Exp(-2*j*j*x*x)
	}
	if x < .2 {
		ks = 1 // where the series converges slowly
	}
	u, at, ties := 0.0, 0, 0 // pairs in which the 0 came first; float64 makes ties rare
	for _, y := range one {
		for at < len(m.zero) && m.zero[at] < y {
			at++
		}
		for ties = at; ties < len(m.zero) && m.zero[ties] == y; ties++ {
		}
		u += float64(at) + float64(ties-at)/2
	}
	z := (u - n*k/2) / math.Sqrt(n*k*(n+k+1)/12)
	return min(1, 2*min(ks, 2*distuv.UnitNormal.CDF(-math.Abs(z))))
}

// least returns the least delay in µs after a 1 that the test would detect.
func (m *moments) least() float64 {
	for extra := 1.0; extra < 1e5; extra *= 1.1 {
		if m.p(extra) < .001 && m.p(-extra) < .001 {
			return extra
		}
	}
	return math.Inf(1)
}

func (m *moments) String() string {
	q := func(x []float64, p float64) float64 { return stat.Quantile(p, stat.Empirical, x, nil) }
	if len(m.zero) == 0 || len(m.one) == 0 {
		return "nothing arrived"
	}
	return fmt.Sprintf("%d messages after a 0, %d after a 1, medians %v after the round began; "+
		"around them 5 %%, 50 %%, 95 %% in µs: %.0f, %.1f, %.0f after a 0 and %.0f, %.1f, %.0f after a 1; D = %.4f, p = %.3g",
		len(m.zero), len(m.one), m.medians, q(m.zero, .05), q(m.zero, .5), q(m.zero, .95), q(m.one, .05), q(m.one, .5), q(m.one, .95),
		stat.KolmogorovSmirnov(m.zero, nil, m.one, nil), m.p(0))
}
