package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"peerd.dev/node/api/client"
)

// serve returns the address of an adapter to a peer that chooses an action, and what the peer was asked last.
func serve(t *testing.T, a adapter, chosen string) (url string, asked *string) {
	t.Helper()
	asked = new(string)
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/v1/arms":
			_, _ = io.WriteString(w, `[{"name":"red"},{"name":"green"},{"name":"blue"},{"name":"mauve","retired":true}]`)
			return
		case "/v1/decisions":
			_, _ = fmt.Fprintf(w, `{"id":"a","action":%q,"propensity":1}`, chosen)
		case "/v1/rewards":
			if strings.Contains(string(b), `:-1`) {
				w.WriteHeader(http.StatusUnprocessableEntity)
				_, _ = io.WriteString(w, `{"status":422,"code":"invalid","detail":"body.value: want a number from 0 to 1"}`)
				return
			}
			if strings.Contains(string(b), `"late"`) {
				w.WriteHeader(http.StatusGone)
				_, _ = io.WriteString(w, `{"status":410,"code":"expired","detail":"the window has ended"}`)
				return
			}
			_, _ = io.WriteString(w, `{"id":"a","counted":true}`)
		}
		*asked = string(b)
	}))
	t.Cleanup(peer.Close)
	var err error
	if a.peer, err = client.New(client.Options{URL: peer.URL}); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(a.routes())
	t.Cleanup(s.Close)
	return s.URL + "/personalizer/v1.0/", asked
}

func post(t *testing.T, url, body string) (status int, answer string) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, strings.TrimSpace(string(b))
}

func TestASession(t *testing.T) {
	url, asked := serve(t, adapter{}, "green")
	status, got := post(t, url+"rank", `{"actions":[{"id":"red"},{"id":"blue"},{"id":"green"}],"excludedActions":["blue"],"eventId":"a"}`)
	want := `{"ranking":[{"id":"green","probability":1},{"id":"blue","probability":0},{"id":"red","probability":0}],"eventId":"a","rewardActionId":"green"}`
	if status != http.StatusCreated || got != want || *asked != `{"exclude":["blue"],"id":"a"}` {
		t.Errorf("%d %s\nasked %s", status, got, *asked)
	}
	if status, got := post(t, url+"events/a/reward", `{"value":0.5}`); status != http.StatusNoContent || got != "" || *asked != `{"id":"a","value":0.5}` {
		t.Errorf("%d %s\nasked %s", status, got, *asked)
	}
	for path, refused := range map[string]struct {
		body   string
		status int
	}{
		"events/late/reward": {`{"value":1}`, http.StatusGone},
		"events/a/reward":    {`{"value":-1}`, http.StatusBadRequest},
		"events/b/reward":    {`{}`, http.StatusBadRequest},
		"rank":               {`{"actions":[{"id":"yellow"}]}`, http.StatusBadRequest},
		"rank?":              {`{"actions":[{"id":"red"}],"deferActivation":true}`, http.StatusBadRequest},
		"events/a/activate":  {`{}`, http.StatusNotFound},
	} {
		if status, got := post(t, url+path, refused.body); status != refused.status || !strings.Contains(got, `{"error":{"code":"`) {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
}

// TestModes: an apprentice takes the first action that is not excluded, and rewards that add up have ids.
func TestModes(t *testing.T) {
	url, asked := serve(t, adapter{apprentice: true, sum: true}, "blue")
	status, got := post(t, url+"rank", `{"actions":[{"id":"red"},{"id":"blue"},{"id":"green"}],"excludedActions":["red"],"eventId":"a"}`)
	if status != http.StatusCreated || !strings.Contains(*asked, `"taken":{"action":"blue","propensity":1}`) || !strings.Contains(got, `"rewardActionId":"blue"`) {
		t.Errorf("%d %s\nasked %s", status, got, *asked)
	}
	ids := make(map[string]bool)
	for range 2 {
		var report struct{ Report string }
		status, got := post(t, url+"events/a/reward", `{"value":0.25}`)
		if err := json.Unmarshal([]byte(*asked), &report); err != nil || status != http.StatusNoContent || len(report.Report) < 20 {
			t.Errorf("%d %s %v\nasked %s", status, got, err, *asked)
		}
		ids[report.Report] = true
	}
	if len(ids) != 2 {
		t.Error("two rewards have one id")
	}
	if status, got := post(t, url+"events/a/reward", `{"value":-1}`); status != http.StatusBadRequest || !strings.Contains(got, "api.reward_range: [-1, 1]") {
		t.Errorf("%d %s", status, got)
	}
}

// TestFeatures: the order of names makes no difference, and what a learner gets is the sketch of each action with its context.
func TestFeatures(t *testing.T) {
	url, asked := serve(t, adapter{features: 8}, "juice")
	n := names()
	situation := []feature{n.under("time").text("noon")}
	want, _ := json.Marshal([]client.Action{
		{ID: "pasta", Features: sketch(crossed([]feature{n.under("grams").place(0).number(400), n.under("taste").text("salty")}, situation), 8)},
		{ID: "juice", Features: sketch(crossed(identity("juice"), situation), 8)},
	})
	for _, pasta := range []string{`{"grams":[400],"taste":"salty","_note":null}`, `{"taste":"salty","grams":[4e2]}`} {
		status, got := post(t, url+"rank", `{"contextFeatures":[{"time":"noon"}],"actions":[{"id":"pasta","features":[`+pasta+`]},{"id":"juice"}],"eventId":"a"}`)
		if status != http.StatusCreated || !strings.Contains(*asked, string(want)) {
			t.Errorf("%d %s\nasked %s\nwant %s", status, got, *asked, want)
		}
	}
	if status, got := post(t, url+"rank", `{"actions":[{"id":"pasta","features":[{"a":[null]}]}]}`); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, got)
	}
}

// TestSketchesNeverChange: peers learn one parameter, so a feature's index is fixed; and no sketch is longer than 1.
func TestSketchesNeverChange(t *testing.T) {
	context := []feature{names().under("timeOfDay").text("Morning"), names().under("device").under("mobile").truth(true)}
	of := []feature{names().under("type").text("News"), names().under("length").number(3), names().under("scores").place(1).number(-.25)}
	for _, c := range []struct {
		named []feature
		d     int
		want  string
	}{
		{of, 12, "[0.0000 0.0000 0.0000 0.0000 -0.4330 0.0000 0.5774 0.0000 -0.1155 0.0000 0.0000 0.0000]"},
		{crossed(of, context), 12, "[-0.5833 0.0000 0.0000 0.0000 -0.2500 0.0000 0.3333 -0.2667 -0.1333 0.0000 0.0000 0.2500]"},
		{identity("NewsArticle"), 4, "[0.0000 0.0000 0.0000 1.0000]"},
		{nil, 3, "[0.0000 0.0000 0.0000]"},
	} {
		if got := fmt.Sprintf("%.4f", sketch(c.named, c.d)); got != c.want {
			t.Errorf("%d named in %d numbers: %s, want %s", len(c.named), c.d, got, c.want)
		}
	}
	for n := range 200 {
		var all []feature
		for i := range n % 30 {
			all = append(all, names().under(fmt.Sprint(i*n)).number(math.Pow(-3, float64(i%9))))
		}
		squares := 0.
		for _, x := range sketch(crossed(all, all[:len(all)/2]), 1+n%12) {
			squares += x * x
		}
		if squares > 1+1e-12 {
			t.Fatalf("a sketch of length %v", math.Sqrt(squares))
		}
	}
}
