//go:build unix

package durabletest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// TestAveragingIsExactThroughKills: three real peers average; one of them is killed again and
// again, with the tag failpoint at a time when a step is durable and its messages are not sent
// yet: a question, or the answer that says what was added. Then the stores are read: over all
// peers, values must sum up to the same number on the lattice as the own means that were entered,
// and weights likewise, except for what was in transit between two peers when they stopped.
// PEERD_LONG continues until 10 answers and 10 questions were cut off.
func TestAveragingIsExactThroughKills(t *testing.T) {
	l := newLab(t, 3, "protocol.name", "average", "protocol.average.rate", "0.5",
		"world.kind", "bernoulli", "world.bernoulli.means", "[[0.9, 0.3, 0.2]]")
	for _, s := range l.sites {
		s.start(launch{})
	}
	for _, s := range l.sites {
		s.ready()
	}
	kills, want := 3, 0
	if os.Getenv("PEERD_LONG") != "" && failpoints {
		kills, want = 400, 10
	}
	r := rand.New(rand.NewPCG(3, 4))
	cut := make(map[protocol.Kind]int)
	n := 0
	var ups []time.Duration
	for ; n < kills && (want == 0 || cut[kindDelta] < want || cut[kindAsk] < want); n++ {
		s := l.sites[n%len(l.sites)]
		if failpoints {
			s.stop()
			s.start(launch{env: []string{fmt.Sprintf("PEERD_FAILPOINT=send:%d", 10+r.IntN(10))}})
			s.ends(60 * time.Second)
			if s.cmd.ProcessState.Exited() {
				t.Fatalf("ended by itself: %v\n%s", s.cmd.ProcessState, s.tail())
			}
		} else {
			time.Sleep(time.Duration(50+r.IntN(100)) * time.Millisecond)
			s.kill()
		}
		for _, k := range unsent(t, s) {
			cut[k]++
		}
		s.start(launch{})
		ups = append(ups, s.ready())
	}
	round := l.sites[0].status().Round
	l.await("rounds after the last kill", 30*time.Second, func() bool { return l.sites[0].status().Round > round+50 })
	for _, s := range l.sites {
		s.stop()
	}
	slices.Sort(ups)
	t.Logf("%d kills; not sent when killed: %d answers with a change, %d questions; ready again after %v, at most %v",
		n, cut[kindDelta], cut[kindAsk], ups[len(ups)/2].Round(time.Millisecond), ups[len(ups)-1].Round(time.Millisecond))
	if want > 0 && (cut[kindDelta] < want || cut[kindAsk] < want) {
		t.Errorf("want %d of each", want)
	}
	l.conserved()
}

// unsent returns the kinds of the messages of the newest step, which a killed peer had not sent.
func unsent(t *testing.T, s *labSite) []protocol.Kind {
	t.Helper()
	st := openStore(t, s)
	defer func() { _ = st.Close() }()
	log, found, err := st.Last(store.Log)
	if err != nil {
		t.Fatal(err)
	}
	out, ok, err := st.Last(store.Outbox)
	if err != nil {
		t.Fatal(err)
	}
	if !found || !ok || string(log.Key) != string(out.Key) {
		return nil
	}
	var kinds []protocol.Kind
	for b := out.Value[1:]; len(b) > 0; {
		_, n := binary.Uvarint(b) // the addressee
		size, m := binary.Uvarint(b[n:])
		b = b[n+m:]
		msg := require.Value(protocol.Decode(vouch.For(b[:size])))(t)
		kinds = append(kinds, msg.Kind())
		b = b[size:]
	}
	return kinds
}

// conserved checks the sums over all peers of protocol average.
func (l *lab) conserved() {
	l.Helper()
	var all []vault
	for _, s := range l.sites {
		all = append(all, openVault(l.T, s))
	}
	n := len(all[0].mixed)
	off, flying, exchanges, open := make([]int64, n), make([]int64, n), uint64(0), 0
	for _, v := range all {
		for k := range n {
			off[k] += v.mixed[k] - v.put[k]
		}
	}
	links := config.Neighbours(len(all), l.net.Links)
	for p := range all {
		for i, q := range links[p] {
			ask := all[p].links[i]
			if int(q) < p { // the end with the lower number asks
				continue
			}
			exchanges += ask.Seq
			answer := all[q].links[slices.Index(links[q], protocol.Peer(p))]
			if !ask.Open || answer.Last.Seq != ask.Seq || answer.Answer != kindDelta {
				continue
			}
			open++
			delta := require.Value(protocol.ParseRelease(vouch.For(answer.Delta)))(l)
			for k := range delta.Len() { // constant weights are in none
				flying[k] += delta.Value(k)
			}
		}
	}
	l.Logf("Σ(mixed - entered) over %d peers, values and weights by arm: %v; under way in %d exchanges: %v; %d exchanges in all", len(all), off, open, flying, exchanges)
	if !slices.Equal(off, flying) {
		l.Errorf("averaging lost or doubled something")
	}
	if exchanges == 0 || slices.Equal(all[0].mixed, all[0].put) {
		l.Errorf("nothing was averaged: %v", all[0].mixed)
	}
}
