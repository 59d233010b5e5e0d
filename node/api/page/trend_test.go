package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"

	"peerd.dev/node/api"
)

// TestATrendKeepsHours: over a day the samples are bounded and equally far apart, with the newest one, and the last 9 hours are kept at least;
// without a limit all of the time is.
func TestATrendKeepsHours(t *testing.T) {
	for _, longest := range []int64{0, longestSample} {
		b := trend{longest: longest}
		for at := range int64(86_400) {
			b.add(at, sample{{own, ""}: float64(at)})
			n := len(b.at)
			if n > mostSamples || len(b.series[key{own, ""}]) != n || b.at[n-1] != at {
				t.Fatalf("%d samples up to %d at %d", n, b.at[n-1], at)
			}
			if kept := at - b.at[0]; kept < min(at, 9*3600) {
				t.Fatalf("%d s are kept at %d", kept, at)
			}
		}
		for i, at := range b.at {
			if b.value(key{own, ""}, i) != float64(at) {
				t.Errorf("sample %d of %d is %v", i, at, b.value(key{own, ""}, i))
			}
			if i > 1 && i < len(b.at)-1 && at-b.at[i-1] != b.every {
				t.Errorf("samples at %d and %d, want %d apart", b.at[i-1], at, b.every)
			}
		}
		if longest == 0 && (b.at[0] != 0 || b.every != 256) || longest > 0 && (b.at[0] == 0 || b.every != longest) {
			t.Errorf("limit %d: from %d on, every %d", longest, b.at[0], b.every)
		}
	}
}

// TestAGapIsNotZero: what is not known then is unknown, before it and after it nothing is lost, and a series that ends is forgotten.
func TestAGapIsNotZero(t *testing.T) {
	var b trend
	red := key{own, "red"}
	b.add(0, sample{{own, ""}: 1})
	b.add(1, sample{{own, ""}: 2, red: 5})
	b.add(2, nil)
	b.add(3, sample{{own, ""}: 3, red: 6})
	b.add(3, sample{{own, ""}: 9}) // no time has passed
	if got := fmt.Sprint(b.series[red], b.series[key{own, ""}]); got != "[NaN 5 NaN 6] [1 2 NaN 3]" {
		t.Error(got)
	}
	c := newChart(b.at, "own", func(int64) string { return "" }, short, []series{{"red", false, func(i int) float64 { return b.value(red, i) }}})
	if got := c.Lines[0]; got.Path != "M145 39.7h.1M340 18.0h.1" || got.First != "unknown" || got.Middle != "unknown" || got.Now != "6" {
		t.Errorf("%+v", got)
	}
	b.add(4, sample{{own, ""}: 4})
	if b.series[red] != nil {
		t.Error("red has gone and is kept")
	}
}

// TestRegretOfKnownNumbers: with 100 choices at 0.5 and 20 at 0.3, and 4 of which nothing is known.
func TestRegretOfKnownNumbers(t *testing.T) {
	known := func(mean, half float64) arm {
		return arm{Arm: api.Arm{Estimate: mean}, Low: mean - half, High: mean + half, Bar: new(bar)}
	}
	arms := []arm{known(.5, .1), known(.3, .2), {}, known(.9, .1)}
	arms[3].Retired = true // cannot be chosen, and its choices have cost nothing
	got, half := regret(arms, []float64{100, 20, 4, 0}, 0, 1)
	if want := math.Sqrt(2.4*2.4 + 4*4 + 2*2); math.Abs(got-4) > 1e-12 || math.Abs(half-want) > 1e-12 {
		t.Errorf("%v ± %v, want 4 ± %v", got, half, want)
	}
	if got, _ = regret(arms, make([]float64, 4), 0, 1); !math.IsNaN(got) {
		t.Errorf("%v without choices", got)
	}
	if got, _ = regret(arms[2:3], []float64{4}, 0, 1); !math.IsNaN(got) {
		t.Errorf("%v without estimates", got)
	}
}

// TestNumbersAtTheEndsDoNotOverlap, wherever lines end.
func TestNumbersAtTheEndsDoNotOverlap(t *testing.T) {
	for _, heights := range [][]float64{{148, 148, 148, 148, 148, 148, 148}, {18, 18, 18, 18, 18, 18, 18}, {20, 148, 21, 30, 147, 22, 90}} {
		moved := slices.Sorted(slices.Values(apart(heights)))
		for i, y := range moved {
			if y < chartTop-chartMark/2 || y > chartBottom || i > 0 && y-moved[i-1] < chartMark-1e-9 {
				t.Errorf("%v becomes %v", heights, moved)
			}
		}
	}
}

// learner is a hostile peer that learns, with public counts or without.
type learner struct {
	*fake
	public bool
	round  float64
	fails  atomic.Bool
}

func (l *learner) Status(ctx context.Context) (api.Status, error) {
	s, err := l.fake.Status(ctx)
	if l.public {
		s.Pulls = make([]uint64, len(l.names))
	}
	if l.fails.Load() {
		return s, errors.New("starting")
	}
	return s, err
}

func (l *learner) Arms(ctx context.Context) ([]api.Arm, error) {
	all, err := l.fake.Arms(ctx)
	for i := range all {
		all[i].Pulls = uint64(l.round) * uint64(i+1)
		all[i].Own, all[i].Borrowed = l.round*float64(i), l.round*float64(2*i)
	}
	return all, err
}

// watched returns the page of a peer that was looked at for some seconds.
func watched(l *learner, seconds int) *Page {
	p := New(l, slog.New(slog.DiscardHandler))
	now := time.Date(2026, 3, 1, 14, 3, 0, 0, time.UTC)
	p.now = func() time.Time { return now }
	for range seconds {
		_ = p.look(context.Background(), now)
		now = now.Add(time.Second)
		l.round++
	}
	return p
}

// TestATrendShowsNamesAsText: with public counts shares of choices and a regret by them, without them neither a share nor a count.
func TestATrendShowsNamesAsText(t *testing.T) {
	for _, public := range []bool{true, false} {
		l := &learner{fake: hostile(), public: public}
		l.names = append(l.names, "six", "seven", "<b>eight</b>")
		p := watched(l, 300)
		body := ask(p, login(t, p, Prefix+"learning")).Body
		if _, err := html.Parse(bytes.NewReader(body.Bytes())); err != nil || strings.Contains(body.String(), "<b>") {
			t.Error(err, "a name became markup")
		}
		text := body.String()
		for _, want := range []string{"The lines begin at 2026-03-01 14:03 UTC, when the peer started.", "<bdi>&lt;b&gt;eight&lt;/b&gt;</bdi>", "the 2 others", "Own evidence", "Borrowed evidence", "Regret estimate of this site", "14:03:00", "14:07:59"} {
			if !strings.Contains(text, want) {
				t.Errorf("public %v: %q is missing", public, want)
			}
		}
		if strings.Contains(text, "Share of choices") != public || strings.Contains(text, "from public counts") != public {
			t.Errorf("public %v: shares or the kind of counts are wrong", public)
		}
		body = ask(p, login(t, p, Prefix+"network")).Body
		if text = body.String(); !strings.Contains(text, "Links to neighbours") || !strings.Contains(text, "neighbours</th><td>3</td>") {
			t.Error("links are missing")
		}
	}
}

// TestSharesOfTheLastTime: what is chosen always now has a share near 1, whatever was chosen before.
func TestSharesOfTheLastTime(t *testing.T) {
	var b trend
	for at := range int64(100) {
		b.add(at, sample{{choices, ""}: float64(2 * at), {choices, "red"}: float64(at + max(0, at-50)), {choices, "green"}: float64(at - max(0, at-50))})
	}
	if x, y, z := b.share("red", 40), b.share("red", 99), b.share("red", 0); x != .5 || y != 1 || !math.IsNaN(z) {
		t.Error(x, y, z)
	}
}

// TestAThousandActionsStaySmall: a view in bytes, and a trend in memory.
func TestAThousandActionsStaySmall(t *testing.T) {
	l := &learner{fake: hostile(), public: true}
	for i := range 995 {
		l.names = append(l.names, fmt.Sprintf("action <%d> %s", i, strings.Repeat("name", 6)))
	}
	p := watched(l, 600)
	for _, v := range views() {
		w := ask(p, login(t, p, Prefix+v.Path))
		if w.Code != http.StatusOK || w.Body.Len() > 60_000 {
			t.Errorf("%s: %d, %d bytes", v.Name, w.Code, w.Body.Len())
		}
		if all := w.Body.String(); v.Name == "learning" && (!strings.Contains(all, "the 994 others") || !strings.Contains(all, "950 more are in")) {
			t.Error("the other actions are not spoken of")
		}
		t.Logf("%s: %d bytes", v.Name, w.Body.Len())
	}
	s := newSource(l)
	if err := s.look(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if n := len(s.trend.series); n > 3*mostActions+8 {
		t.Errorf("%d series", n)
	}
}

// TestRunEndsWithThePage: it takes a sample each second, later fewer, a failure is a gap, and it ends with Close as with its context.
func TestRunEndsWithThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
		l := &learner{fake: hostile(), public: true}
		s := newSource(l)
		p := newPage(views(), s.show, slog.New(slog.DiscardHandler))
		p.look = s.look
		go p.Run(t.Context())
		time.Sleep(10*time.Second + time.Second/2)
		l.fails.Store(true)
		time.Sleep(10 * time.Second)
		l.fails.Store(false)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		gaps := 0
		for _, x := range s.trend.series[key{linksUp, ""}] {
			if math.IsNaN(x) {
				gaps++
			}
		}
		if n := len(s.trend.at); n != 31 || gaps != 10 {
			t.Errorf("%d samples, %d gaps", n, gaps)
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if n := len(s.trend.at); n > mostSamples || time.Since(s.newest) > newestSample*time.Second || s.trend.every != longestSample {
			t.Errorf("%d samples, every %d s, the newest %v old", n, s.trend.every, time.Since(s.newest))
		}
		if body := ask(p, login(t, p, Prefix+"learning")).Body.String(); strings.Contains(body, "when the peer started") {
			t.Error("the beginning has gone, and is said to be there")
		}
		p.Close()
		synctest.Wait()
	})
}
