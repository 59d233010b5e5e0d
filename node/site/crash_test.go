package site

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// TestCrashAtAnyMoment crashes a busy site again and again, while clients decide and report and
// rounds end. All, none or some blocks of the unsynced data stay on the disk. Everything that was
// answered is there, every reward counts once, and no node has two values.
func TestCrashAtAnyMoment(t *testing.T) {
	t.Parallel()
	for _, name := range protocols() {
		for _, settle := range []Settle{AtWindow, OnArrival} {
			for _, exact := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/exact=%v", name, settle, exact), func(t *testing.T) {
					t.Parallel()
					x := usual(name, settle)
					x.rules.Keep = 1e6 * every // nothing is forgotten
					x.rules.PerSubject = 3
					x.saveEvery = 50
					if exact {
						x = x.repeatable(1)
						x.mechanism = dp.None
					}
					crashes(t, x, 8)
				})
			}
		}
	}
}

// TestSumsSurviveCrashes: in the same way, each report counts once in the sum of its decision, and later values replace earlier
// ones, whatever was lost.
func TestSumsSurviveCrashes(t *testing.T) {
	t.Parallel()
	for _, adding := range []Adding{Sum, Last} {
		for _, settle := range []Settle{AtWindow, OnArrival} {
			t.Run(fmt.Sprintf("%s/%s", adding, settle), func(t *testing.T) {
				t.Parallel()
				x := usual(stated, settle).repeatable(1)
				x.mechanism = dp.None
				x.rules.Keep, x.rules.PerSubject, x.saveEvery = 1e6*every, 3, 50
				x.rules.Adding, x.rules.Range = adding, Range{-1, 1}
				crashes(t, x, 8)
			})
		}
	}
}

func crashes(t *testing.T, x setting, lives int) {
	if testing.Short() {
		lives = 4
	}
	rng := rand.New(rand.NewPCG(1, 1))
	r, k, b := newRig(t, x), newAcks(), newBooks(t)
	r.start()
	for life := range lives {
		k = crashed(r, k, rng, life)
		r.start()
		d := r.draft()
		for at, n := range d.nodes {
			if old, ok := b.nodes[drawn{d.parts[0], at}]; ok && old.Values[0] != n.Values[0] {
				t.Fatalf("life %d: node %+v is %v, and left as %v", life, at, n, old)
			}
		}
		if m := r.net.memory(left); m.Records > 0 {
			b.leaves(d, m)
		}
		k.check(r)
	}
	r.clock.add(window)
	r.rounds(6)
	d := r.draft()
	for at := range b.nodes {
		if d.nodes[at.place] == nil || d.nodes[at.place].Values[0] != b.nodes[at].Values[0] {
			t.Fatalf("node %+v left and is not in the ledger any more", at)
		}
	}
	for _, f := range r.net.frames {
		m, err := protocol.Decode(vouch.For([]byte(f.bytes)))
		if err != nil {
			t.Fatal(err)
		}
		covered(t, &r.setting, d, m)
	}
	settle(r, d, k)
	if r.inside {
		r.insideIsRight()
	}
	r.stop()
}

// crashed runs clients and rounds until the disk is copied in the middle, and returns what had
// been answered before.
func crashed(r *rig, k *acks, rng *rand.Rand, life int) *acks {
	ctx := r.t.Context()
	site := r.s
	stop, now, worked := make(chan struct{}), make(chan struct{}), make(chan struct{})
	after := k.size() + 20 + rng.IntN(120)
	var once sync.Once
	var all sync.WaitGroup
	for c := range 4 {
		dice := rand.New(rand.NewPCG(uint64(life), uint64(c)))
		all.Go(func() {
			client(r, site, k, dice, fmt.Sprintf("%d-%d", life, c), stop, worked)
		})
	}
	var sender sync.WaitGroup
	sender.Go(func() {
		if err := site.send(ctx, r.net); err != nil {
			r.t.Error(err)
		}
	})
	all.Go(func() {
		defer close(site.sends)
		for t := max(site.state.Round, site.roundAt(r.clock.Now())); ; t++ {
			select {
			case <-stop:
				return
			case <-worked:
			}
			r.clock.add(every)
			if err := site.Round(protocol.Round(t), r.net.step(protocol.Round(t))); err != nil {
				r.t.Error(err)
			}
			if k.size() > after {
				once.Do(func() { close(now) })
			}
		}
	})
	cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 100, 1 + rng.IntN(99)}[rng.IntN(3)], RNG: rng}
	<-now
	before := k.clone()
	r.net.mu.Lock()
	r.net.dead = true
	disk := r.disk.CrashClone(cfg)
	r.net.mu.Unlock()
	close(stop)
	all.Wait()
	sender.Wait()
	_ = site.store.Close()
	r.disk, r.net.dead = disk, false
	return before
}

// client decides and reports until it is stopped.
func client(r *rig, s *Site, k *acks, rng *rand.Rand, name string, stop <-chan struct{}, worked chan<- struct{}) {
	ctx := r.t.Context()
	var mine []string
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		if rng.IntN(10) == 0 {
			select {
			case worked <- struct{}{}:
			case <-stop:
				return
			}
		}
		if len(mine) == 0 || rng.IntN(2) == 0 {
			ask := decision.Ask{ID: fmt.Sprintf("%s-%d", name, i)}
			if rng.IntN(3) == 0 {
				ask.Subject = fmt.Sprint(rng.IntN(10))
			}
			ask.Keep = s.inside.half != nil && rng.IntN(4) == 0
			out := s.Decide(ctx, []decision.Ask{ask})
			if out[0].Err != nil {
				r.t.Errorf("decision: %v", out[0].Err)
				return
			}
			k.decided(out[0].Value)
			mine = append(mine, ask.ID)
			continue
		}
		report := decision.Report{ID: mine[rng.IntN(len(mine))], Value: bandit.Reward(float64(rng.IntN(5)) / 4)}
		if s.c.Rules.Adding == Sum {
			report.Part = fmt.Sprint(rng.IntN(8)) // often one that was reported before, with this value or another
		}
		report.End = s.c.Rules.Adding != First && rng.IntN(8) == 0
		out := s.Reward(ctx, []decision.Report{report})
		switch refused(r.t, out[0].Err) {
		case "":
			k.rewarded(report)
		case decision.Expired, decision.Conflict:
		default:
			r.t.Errorf("reward: %v", out[0].Err)
		}
	}
}

// acks are the answers that were given.
type acks struct {
	mu        sync.Mutex
	decisions map[string]decision.Decision
	rewards   map[reported]bandit.Reward
}

// reported names a report; its number is "" unless rewards add up.
type reported struct{ id, part string }

func newAcks() *acks {
	return &acks{decisions: make(map[string]decision.Decision), rewards: make(map[reported]bandit.Reward)}
}

func (k *acks) decided(d decision.Decision) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.decisions[d.ID] = d
}

func (k *acks) rewarded(r decision.Report) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rewards[reported{r.ID, r.Part}] = r.Value
}

func (k *acks) size() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.decisions) + len(k.rewards)
}

func (k *acks) clone() *acks {
	k.mu.Lock()
	defer k.mu.Unlock()
	return &acks{decisions: maps.Clone(k.decisions), rewards: maps.Clone(k.rewards)}
}

// check checks that the site still has everything that was answered.
func (k *acks) check(r *rig) {
	r.t.Helper()
	for id, d := range k.decisions {
		v, err := r.s.store.Get(store.Decision, []byte(id))
		if err != nil || v == nil {
			r.t.Fatalf("decision %s was answered and is lost (%v)", id, err)
		}
		c, err := parseChoice(v, r.c.shape())
		if err != nil {
			r.t.Fatal(err)
		}
		if r.arms[c.arm] != d.Action || c.chance != d.Propensity || r.s.learns(&c) != d.Counted || c.kept != d.Kept || !c.expires.Equal(d.ExpiresAt) || c.source != d.Source {
			r.t.Fatalf("decision %s was %+v, is %+v", id, d, c)
		}
	}
	n := 0
	for of, value := range k.rewards {
		id := of.id
		v, err := r.s.store.Get(store.Decision, []byte(id))
		c, perr := parseChoice(v, r.c.shape())
		if err != nil || perr != nil || !c.rewarded {
			r.t.Fatalf("the reward of %s was answered and is lost", id)
		}
		switch r.rules.Adding {
		case First:
		case Last: // clients report at the same time, and a later value may have come before the crash
			continue
		case Sum:
			sum, hashes := bandit.Reward(0), make(map[[8]byte]bandit.Reward)
			for _, p := range c.parts {
				hashes[p.hash] = p.value
				sum += p.value
			}
			if p := r.s.addend(&decision.Report{Part: of.part, Value: value}); hashes[p.hash] != value || len(hashes) != len(c.parts) || sum != c.value {
				r.t.Fatalf("report %s of %s was answered and is lost, or is in the sum twice", of.part, id)
			}
			continue
		}
		if c.value != value {
			r.t.Fatalf("the reward of %s was answered and is lost", id)
		}
		if n++; n > 10 {
			continue // the calls below wait for the disk
		}
		if got := r.pay(id, float64(value)); !got.Duplicate {
			r.t.Fatalf("the reward of %s was answered and is lost", id)
		}
		if _, err := r.report(id, float64(1-value/2)); value != 1-value/2 && refused(r.t, err) != decision.Conflict {
			r.t.Fatalf("another reward of %s: %v", id, err)
		}
	}
}

// settle compares the released leaves with the decisions: each decision that counts is in one
// leaf, with its reported reward or the default. With a learner that explores in epochs, only
// decisions that explore count, and the newest epoch may be open.
func settle(r *rig, d *draft, k *acks) {
	r.t.Helper()
	counts, sums := make([]uint64, len(r.arms)), make([]int64, len(r.arms))
	last, lastCounts, lastSums := uint64(0), make([]uint64, len(r.arms)), make([]int64, len(r.arms)) // of the newest epoch
	found := 0
	for e, err := range r.s.store.Scan(store.Decision, nil, nil) {
		if err != nil {
			r.t.Fatal(err)
		}
		c, err := parseChoice(e.Value, r.c.shape())
		if err != nil {
			r.t.Fatal(err)
		}
		if _, ok := k.decisions[string(e.Key)]; ok {
			found++
		}
		if !c.counted || !c.route.In {
			continue
		}
		if !c.rewarded {
			c.value = bandit.Reward(r.rules.Default)
		}
		q, err := dp.Quantize(float64(r.rules.Range.observed(c.value)), 0, 1)
		if err != nil {
			r.t.Fatal(err)
		}
		counts[c.arm]++
		sums[c.arm] += q
		if c.route.Epoch > last {
			last = c.route.Epoch
			clear(lastCounts)
			clear(lastSums)
		}
		if last > 0 && c.route.Epoch == last {
			lastCounts[c.arm]++
			lastSums[c.arm] += q
		}
	}
	if found != len(k.decisions) {
		r.t.Errorf("%d decisions of %d that were answered are there", found, len(k.decisions))
	}
	if n := r.status().Pending; n != 0 {
		r.t.Errorf("%d decisions wait after all windows have ended", n)
	}
	for arm := range r.arms {
		s := dp.StreamID(arm)
		sum, count := d.sum(r.t, s, d.newest[s])
		if last > 0 && count == counts[arm]-lastCounts[arm] { // it is open
			counts[arm] -= lastCounts[arm]
			sums[arm] -= lastSums[arm]
		}
		if count != counts[arm] || r.mechanism == dp.None && sum != sums[arm] {
			r.t.Errorf("arm %d: the leaves hold %d rewards of %d, the decisions say %d of %d", arm, count, sum, counts[arm], sums[arm])
		}
	}
}
