package site

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// TestAStoreOfAnotherConfiguration: it is refused with a sentence, and not changed.
func TestAStoreOfAnotherConfiguration(t *testing.T) {
	for what, change := range map[string]func(x *setting){
		"another protocol":     func(x *setting) { x.protocol = stated },
		"more arms":            func(x *setting) { x.arms = append(x.arms, "more") },
		"fewer arms":           func(x *setting) { x.arms = x.arms[:2] },
		"another horizon":      func(x *setting) { x.horizon++ },
		"another user's bound": func(x *setting) { x.records++ },
	} {
		for _, recovered := range []bool{false, true} {
			t.Run(fmt.Sprint(what, " recovered=", recovered), func(t *testing.T) {
				r := lost(t, averaged, 5)
				r.start()
				r.stop()
				if recovered {
					r.open()
					require.Value(r.s.Recover(nil))(t)
					r.stop()
				}
				was := r.setting
				change(&r.setting)
				s, err := Open(r.config())
				if err == nil {
					_ = s.Close()
					t.Fatal("taken")
				}
				if !strings.Contains(err.Error(), "configuration") && !strings.Contains(err.Error(), "does not fit") {
					t.Errorf("it is refused as: %v", err)
				}
				r.setting = was
				r.open()
				r.stop()
			})
		}
	}
}

// TestDamageIsRefused: a site whose store makes no sense does not start.
func TestDamageIsRefused(t *testing.T) {
	for what, damage := range map[string]func(b *store.Batch, r *rig){
		"no snapshot":        func(b *store.Batch, _ *rig) { b.Delete(store.Snapshot, nil) },
		"another snapshot":   func(b *store.Batch, _ *rig) { b.Set(store.Snapshot, nil, []byte{snapshotVersion, 1, 2}) },
		"a newer snapshot":   func(b *store.Batch, _ *rig) { b.Set(store.Snapshot, nil, []byte{snapshotVersion + 1}) },
		"no ledger":          func(b *store.Batch, _ *rig) { b.DeleteBelow(store.Ledger, store.Number(1<<40)) },
		"a shorter ledger":   func(b *store.Batch, r *rig) { b.Delete(store.Ledger, store.Number(r.s.chain.Next-1)) },
		"another last line":  func(b *store.Batch, r *rig) { b.Set(store.Ledger, store.Number(r.s.chain.Next-1), []byte("{}")) },
		"a missing step":     func(b *store.Batch, r *rig) { b.Delete(store.Log, store.Number(r.s.step-1)) },
		"a step that is not": func(b *store.Batch, r *rig) { b.Set(store.Log, store.Number(r.s.step), []byte{1, 2, 3}) },
		"another choice": func(b *store.Batch, r *rig) {
			v, _ := r.s.store.Get(store.Log, store.Number(r.s.step))
			e, err := parseLogRecord(v, r.c.shape())
			if err != nil || e.kind != logChosen {
				r.t.Fatalf("the newest step is no choice (%v)", err)
			}
			e.chosen = (e.chosen + 1) % 3
			b.Set(store.Log, store.Number(r.s.step), e.bytes())
		},
		"a life of nobody":  func(b *store.Batch, _ *rig) { b.Set(store.Meta, []byte(lifeKey), []byte("?")) },
		"a claim of nobody": func(b *store.Batch, _ *rig) { b.Set(store.Meta, []byte("evidence"), []byte{}) },
	} {
		t.Run(what, func(t *testing.T) {
			x := usual(averaged, OnArrival)
			r := newRig(t, x)
			r.start()
			r.work(5)
			r.ask(decision.Ask{})
			r.ask(decision.Ask{})
			b := r.s.store.Batch()
			damage(b, r)
			require.NoError(t, b.Commit())
			r.crash()
			s, err := Open(r.config())
			if err == nil {
				_ = s.Close()
				t.Fatal("taken")
			}
			if strings.Contains(err.Error(), "panic") || len(err.Error()) < 20 {
				t.Errorf("it is refused as: %v", err)
			}
		})
	}
}

// TestTheOutboxEmpties: sent messages are removed with a later step, and a clean start sends few
// of them again.
func TestTheOutboxEmpties(t *testing.T) {
	r := started(t, usual(averaged, OnArrival))
	for range 30 {
		r.pay(r.ask(decision.Ask{}).ID, .5)
		r.round()
		n := 0
		for _, err := range r.s.store.Scan(store.Outbox, nil, nil) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n > 1 {
			t.Fatalf("%d steps are in the outbox after they were sent", n)
		}
	}
	if r.net.again > 0 {
		t.Errorf("%d frames were sent twice without a restart", r.net.again)
	}
	frames := len(r.net.frames)
	r.stop()
	r.start()
	if r.net.again == 0 || r.net.again > 5 || len(r.net.frames) != frames {
		t.Errorf("after a restart %d frames were sent again and %d new ones", r.net.again, len(r.net.frames)-frames)
	}
}

// TestTheLogIsCutShort: snapshots cut it, even if no round ends.
func TestTheLogIsCutShort(t *testing.T) {
	x := usual(stated, AtWindow)
	x.saveEvery = 64
	r := started(t, x)
	longest := 0
	for i := range 500 {
		r.ask(decision.Ask{})
		if i%100 == 99 {
			r.rounds(5)
		}
		n := 0
		for _, err := range r.s.store.Scan(store.Log, nil, nil) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		longest = max(longest, n)
	}
	if longest > 70 {
		t.Errorf("the log grew to %d steps, want snapshots every 64", longest)
	}
}

// TestClosingWhileBusy: calls in progress when the site closes are answered with what is then on
// the disk, or refused.
func TestClosingWhileBusy(t *testing.T) {
	r := newRig(t, usual(averaged, OnArrival))
	r.start()
	var all sync.WaitGroup
	var mu sync.Mutex
	var answered []string
	begun := make(chan struct{}, 64)
	for c := range 16 {
		all.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", c, i)
				out := r.s.Decide(context.Background(), []decision.Ask{{ID: id}})
				if out[0].Err != nil {
					if refused(t, out[0].Err) != decision.Unavailable {
						t.Error(out[0].Err)
					}
					return
				}
				mu.Lock()
				answered = append(answered, id)
				mu.Unlock()
				select {
				case begun <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 64 {
		<-begun
	}
	r.stop()
	all.Wait()
	r.disk = r.disk.CrashClone(vfs.CrashCloneCfg{})
	r.start()
	for _, id := range answered {
		if v, err := r.s.store.Get(store.Decision, []byte(id)); err != nil || v == nil {
			t.Fatalf("decision %s was answered and is lost (%v)", id, err)
		}
	}
	if n := r.s.store; n == nil || len(answered) < 64 {
		t.Errorf("%d answers", len(answered))
	}
	r.stop()
}

// TestOnlyOneOpens: a second daemon on the same folder does not start.
func TestOnlyOneOpens(t *testing.T) {
	r := started(t, usual(stated, AtWindow))
	if s, err := Open(r.config()); err == nil {
		_ = s.Close()
		t.Error("the folder is open twice")
	}
}

// TestTheLedgerIsReadInParts: Ledger yields whole lines, from a number on.
func TestTheLedgerIsReadInParts(t *testing.T) {
	r := started(t, usual(stated, AtWindow))
	r.rounds(9)
	lines := r.lines()
	for _, c := range []struct{ from, limit uint64 }{{0, 0}, {0, 1}, {3, 4}, {uint64(len(lines)) - 1, 5}, {uint64(len(lines)), 5}, {1 << 60, 5}} {
		want := lines[min(c.from, uint64(len(lines))):min(c.from+c.limit, uint64(len(lines)))]
		var got [][]byte
		for line, err := range r.s.Ledger(t.Context(), c.from, c.limit) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, line)
		}
		if !bytes.Equal(bytes.Join(got, nil), bytes.Join(want, nil)) || len(got) != len(want) {
			t.Errorf("from %d, %d: %d lines, want %d", c.from, c.limit, len(got), len(want))
		}
	}
}
