package site

import (
	"strings"
	"testing"

	"peerd.dev/node/decision"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	sums "peerd.dev/protocol/running"
)

// withRelays returns parameters of a protocol with which the first n peers are relays, if it has
// such a role.
func withRelays(params protocol.Params, n int) (protocol.Params, bool) {
	if p, ok := params.(sums.Params); ok {
		p.Relays = n
		return p, true
	}
	return params, false
}

// relays lists the protocols in which a peer without arms can forward what others release.
func relays() (names []string) {
	for _, e := range papers.All() {
		if _, ok := withRelays(e, 1); ok {
			names = append(names, e.Words().Name)
		}
	}
	return names
}

// idle is a site whose peer has a role without actions.
func idle(name string) setting {
	x := usual(name, AtWindow).repeatable(1)
	x.idle = true
	return x
}

// TestAnIdlePeerOwesNothing: it receives, sends and learns what others release, and its ledger
// has only a genesis. It refuses an ask with a sentence.
func TestAnIdlePeerOwesNothing(t *testing.T) {
	for _, name := range relays() {
		r := newRig(t, idle(name))
		r.open()
		if r.s.Ready(t.Context()) == nil {
			t.Errorf("%s: ready before it is linked", name)
		}
		r.greet()
		if err := r.s.Ready(t.Context()); err != nil {
			t.Errorf("%s: linked and not ready: %v", name, err)
		}
		r.rounds(20)
		st := r.status()
		if st.Round != 20 || st.Spent != 0 || st.Left != 1 || st.Released != 0 || st.Records != 1 || st.Pending != 0 || st.Regret != 0 {
			t.Errorf("%s: %+v", name, st)
		}
		if len(r.net.frames) == 0 || len(st.Samples) > 0 {
			t.Errorf("%s: %d frames are sent, and of its arms it knows %v", name, len(r.net.frames), st.Samples)
		}
		for _, err := range []error{r.decide(decision.Ask{ID: "a"})[0].Err, func() error { _, err := r.report("a", 1); return err }()} {
			if refused(t, err) == "" || !strings.Contains(err.Error(), "role without actions") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if lines := r.lines(); len(lines) != 1 {
			t.Errorf("%s: %d ledger records, want the genesis", name, len(lines))
		}
		r.draft()
		r.stop()
	}
}

// TestAnIdlePeerRestarts: it continues as if it had not been stopped.
func TestAnIdlePeerRestarts(t *testing.T) {
	for _, name := range relays() {
		x := idle(name)
		x.saveEvery = 7
		script := newScript(1, 120)
		want := script.run(t, x, nil)
		if len(want.ledger) != 1 || len(want.frames) == 0 {
			t.Fatalf("%s: %d ledger records, %d frames", name, len(want.ledger), len(want.frames))
		}
		for kind := 1; kind <= 3; kind++ {
			want.compare(t, script.run(t, x, map[int]int{20: kind, 21: kind, 70: kind}))
		}
	}
}

// TestAnIdlePeerRecovers: there are no streams to abandon, and its ledger continues after
// everything that was remembered.
func TestAnIdlePeerRecovers(t *testing.T) {
	for _, name := range relays() {
		r := newRig(t, idle(name))
		r.start()
		r.rounds(5)
		r.stop()
		r.open()
		r.s.OnRemembered(left, protocol.Checkpoint{Records: 5}, true)
		if !r.s.OldCopy() {
			t.Fatalf("%s: nothing is noticed", name)
		}
		incarnation := r.s.Incarnation()
		r.stop()
		r.open()
		got, err := r.s.Recover(nil)
		if err != nil || got.Claimed != 5 || got.Had != 1 || len(got.Next) != 0 || got.Spent || !strings.Contains(got.String(), "no streams") {
			t.Errorf("%s: %+v: %v (%v)", name, got, got, err)
		}
		r.stop()
		r.open()
		r.s.OnRemembered(left, protocol.Checkpoint{Records: 5}, true)
		r.s.OnRemembered(right, protocol.Checkpoint{Records: 1, Head: [32]byte{1}}, true)
		if r.s.isBlocked() || r.s.Incarnation() <= incarnation || r.s.tip().Records != 6 {
			t.Errorf("%s: %s; incarnation %d after %d, %d records", name, r.status().BlockedReason, r.s.Incarnation(), incarnation, r.s.tip().Records)
		}
		r.rounds(5)
		if st := r.status(); st.Round != 10 || st.Released != 0 || st.Spent != 0 {
			t.Errorf("%s: %+v", name, st)
		}
		r.draft()
		r.stop()
	}
}
