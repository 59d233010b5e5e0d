package testnet

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/graphs"
)

// get opens a page by the link in a text, and returns what it says.
func get(t *testing.T, text string) string {
	t.Helper()
	link := regexp.MustCompile(`http://127\.0\.0\.1:\d+/page/enter\?code=\w+`).FindString(text)
	jar, _ := cookiejar.New(nil) // no error without options
	client := http.Client{Jar: jar}
	body := ""
	for _, url := range []string{link, strings.Split(link, "enter")[0]} {
		r, err := client.Get(url)
		if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		var b strings.Builder
		err = r.Write(&b)
		if body = html.UnescapeString(b.String()); err != nil || r.StatusCode != http.StatusOK {
			t.Fatal(err, body)
		}
	}
	return body
}

// TestABoardHasEachSiteBesideItselfAlone, with the best action of its own users, and ends with the sentences of the terminal.
func TestABoardHasEachSiteBesideItselfAlone(t *testing.T) {
	c, err := plan.Schema().Load("../../../configs/testnet.yaml", []string{"arms=red,green", "world.bernoulli.means=[[0.9, 0.5], [0.2, 0.5]]", "testnet.nodes=2", "testnet.topology=path", "privacy.epsilon=2"})
	if err != nil {
		t.Fatal(err)
	}
	source, err := plan.OpenWorld(&c.Settings, 2)
	if err != nil {
		t.Fatal(err)
	}
	n := &Net{Settings: &c.Settings, Names: plan.SiteNames(2)}
	if n.Graph, _, err = graphs.Build("path", 2, 1); err != nil {
		t.Fatal(err)
	}
	if n.baseline, err = experiment.NewBaseline(t.Context(), &c.Settings, source, config.Neighbours(2, n.Graph.Edges())); err != nil {
		t.Fatal(err)
	}
	var opened string
	b, end, err := n.openBoard(t.Context(), func(link string) { opened = link })
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	all := []api.Status{
		{ID: "a", Network: "n", Pulls: []uint64{90, 10}, Means: []float64{.8, .5}, Spent: 1, LinksUp: true},
		{ID: "b", Network: "n", Pulls: []uint64{60, 140}, Means: []float64{.2, .4}, Spent: 2},
	}
	b.show(all, nil)
	body := get(t, opened)
	for i, want := range []string{` 4.0 ([0-9.]+) red red 90\x{a0}%`, ` 18.0 ([0-9.]+) green green 70\x{a0}%`} {
		want = `<bdi>` + n.Names[i] + `</bdi>` + strings.ReplaceAll(want, " ", `(?:<[^>]*>)+`)
		row := regexp.MustCompile(want).FindStringSubmatch(body)
		alone := fmt.Sprintf("%.1f", n.baseline.OwnAlone[i].At(100*uint64(i+1)))
		if row == nil || row[1] != alone || alone == "0.0" {
			t.Errorf("%q, alone %s, want %s in\n%s", row, alone, want, body)
		}
	}
	if !strings.Contains(body, "<line ") || !strings.Contains(body, "Privacy: only noised releases leave a site.") || strings.Contains(body, "is over") {
		t.Error(body)
	}
	doc := n.summary(all, time.Second)
	var terminal strings.Builder
	doc.Write(&terminal, n.Settings)
	ended := make(chan struct{})
	ctx, interrupt := context.WithCancel(t.Context())
	b.over(ctx, writerFunc(func(text string) {
		defer interrupt()
		if !strings.Contains(text, "for a minute, or until Ctrl-C") {
			t.Error(text)
		}
		body = get(t, text)
		close(ended)
	}), &doc)
	<-ended
	if !strings.Contains(body, "The testnet is over.") {
		t.Error(body)
	}
	for _, start := range []string{"joining ", "2 of 2 sites favour the action that is best for their own users", "privacy: only noised releases left the sites; ε charged 2 of 2"} {
		line := regexp.MustCompile(`(?m)^` + start + `.*$`).FindString(terminal.String())
		if line == "" || !strings.Contains(body, "<li>"+line+"</li>") {
			t.Errorf("the terminal says %q of %q, and the page\n%s", line, start, body)
		}
	}
}

// writerFunc is a writer that calls a function with each text.
type writerFunc func(text string)

func (f writerFunc) Write(b []byte) (int, error) {
	f(string(b))
	return len(b), nil
}

// TestAnEndlessNetworkIsNotCounted: a whole life has no last round, and decisions that peers do not show are not 0.
func TestAnEndlessNetworkIsNotCounted(t *testing.T) {
	for set, want := range map[string]string{
		"privacy.horizon=0":    "\nε = 1 for each reward at each site, over its whole life; a round every 250ms, until an interrupt\n",
		"privacy.horizon=1000": "\nε = 1 for each reward at each site, over all rounds; 1000 rounds of 250ms, about 4m10s\n",
	} {
		c, err := plan.Schema().Load("../../../configs/contextual.yaml", []string{set})
		if err != nil {
			t.Fatal(err)
		}
		n := &Net{Settings: &c.Settings, Names: plan.SiteNames(3)}
		var b strings.Builder
		if n.announce(&b); !strings.Contains(b.String(), want) {
			t.Errorf("%q, want %q", b.String(), want)
		}
		for pulls, want := range map[uint64]string{0: "round 7  – decisions  2 releases\n", 3: "round 7  3 decisions  2 releases\n"} {
			all := make([]api.Status, 3)
			if all[0].Round, all[0].Released = 7, 2; pulls > 0 {
				all[1].Pulls = []uint64{pulls}
			}
			b.Reset()
			if n.writeServed(&b, all, false); b.String() != want {
				t.Errorf("%q, want %q", b.String(), want)
			}
		}
	}
}
