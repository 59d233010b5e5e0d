package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Size of decisions by features, as in figure 3(a) of paper 002.
const (
	linearArms     = 100
	linearFeatures = 10
	linearBodies   = 256 // number of different bodies; every decision has one of them and an id of its own
	linearPasses   = 3   // alternating runs of peer and bare server
)

func linearSettings() []string {
	arms := make([]string, linearArms)
	for i := range arms {
		arms[i] = "a" + strconv.Itoa(i)
	}
	return []string{
		"arms=[" + strings.Join(arms, ", ") + "]", "learner.name=linucb", "learner.linucb.features=" + strconv.Itoa(linearFeatures),
		"privacy.mechanism=sqrt", "privacy.delta=0.000001", "protocol.name=batch", "protocol.batch.first=1000", "api.min_exposures=0",
	}
}

// linearTails returns the ends of bodies with features of all actions, in which encoding/json
// writes random numbers.
func linearTails() [][]byte {
	r := rand.New(rand.NewPCG(3, 4))
	tails := make([][]byte, linearBodies)
	for i := range tails {
		b := []byte(`,"features":[`)
		for range linearArms {
			x, sum := make([]float64, linearFeatures), 0.
			for k := range x {
				x[k] = r.NormFloat64()
				sum += x[k] * x[k]
			}
			b = append(b, '[')
			for _, v := range x {
				b = append(strconv.AppendFloat(b, v/math.Sqrt(sum), 'g', -1, 64), ',')
			}
			b = append(b[:len(b)-1], ']', ',')
		}
		tails[i] = append(b[:len(b)-1], ']', '}')
	}
	return tails
}

// linearDecisions asks the peer and a bare server alternately, at a rate.
func (l *loader) linearDecisions(rate int) ([]string, error) {
	tails := linearTails()
	fmt.Printf("%d actions of %d features; a body has about %d bytes\n%s\n", linearArms, linearFeatures, len(tails[0]), header)
	bare, stop, err := startBare("read", "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = stop() }()
	best := time.Duration(math.MaxInt64)
	for range linearPasses {
		ids := l.newIDs(rate * l.seconds)
		requests := make([][][]byte, len(ids))
		for i, id := range ids {
			requests[i] = l.net.request("/v1/decisions", fmt.Sprintf(`{"id":%[1]q,"subject":%[1]q`, id), tails[i%len(tails)])
		}
		p, err := l.phase(requests, rate)
		if err != nil {
			return nil, err
		}
		p.print(fmt.Sprintf("decisions by features, %d/s", rate))
		b, err := l.phaseAt(bare, requests, rate)
		if err != nil {
			return nil, err
		}
		b.print("bare net/http, reads the same body")
		fmt.Printf("processor time of a decision: %.0f µs, of the bare server: %.0f µs\n", 1e6*p.server/p.rate(), 1e6*b.server/b.rate())
		best = min(best, p.at(.99))
	}
	if best > wantDecision {
		l.miss("decisions by features at %d/s: p99 of the best of %d runs %v, want %v", rate, linearPasses, short(best), wantDecision)
	} else {
		fmt.Println("all wanted figures reached")
	}
	for _, m := range l.missed {
		fmt.Println("missed:", m)
	}
	return l.missed, nil
}
