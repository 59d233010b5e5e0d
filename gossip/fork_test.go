package gossip

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"peerd.dev/gossip/wire"
	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

// forks records the calls of OnFork.
type forks struct {
	mu  sync.Mutex
	all map[protocol.Peer][]protocol.SignedCheckpoint
}

func (f *forks) watch(c *Config) {
	f.all = make(map[protocol.Peer][]protocol.SignedCheckpoint)
	c.OnFork = func(of protocol.Peer, all []protocol.SignedCheckpoint) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.all[of] = append(f.all[of], all...)
	}
}

func (f *forks) of(p protocol.Peer) []protocol.SignedCheckpoint {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all[p]
}

// ledgerOf makes a peer compare what others remember with a ledger of n records.
func ledgerOf(c *Config, n uint64) {
	c.Checkpoint = checkpointOf(n)
	c.Holds = func(_ protocol.Peer, x protocol.Checkpoint) bool {
		return x.Records <= n && x == checkpointOf(x.Records)
	}
}

// TestTwoLivesAreFoundWhateverTheirLengths: a signed checkpoint that is not on its owner's ledger reaches the owner from a neighbour
// and from a peer without a link, shorter, as long and longer, and is evidence if no older state of the ledger explains it.
func TestTwoLivesAreFoundWhateverTheirLengths(t *testing.T) {
	for name, x := range map[string]struct {
		memory protocol.Checkpoint
		forks  bool
	}{
		"shorter":     {branch(3, 1), true},
		"as long":     {branch(5, 1), true},
		"longer":      {checkpointOf(7), false}, // the ledger may be an older state of that one
		"on it":       {checkpointOf(3), false},
		"the present": {checkpointOf(5), false},
	} {
		for _, from := range []protocol.Peer{1, 2} {
			cs, ws := checkpointed(configs(3, path(3)))
			ledgerOf(&cs[0], 5)
			var f forks
			f.watch(&cs[0])
			cs[from].Known = make([]protocol.SignedCheckpoint, 3)
			cs[from].Known[0] = signedBy(&cs[0], x.memory)
			hosts := start(t, cs)
			if from == 2 {
				ready(t, hosts...)
				require.NoError(t, hosts[0].TradeMemories(t.Context(), 2))
			} else {
				eventually(t, "a hello", func() bool { s := status(hosts[0], 1); return s.State == Up || s.LastError != "" })
				eventually(t, "what it remembers", func() bool { return ws[0].remembered(1, x.memory) })
			}
			if from == 2 && !ws[0].shown(2, x.memory) {
				t.Errorf("%s: it was not shown to the owner", name)
			}
			if x.forks {
				eventually(t, "evidence", func() bool { return slices.Equal(f.of(0), []protocol.SignedCheckpoint{cs[from].Known[0]}) })
			} else if f.of(0) != nil {
				t.Errorf("%s, from peer %d: %v is evidence of two histories", name, from, f.of(0))
			}
			for _, h := range hosts {
				shut(t, h)
			}
		}
	}
}

// TestWhoeverHasBothKeepsThem: two signed checkpoints of one length with different heads are kept, once, over starts, named in the
// log and the status, and shown to their owner; what the owner can never have signed is none.
func TestWhoeverHasBothKeepsThem(t *testing.T) {
	for name, second := range map[string]func(c *Config) protocol.SignedCheckpoint{
		"a fork":   func(c *Config) protocol.SignedCheckpoint { return signedBy(c, branch(9, 1)) },
		"a lie":    func(*Config) protocol.SignedCheckpoint { return protocol.SignedCheckpoint{Checkpoint: branch(9, 1)} },
		"the same": func(c *Config) protocol.SignedCheckpoint { return signedBy(c, checkpointOf(9)) },
	} {
		cs, ws := checkpointed(configs(3, path(3)))
		ledgerOf(&cs[0], 12)
		var f forks
		f.watch(&cs[2])
		var log lines
		cs[2].Logger = log.logger()
		cs[2].Known = []protocol.SignedCheckpoint{signedBy(&cs[0], checkpointOf(9)), {}, {}}
		other := second(&cs[0])
		hosts := start(t, cs[2:])
		for range 2 {
			hosts[0].learn(hosts[0].members[0], other, 1)
		}
		want := []protocol.SignedCheckpoint{cs[2].Known[0], other}
		is := name == "a fork"
		if kept := slices.Equal(f.of(0), want); kept != is || log.count("two histories") != len(f.of(0))/2 {
			t.Errorf("%s: kept %v, %d lines", name, f.of(0), log.count("two histories"))
		}
		if named := strings.Contains(status(hosts[0], 0).Alarm, "two histories"); named != is {
			t.Errorf("%s: status %q", name, status(hosts[0], 0).Alarm)
		}
		shut(t, hosts[0])
		cs[2].Forks, cs[2].Known[0] = f.all, signedBy(&cs[0], checkpointOf(12)) // at the next start
		hosts = start(t, cs)
		require.NoError(t, hosts[0].TradeMemories(t.Context(), 2))
		if shown := ws[0].shown(2, other.Checkpoint); shown != is {
			t.Errorf("%s: shown to its owner: %v", name, shown)
		}
		for _, h := range hosts {
			shut(t, h)
		}
	}
}

// TestAMemoryGoesToItsOwnerFirst: a checkpoint that a higher one replaces by hearsay is shown to the owner, which alone can find out
// whether the one follows the other.
func TestAMemoryGoesToItsOwnerFirst(t *testing.T) {
	cs, ws := checkpointed(configs(3, path(3)))
	ledgerOf(&cs[0], 12)
	old := signedBy(&cs[0], branch(9, 1))
	cs[2].Known = []protocol.SignedCheckpoint{old, {}, {}}
	hosts := start(t, cs)
	ready(t, hosts...)
	for range 2 {
		if err := hosts[2].TradeMemories(t.Context(), 1); err != nil { // who has the owner's
			t.Fatal(err)
		}
	}
	if got := hosts[2].members[0].remembered().Checkpoint; got != checkpointOf(12) {
		t.Fatal(got)
	}
	require.NoError(t, hosts[0].TradeMemories(t.Context(), 2))
	if !ws[0].shown(2, old.Checkpoint) {
		t.Error("the owner was not shown it")
	}
	eventually(t, "it is not shown again", func() bool { return len(hosts[2].members[0].unshown()) == 0 }) // after the answer was written
}

// replaced returns peers in a row, of whom peer 0 replaced its key when its ledger had 10 records, and what the former key signs. Before
// that it replaced others, which stated less.
func replaced(n int, before ...uint64) (cs []Config, ws []*witness, former Config) {
	cs, ws = checkpointed(configs(n, path(n)))
	former = Config{Identity: SeedIdentity([32]byte{90}), Network: cs[0].Network}
	for i := range cs {
		cs[i].Peers[0].Former = []string{former.Identity.ID()}
		for k, records := range before {
			cs[i].Peers[0].Closed = append(cs[i].Peers[0].Closed, Closed{SeedIdentity([32]byte{100 + byte(k)}).ID(), checkpointOf(records)})
		}
		cs[i].Peers[0].Closed = append(cs[i].Peers[0].Closed, Closed{former.Identity.ID(), checkpointOf(10)})
		cs[i].MostRecords = 1000
	}
	ledgerOf(&cs[0], 12)
	return cs, ws, former
}

// TestAReplacedKeyInventsNoMemory: not at other peers, and not at its owner, whose links stay up. What it signed before, and what
// its owner's ledger does not contain, is evidence for the owner and nothing else.
func TestAReplacedKeyInventsNoMemory(t *testing.T) {
	for name, x := range map[string]struct {
		c        protocol.Checkpoint
		evidence bool
	}{
		"more than stated":                {checkpointOf(11), false},
		"another ledger of that length":   {branch(11, 1), false},
		"more than there can be":          {branch(1<<40, 1), false},
		"what was stated":                 {checkpointOf(10), false},
		"before that":                     {checkpointOf(9), false},
		"another ledger before that":      {branch(9, 1), true},
		"another ledger as was stated":    {branch(10, 1), true},
		"another ledger, with one record": {branch(1, 1), true},
	} {
		cs, ws, former := replaced(3, []uint64{2, 6}[:len(name)%3]...) // one rotation, two or three
		var f forks
		f.watch(&cs[0])
		hosts := start(t, cs)
		ready(t, hosts...)
		lie := signedBy(&former, x.c)
		for _, at := range hosts[:2] {
			at.learn(at.members[0], lie, 2)
		}
		if got := hosts[1].members[0].remembered().Checkpoint; got != checkpointOf(12) {
			t.Errorf("%s: a neighbour remembers %v", name, got)
		}
		if shown := ws[0].shown(2, x.c); shown != (name == "what was stated") {
			t.Errorf("%s: it was shown to the owner: %v", name, shown)
		}
		if got := f.of(0); (len(got) > 0) != x.evidence || x.evidence && got[0] != lie {
			t.Errorf("%s: evidence %v", name, got)
		}
		if s := status(hosts[0], 1); s.State != Up {
			t.Errorf("%s: %+v", name, s)
		}
		for _, h := range hosts {
			shut(t, h)
		}
	}
}

// TestARotationWashesNothingAway: peers remember a ledger as long as its owner stated when the key was replaced, and longer if they
// heard so before. A folder that is older than that is refused, and no neighbour counts as one that agrees; the owner goes on, and its
// neighbours remember what it signs with the new key.
func TestARotationWashesNothingAway(t *testing.T) {
	for name, x := range map[string]struct {
		had     uint64 // remembered with the former key
		has     uint64 // of the folder
		refused bool
	}{
		"the owner, from a neighbour that heard of records after the statement": {11, 12, false},
		"the owner, from one that was away":                                     {4, 12, false},
		"an older folder, from one that heard of records after the statement":   {11, 10, true},
		"an older folder, from one that knows nothing":                          {0, 9, true},
	} {
		cs, ws, former := replaced(2, []uint64{2, 6}[:len(name)%3]...)
		ledgerOf(&cs[0], x.has)
		cs[1].Known = []protocol.SignedCheckpoint{signedBy(&former, checkpointOf(x.had)), {}}
		hosts := start(t, cs)
		if !x.refused {
			ready(t, hosts...)
			if got := hosts[1].members[0].remembered(); got != signedBy(&cs[0], checkpointOf(12)) {
				t.Errorf("%s: remembered %v, want the new key's", name, got)
			}
			if s := status(hosts[0], 1); s.Refused > 0 {
				t.Errorf("%s: an honest neighbour is blamed: %+v", name, s)
			}
		} else {
			eventually(t, "refused", func() bool { return status(hosts[1], 0).Alarm != "" })
			ws[0].mu.Lock()
			for _, c := range ws[0].remembers[1] {
				if c.Records <= x.has {
					t.Errorf("%s: a neighbour agrees with %v", name, c)
				}
			}
			ws[0].mu.Unlock()
		}
		for _, h := range hosts {
			shut(t, h)
		}
	}
}

// TestNothingIsBelievedBeyondWhatIsPaidFor, also if the present key has signed it.
func TestNothingIsBelievedBeyondWhatIsPaidFor(t *testing.T) {
	cs, _, _ := replaced(2)
	for n, want := range map[uint64]bool{0: true, 1000: true, 1001: false, 1 << 40: false} {
		if got := cs[1].proves(0, signedBy(&cs[0], checkpointOf(n))); got != want {
			t.Errorf("%d records: %v", n, got)
		}
	}
}

// TestAStatedLedgerIsReported: a peer without a link that knows only what the owner stated with its new key reports it, so that
// an owner that has released nothing since opens.
func TestAStatedLedgerIsReported(t *testing.T) {
	cs, ws, _ := replaced(3)
	cs[0].Checkpoint = checkpointOf(10)
	hosts := start(t, cs)
	ready(t, hosts...)
	require.NoError(t, hosts[0].TradeMemories(t.Context(), 2))
	if !ws[0].shown(2, checkpointOf(10)) {
		t.Error("what was stated is not reported")
	}
}

// TestEachFormerKeyProvesItsOwn: after several rotations peers remember what was stated in the last one, and each former key proves
// evidence up to its own.
func TestEachFormerKeyProvesItsOwn(t *testing.T) {
	cs, _, former := replaced(2, 2, 6)
	if got := cs[1].Peers[0].stated(); got != checkpointOf(10) {
		t.Errorf("stated %v", got)
	}
	for k, want := range map[byte]uint64{90: 10, 100: 2, 101: 6} {
		key := Config{Identity: SeedIdentity([32]byte{k}), Network: former.Network}
		if got, ok := cs[1].formerly(0, signedBy(&key, checkpointOf(4))); !ok || got != want {
			t.Errorf("key %d stated %d records, %v, want %d", k, got, ok, want)
		}
	}
	if _, ok := cs[1].formerly(0, signedBy(&cs[0], checkpointOf(4))); ok {
		t.Error("the present key counts as a former one")
	}
}

// TestAnOldCopySaysSoAfterARotation: for every ledger that a backup can have between the statement of a rotation and the end of the former
// key's use, and one neighbour that remembers more, signed by that key: the copy has no link with the neighbour and says why, and
// the neighbour, which is honest, is not blamed. What can be no memory is blamed as before.
func TestAnOldCopySaysSoAfterARotation(t *testing.T) {
	for _, x := range []struct {
		has, remembers uint64
		blamed         bool
	}{{10, 11, false}, {10, 14, false}, {11, 12, false}, {13, 14, false}, {10, 1 << 40, true}} {
		cs, ws, former := replaced(3)
		ledgerOf(&cs[0], x.has)
		var log lines
		cs[0].Logger = log.logger()
		for i := range cs[1:] { // peer 2 knows what was stated
			cs[1+i].Known = make([]protocol.SignedCheckpoint, 3)
		}
		cs[1].Known[0] = signedBy(&former, checkpointOf(x.remembers))
		hosts := start(t, cs)
		eventually(t, "a refusal", func() bool { s := status(hosts[0], 1); return s.State != Up && s.LastError != "" })
		why := "it is in other hands, or this folder is an older copy"
		if x.blamed {
			why = "that this peer has not signed"
		}
		eventually(t, fmt.Sprintf("%+v: named, once", x), func() bool { return log.count(why) > 0 })
		if s := status(hosts[0], 1); (s.State != Refused) != x.blamed || strings.Contains(s.LastError, wire.ErrViolation.Error()) != x.blamed {
			t.Errorf("%+v: %+v", x, s)
		}
		if ws[0].remembered(1, checkpointOf(x.remembers)) {
			t.Errorf("%+v: a former key made a memory", x)
		}
		for _, h := range hosts {
			shut(t, h)
		}
	}
}

// TestEvidenceByThePresentKeyCountsMore than by a former one, which may be in other hands since: it takes its place, in whichever order they
// come, and the log says which key has signed.
func TestEvidenceByThePresentKeyCountsMore(t *testing.T) {
	for _, present := range []bool{false, true} { // comes first
		cs, _, former := replaced(2)
		var f forks
		f.watch(&cs[0])
		var log lines
		cs[0].Logger = log.logger()
		hosts := start(t, cs)
		ready(t, hosts...)
		false3, true9 := signedBy(&former, branch(3, 1)), signedBy(&cs[0], branch(9, 1))
		shows, want := []protocol.SignedCheckpoint{false3, false3, true9, false3, true9}, []protocol.SignedCheckpoint{false3, true9}
		if present {
			shows, want = shows[2:], want[1:]
		}
		for _, s := range shows {
			hosts[0].learn(hosts[0].members[0], s, 1)
		}
		if got := f.of(0); !slices.Equal(got, want) {
			t.Errorf("the present key's first %v: kept %v, want %v", present, got, want)
		}
		if n, m := log.count("\"by its present key\"=false"), log.count("\"by its present key\"=true"); n != len(want)-1 || m != 1 {
			t.Errorf("the log has %d lines of a former key and %d of the present one", n, m)
		}
		for _, h := range hosts {
			shut(t, h)
		}
	}
}
