package site

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
	"peerd.dev/node/ledger"
	"peerd.dev/node/ledger/check"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// parted returns a rig whose disk is a backup, and whose neighbours remember different parts of
// the life that continued from it: right remembers all of it, left the first rounds. It also returns the ledger of that life.
func parted(t *testing.T, name string) (*rig, *draft) {
	t.Helper()
	r := newRig(t, usual(name, OnArrival))
	r.start()
	r.work(20)
	backup := r.disk.CrashClone(vfs.CrashCloneCfg{})
	r.work(16)
	r.net.peers[left].deaf = true
	r.work(16)
	known := r.draft()
	r.net.peers[left].deaf = false
	r.stop()
	r.disk = backup
	return r, known
}

// work makes decisions with their rewards, one a round.
func (r *rig) work(n int) {
	r.t.Helper()
	for range n {
		r.pay(r.ask(decision.Ask{}).ID, .5)
		r.round()
	}
}

// remembered makes a neighbour report what it remembers.
func (r *rig) remembered(p protocol.Peer) { r.s.OnRemembered(p, r.net.memory(p), true) }

// reopen starts the site again, without reports.
func (r *rig) reopen() {
	r.t.Helper()
	r.stop()
	r.open()
}

// TestARecoveredSiteWaitsForAll: after a recovery with one neighbour away, the site stays blocked
// for any time until that neighbour reports: here that it remembers more, which requires another
// recovery.
func TestARecoveredSiteWaitsForAll(t *testing.T) {
	for _, name := range withoutRoles() {
		r, _ := parted(t, name)
		r.open()
		r.remembered(left)
		r.reopen()
		first := require.Value(r.s.Recover(nil))(t)
		r.reopen()
		r.remembered(left)
		r.clock.add(100 * standing.Grace)
		if why := r.status().BlockedReason; !r.s.isBlocked() || !strings.Contains(why, "peer 2. Nothing is released until all do") {
			t.Fatalf("%s: released with a neighbour away: %q", name, why)
		}
		r.remembered(right)
		if !r.s.OldCopy() {
			t.Fatalf("%s: what the other neighbour remembers is passed over", name)
		}
		r.reopen()
		second, err := r.s.Recover(nil)
		if err != nil || second.Had != first.Claimed || second.Claimed <= first.Claimed {
			t.Fatalf("%s: %+v after %+v: %v", name, second, first, err)
		}
		r.reopen()
		r.remembered(left)
		r.remembered(right)
		if r.s.isBlocked() {
			t.Fatalf("%s: all have reported: %s", name, r.status().BlockedReason)
		}
		r.rounds(3)
		r.draft()
		r.stop()
	}
}

// TestRecoverDoesWithoutANeighbour: recovery excludes a named neighbour, and says so in the
// ledger. What that neighbour remembers of the lost life is no alarm later; what it remembers of
// the new life is.
func TestRecoverDoesWithoutANeighbour(t *testing.T) {
	for _, name := range protocols() {
		r, _ := parted(t, name)
		r.open()
		r.remembered(left)
		r.reopen()
		if _, err := r.s.Recover([]string{"peer 7"}); !errors.Is(err, ErrNeighbour) {
			t.Fatalf("%s: without a peer that is no neighbour: %v", name, err)
		}
		done := require.Value(r.s.Recover([]string{"peer 2"}))(t)
		if g := r.gap(); !slices.Equal(g.Without, []string{"peer 2"}) || g.Claimed != done.Claimed || g.Lost() != done.Lost {
			t.Errorf("%s: the ledger says %+v, and recover %+v", name, g, done)
		}
		r.reopen()
		r.remembered(left)
		if r.s.isBlocked() {
			t.Fatalf("%s: %s", name, r.status().BlockedReason)
		}
		r.work(5)
		r.s.OnRemembered(right, protocol.Checkpoint{Records: done.Claimed + 5, Head: [32]byte{1}}, true)
		if r.s.OldCopy() {
			t.Errorf("%s: %s", name, r.status().BlockedReason)
		}
		r.s.OnRemembered(right, protocol.Checkpoint{Records: r.s.chain.Next + 5, Head: [32]byte{1}}, true)
		if !r.s.OldCopy() {
			t.Errorf("%s: another copy of this life is not found", name)
		}
		r.stop()
	}
}

// TestDoingWithoutNeedsNoEvidence: an operator whose neighbour is gone permanently, so that the
// others are too few, continues with a new life.
func TestDoingWithoutNeedsNoEvidence(t *testing.T) {
	r := newRig(t, usual(stated, OnArrival))
	r.start()
	r.rounds(9)
	r.reopen()
	r.remembered(left)
	r.clock.add(100 * standing.Grace)
	if !r.s.isBlocked() {
		t.Fatal("one of two neighbours is enough")
	}
	done, err := r.s.Recover([]string{"peer 2"})
	if err != nil || done.Lost != 0 || done.GivenUp != minMargin*uint64(len(done.Next)) {
		t.Fatalf("%+v, %v", done, err)
	}
	for i := range 3 { // this does not change: the life does not know that neighbour
		r.reopen()
		r.remembered(left)
		if waits := r.s.isBlocked(); waits != (i > 0) {
			t.Errorf("start %d: blocked %v; once the life has been open, that neighbour is waited for as long as any", i, waits)
		}
		r.clock.add(2 * standing.Grace)
		if r.s.isBlocked() {
			t.Fatal(r.status().BlockedReason)
		}
		r.rounds(6)
	}
	r.stop()
}

// TestARemovedNeighbourIsAskedFor: removing a link from the network file removes no memory, and a
// new neighbour adds none.
func TestARemovedNeighbourIsAskedFor(t *testing.T) {
	const joined protocol.Peer = 3
	for _, c := range []struct {
		now   []protocol.Peer
		opens bool
	}{
		{[]protocol.Peer{left}, false},
		{[]protocol.Peer{left, joined}, false},
		{[]protocol.Peer{left, right, joined}, true},
		{nil, false},
	} {
		x := usual(stated, OnArrival)
		x.neighbours = []protocol.Peer{left, right}
		r := newRig(t, x)
		r.start()
		r.rounds(9)
		r.stop()
		r.neighbours = append([]protocol.Peer{}, c.now...)
		r.open()
		for _, p := range c.now {
			r.s.OnRemembered(p, protocol.Checkpoint{}, true)
		}
		r.clock.add(2 * standing.Grace)
		if r.s.isBlocked() == c.opens {
			t.Errorf("neighbours %v: %q", c.now, r.status().BlockedReason)
		}
		r.stop()
	}
}

// gap returns the newest gap in the ledger.
func (r *rig) gap() *ledger.Gap {
	r.t.Helper()
	lines := r.lines()
	for _, line := range slices.Backward(lines) {
		parsed, err := ledger.ParseLine(line)
		if err != nil {
			r.t.Fatal(err)
		}
		if g, ok := parsed.Body.(*ledger.Gap); ok {
			return g
		}
	}
	r.t.Fatal("no gap in the ledger")
	return nil
}

// TestOneGapTellsAll: the status, recover, the ledger and its verification report the same
// numbers, and the decisions that waited are counted.
func TestOneGapTellsAll(t *testing.T) {
	r := lost(t, averaged, 10)
	r.start()
	<-r.alarms
	for i := range 3 {
		r.ask(decision.Ask{ID: fmt.Sprint(i)})
	}
	why, claimed := r.status().BlockedReason, r.net.memory(left).Records
	r.reopen()
	had := r.s.chain.Next
	done := require.Value(r.s.Recover(nil))(t)
	if done.Claimed != claimed || done.Had != had || done.Lost != claimed-had || done.Waiting != 3 {
		t.Errorf("%+v, want %d of %d lost and 3 waiting", done, claimed-had, claimed)
	}
	for _, next := range done.Next { // what an older folder must abandon, should it be restored later
		if above := done.Claimed + (next-1)*r.s.c.recordsPerLeaf(); r.s.life.Gap < above {
			t.Errorf("the gap is record %d, want at least %d, as many as a life up to leaf %d can have", r.s.life.Gap, above, next)
		}
	}
	if !strings.Contains(why, fmt.Sprintf("remembers %d ledger records, and %d of those here are confirmed", claimed, had)) {
		t.Errorf("the status said %q", why)
	}
	verifier := check.NewVerifier()
	for _, line := range r.lines() {
		require.NoError(t, verifier.Line(line))
	}
	g := verifier.Report().Gaps[0]
	if g.Claimed != done.Claimed || g.Had != done.Had || g.Lost != done.Lost || g.GivenUp != done.GivenUp || g.Since != done.Since || g.Round != done.Round || g.Waiting != done.Waiting {
		t.Errorf("the ledger says %+v, recover %+v", g, done)
	}
	for _, text := range []string{done.String(), g.String()} {
		for _, n := range []uint64{done.Claimed, done.Lost, done.GivenUp, done.Since, done.Round, done.Waiting} {
			if !strings.Contains(text, fmt.Sprint(n)) {
				t.Errorf("%q does not say %d", text, n)
			}
		}
	}
	if text := done.String(); !strings.Contains(text, "each of them may count again") {
		t.Errorf("%q says nothing of users", text)
	}
	r.stop()
}

// deck is a world that hands out records by number, each once.
type deck struct{ left []int }

func newDeck(arms, records int) *deck {
	return &deck{left: slices.Repeat([]int{records}, arms)}
}

func (*deck) Turn(round uint64) bandit.Turn { return bandit.Turn{Round: round} }

func (d *deck) Play(a bandit.Arm) (bandit.Reward, error) {
	if d.left[a]--; d.left[a] < 0 {
		return 0, errors.New("no record left")
	}
	return bandit.Reward(float64(d.left[a]) / 4096), nil
}

func (*deck) Regret(bandit.Arm) float64 { return 0 }

func (d *deck) Left(a bandit.Arm) int { return d.left[a] }

func (d *deck) Save() (b []byte) {
	for _, n := range d.left {
		b = append(b, byte(n>>8), byte(n))
	}
	return b
}

func (d *deck) Load(b []byte) error {
	for i := range d.left {
		d.left[i] = int(b[2*i])<<8 | int(b[2*i+1])
	}
	return nil
}

// TestARecoveredSiteHandsNoRecordOutAgain: a world of records is not played any more after a
// recovery from a backup or a wiped disk, over restarts; without a recovery it continues.
func TestARecoveredSiteHandsNoRecordOutAgain(t *testing.T) {
	for _, wiped := range []bool{false, true} {
		x := usual(averaged, AtWindow)
		x.mechanism = dp.None
		x.mode = dp.Lockstep
		r := newRig(t, x)
		var played *deck
		r.worlds = func() bandit.World { played = newDeck(len(x.arms), 1000); return played }
		r.start()
		r.rounds(20)
		r.stop()
		r.start()
		r.rounds(5)
		if left := played.left[0] + played.left[1] + played.left[2]; left != 3000-25 {
			t.Fatalf("%d records are left after 25 rounds", left)
		}
		r.stop()
		backup := r.disk.CrashClone(vfs.CrashCloneCfg{})
		r.start()
		r.rounds(10)
		r.stop()
		if r.disk = backup; wiped {
			r.disk = vfs.NewCrashableMem()
		}
		r.start()
		r.reopen()
		done, err := r.s.Recover(nil)
		if err != nil || !done.World || !strings.Contains(done.String(), "world is not played any more") {
			t.Fatalf("%+v, %v", done, err)
		}
		for range 2 {
			r.stop()
			r.start()
			before := slices.Clone(played.left)
			pulls := r.status().Pulls
			r.rounds(10)
			if !slices.Equal(before, played.left) || !slices.Equal(pulls, r.status().Pulls) {
				t.Errorf("wiped %v: the world is played after a recovery", wiped)
			}
		}
		r.stop()
	}
}

// outboxed returns how many steps have messages to send.
func (r *rig) outboxed() int { return r.inTable(store.Outbox) }

// inTable returns how many values a table has.
func (r *rig) inTable(table store.Table) (n int) {
	r.t.Helper()
	for _, err := range r.s.store.Scan(table, nil, nil) {
		if err != nil {
			r.t.Fatal(err)
		}
		n++
	}
	return n
}

// TestARecoveryForgetsWhatWaitedToBeSent: messages of the life before the gap are not sent with
// the checkpoint of the life after it.
func TestARecoveryForgetsWhatWaitedToBeSent(t *testing.T) {
	r, _ := parted(t, averaged)
	r.open()
	r.remembered(right)
	if r.outboxed() == 0 {
		t.Fatal("nothing waits to be sent: this shows nothing")
	}
	require.Value(r.s.Recover(nil))(t)
	if n := r.outboxed(); n != 0 {
		t.Errorf("messages of %d steps wait to be sent after the recovery", n)
	}
	r.stop()
}

// TestANewNeighbourIsNoWitness: a neighbour that joined does not open an old folder, however
// often the site is started with it, until the site has released something with it.
func TestANewNeighbourIsNoWitness(t *testing.T) {
	const joined protocol.Peer = 3
	x := usual(stated, OnArrival)
	x.neighbours = []protocol.Peer{left, right}
	r := newRig(t, x)
	r.start()
	r.rounds(9)
	r.stop()
	r.neighbours = []protocol.Peer{left, right, joined}
	for range 3 {
		r.open()
		r.remembered(left)
		r.s.OnRemembered(joined, protocol.Checkpoint{}, true)
		r.clock.add(2 * standing.Grace)
		if !r.s.isBlocked() {
			t.Fatal("opened by a neighbour that cannot remember")
		}
		r.stop()
	}
	r.open()
	r.remembered(left)
	r.remembered(right)
	r.s.OnRemembered(joined, protocol.Checkpoint{}, true)
	if r.s.isBlocked() {
		t.Fatal(r.status().BlockedReason)
	}
	r.reopen()
	r.remembered(left)
	r.s.OnRemembered(joined, protocol.Checkpoint{}, true)
	r.clock.add(2 * standing.Grace)
	if r.s.isBlocked() {
		t.Error("two of three that know this folder do not open it")
	}
	r.stop()
}
