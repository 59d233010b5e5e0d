package main

import (
	"context"
	"fmt"
	"html"
	"iter"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/extra/status"
	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/node/api/page"
	"peerd.dev/node/ledger"
	verified "peerd.dev/node/ledger/check"
)

// A stating peer has the answers of a test.
type stating struct {
	api.Backend
	status  api.Status
	arms    []api.Arm
	delta   float64
	charged []byte // a record
}

func (b *stating) Status(context.Context) (api.Status, error)   { return b.status, nil }
func (b *stating) Arms(context.Context) ([]api.Arm, error)      { return b.arms, nil }
func (b *stating) Peers(context.Context) ([]api.Peer, error)    { return nil, nil }
func (b *stating) Network(context.Context) (api.Network, error) { return api.Network{}, nil }
func (b *stating) Privacy(context.Context) (api.Privacy, error) {
	return api.Privacy{Delta: b.delta}, nil
}

func (b *stating) Inside(context.Context) (api.Inside, error) { return api.Inside{}, api.ErrGivesAll }
func (b *stating) Actions() []string                          { return []string{"mail", "call"} }
func (b *stating) Range() (least, most float64)               { return 0, 1 }
func (b *stating) Ready(context.Context) error                { return nil }
func (b *stating) Ledger(context.Context, uint64, uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) { yield(b.charged, nil) }
}

// seen returns a view of the page of a peer.
func (b *stating) seen(t *testing.T, view string) string {
	t.Helper()
	p := page.New(b, slog.New(slog.DiscardHandler))
	in := httptest.NewRecorder()
	p.ServeHTTP(in, httptest.NewRequest(http.MethodGet, p.Link(), nil))
	r, w := httptest.NewRequest(http.MethodGet, page.Prefix+view, nil), httptest.NewRecorder()
	r.AddCookie(in.Result().Cookies()[0])
	p.ServeHTTP(w, r)
	return w.Body.String()
}

// TestPageAndStatusStateTheSameErrors: by features an interval of the page is 1.96 of the standard errors of peerd status to each side, and
// both have the same sentence on gain. Where an action has no estimate of its own, the page has none.
func TestPageAndStatusStateTheSameErrors(t *testing.T) {
	const sentence = "what joining has gained is not computed for learners by features"
	b := &stating{
		status: api.Status{ByFeatures: 6, Round: 547, Rounds: 1 << 30, Gain: &api.Gain{Sentence: sentence}},
		arms: []api.Arm{
			{Name: "mail", Estimate: .5, Error: .05, Samples: 7838, Own: 2199.7, Borrowed: 5640.2, Sites: 2, Effects: []api.Effect{{Feature: "hour", Change: .1, Error: .02}, {Feature: "device", Category: "tablet", Change: -.204, Error: .05}}},
			{Name: "call", Estimate: .25, Error: .0125, Samples: 7838, Own: 2199.7, Borrowed: 5640.2, Sites: 2, Effects: []api.Effect{{Feature: "hour", Change: .1, Error: .02}, {Feature: "device", Category: "tablet", Change: .03, Error: .01}}},
		},
	}
	var w strings.Builder
	status.Status(&w, b.status, b.arms)
	number := func(text string) float64 {
		return require.Value(strconv.ParseFloat(text, 64))(t)
	}
	for _, view := range []string{"", "learning"} {
		body := b.seen(t, view)
		for _, a := range b.arms {
			said := regexp.MustCompile(`\n` + a.Name + ` +([0-9.]+) ± ([0-9.]+)`).FindStringSubmatch(w.String())
			shown := regexp.MustCompile(`<bdi>` + a.Name + `</bdi></th><td>([0-9.]+)</td><td>([0-9.]+) to ([0-9.]+)</td>`).FindStringSubmatch(body)
			if said == nil || shown == nil {
				t.Fatalf("%s: %q %q in\n%s\n%s", a.Name, said, shown, w.String(), body)
			}
			if mean, half := number(shown[1]), (number(shown[3])-number(shown[2]))/2; math.Abs(mean-number(said[1])) > .01 || math.Abs(half/1.96-number(said[2])) > .006 {
				t.Errorf("view %q says %s, %s to %s, and status %s ± %s", view, shown[1], shown[2], shown[3], said[1], said[2])
			}
		}
	}
	learning := b.seen(t, "learning")
	if !strings.Contains(learning, "2,200 own, 5,640 borrowed from 2 other sites") || strings.Contains(learning, "Borrowed") || !strings.Contains(learning, sentence) || !strings.Contains(w.String(), sentence) {
		t.Errorf("%s\n%s", learning, w.String())
	}
	if !regexp.MustCompile(`REWARD +hour +device=tablet\n`).MatchString(w.String()) || !strings.Contains(learning, "<bdi>hour</bdi></th><th scope=\"col\"><bdi>device=tablet</bdi></th>") {
		t.Errorf("%s\n%s", learning, w.String())
	}
	effects := regexp.MustCompile(`([+-]\d\.\d\d) ± (\d\.\d\d)`).FindAllStringSubmatch(w.String(), -1)
	shown := regexp.MustCompile(`<td class="number">([+-]\d\.\d\d) \(([+-]\d\.\d\d) to ([+-]\d\.\d\d)\)</td>`).FindAllStringSubmatch(html.UnescapeString(learning), -1)
	if len(effects) != 4 || len(shown) != 4 {
		t.Fatalf("%q\n%q\n%s\n%s", effects, shown, learning, w.String())
	}
	for i, said := range effects {
		if half := (number(shown[i][3]) - number(shown[i][2])) / 2; shown[i][1] != said[1] || math.Abs(half/1.96-number(said[2])) > .006 {
			t.Errorf("the page says %q, and status %q", shown[i], said)
		}
	}
	if now := b.seen(t, ""); !strings.Contains(now, "<dd>547</dd>") || strings.Contains(now, "1,073,741,824") {
		t.Error(now)
	}
	b.arms[0].Estimate, b.arms[0].Error, b.arms[0].Effects = 0, 0, nil
	if now := b.seen(t, ""); !strings.Contains(now, `<bdi>mail</bdi></th><td colspan="3">it depends on features</td>`) {
		t.Error(now)
	}
}

// TestThePageSaysAChargeAsTheLedgerDoes: as the ε that it has at the δ of the budget, where both commands and the page know it.
func TestThePageSaysAChargeAsTheLedgerDoes(t *testing.T) {
	delta := require.Value(account.DeltaOf(1e-6))(t)
	open := &ledger.Open{Charge: dp.Charge{What: "rewards", Streams: 2, Leaves: 30, Loss: account.Loss{Square: 55_917_924}}}
	line := require.Value((&ledger.Record{Seq: 1, Body: open}).Append(nil))(t)
	words := verified.Words{Delta: delta}
	_, of, what := words.Line(open)
	if !strings.Contains(what, "charge ε ") {
		t.Fatal(what)
	}
	b := &stating{status: api.Status{LedgerRecords: 2}, delta: 1e-6, charged: line}
	if left := b.seen(t, "left"); !strings.Contains(left, fmt.Sprintf("<bdi>%s</bdi>: %s</summary>", of, what)) {
		t.Errorf("no %q in %s", what, left)
	}
}
