package world

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/bandit"
)

// replay returns the world of r.
func replay(t rapid.TB, r *Records, seed uint64) *Replay {
	t.Helper()
	return NewReplay(r, seeded(seed))
}

func TestEachRecordPlayedAtMostOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := load(t, append(anyLines(t), everyArm()...))
		// Every record has its own reward, so that a reward identifies the record that was played.
		playable := map[bandit.Reward]armset{}
		for i := range r.rows {
			r.rows[i].reward = bandit.Reward(i + 1)
			if r.rows[i].arms.size() == 1 {
				playable[r.rows[i].reward] = r.rows[i].arms
			}
		}
		w := replay(t, r, rapid.Uint64().Draw(t, "seed"))
		sum, n, want := make([]float64, arms), make([]int, arms), w.Means()
		for len(playable) > 0 {
			a := bandit.Arm(rapid.IntRange(0, arms-1).Draw(t, "arm"))
			left := w.Left(a)
			y, err := w.Play(a)
			if left == 0 {
				if !errors.Is(err, ErrExhausted) {
					t.Fatalf("arm %d is empty, Play says %v", a, err)
				}
				for a = 0; w.Left(a) == 0; a++ { // so that the loop ends
				}
				y, err = w.Play(a)
			}
			if err != nil {
				t.Fatal(err)
			}
			s, ok := playable[y]
			if !ok {
				t.Fatalf("record %d played twice, or not playable", int(y))
			}
			if s&(1<<a) == 0 {
				t.Fatalf("record %d of arms %05b played as arm %d", int(y), s, a)
			}
			delete(playable, y)
			sum[a] += float64(y)
			n[a]++
		}
		for a := range arms {
			if w.Left(bandit.Arm(a)) != 0 {
				t.Fatalf("arm %d has more than all records", a)
			}
			if m := sum[a] / float64(n[a]); math.Abs(m-want[a]) > 1e-9 {
				t.Fatalf("arm %d paid %v, Means says %v", a, m, want[a])
			}
		}
	})
}

func TestReplayRefuses(t *testing.T) {
	w := replay(t, load(t, everyArm()), 1)
	for a, want := range map[bandit.Arm]string{5: "world: arm 5, want 0 to 4", -1: "world: arm -1, want 0 to 4"} {
		if _, err := w.Play(a); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := w.Play(2); err != nil {
		t.Error(err)
	}
	if _, err := w.Play(2); !errors.Is(err, ErrExhausted) || err.Error() != "world: no record left of arm 2" {
		t.Error(err)
	}
}

func TestWhatHoldsRewardsPrintsPrivate(t *testing.T) {
	r := load(t, []line{
		{777000777, "Secret", "insulin=Steady", ">30"},
		{777000777, "Secret", "metformin=Steady", ">30"},
		{777000777, "Secret", "acarbose=Steady", "NO"},
		{777000777, "Secret", "glyburide=Steady", "NO"},
		{777000777, "Secret", "", "NO"},
	})
	w := replay(t, r, 1)
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%s", "%x"} {
		for _, v := range []any{r, *r, w, *w} {
			if s := fmt.Sprintf(verb, v); s != "private" {
				t.Errorf("%s of %T: %s", verb, v, s)
			}
		}
		// What another struct hides prints without Format.
		for _, v := range []any{struct{ r *Records }{r}, struct{ w bandit.World }{w}} {
			if s := fmt.Sprintf(verb, v); strings.Contains(s, "777000777") || strings.Contains(s, "Secret") || strings.Contains(s, "reward") {
				t.Errorf("%s of %T: %s", verb, v, s)
			}
		}
	}
	var b strings.Builder
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "records", r, "replay", w)
	if !strings.Contains(b.String(), `"records":{},"replay":{}`) {
		t.Error(b.String())
	}
}
