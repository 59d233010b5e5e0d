package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"peerd.dev/dp"
	"peerd.dev/dp/noise"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
	"peerd.dev/node/ledger"
)

// fake is a peer whose names are hostile.
type fake struct {
	api.Backend
	names  []string
	ready  error
	peers  int
	gives  string
	lines  [][]byte    // of the ledger
	inside *api.Inside // nil for a peer that gives all decisions
}

func hostile() *fake {
	return &fake{peers: 3, gives: "gives less than the network asks (1,234 of 10,000)", lines: lines(2), names: []string{"red", "<script>alert(1)</script>", "a\x1b[31m\nb", "\u202eder", strings.Repeat("long", 32)}}
}

func (f *fake) Status(context.Context) (api.Status, error) {
	return api.Status{
		Name: f.names[1], Network: f.names[2], State: "learns together with 2 of 2 neighbours", Notice: f.names[3], LedgerRecords: uint64(len(f.lines)), Spent: 1,
		Gain: &api.Gain{Sentence: "Joining has gained nothing yet."}, Best: f.names[1], Alike: []api.Alike{{Peer: 1, Name: f.names[2]}}, Until: time.Unix(2e9, 0), Gives: "no released reward is known here",
	}, nil
}

func (f *fake) Arms(context.Context) (all []api.Arm, err error) {
	for i, name := range f.names {
		all = append(all, api.Arm{Name: name, Pulls: 987654321, Estimate: .25, Samples: float64(100 * i), NoiseSD: .125, Own: 3, Borrowed: 4, Sites: 2, Retired: i == 0})
	}
	return all, nil
}

func (f *fake) Peers(context.Context) (all []api.Peer, err error) {
	for i := range f.peers {
		all = append(all, api.Peer{Peer: uint32(i + 1), Name: f.names[i%len(f.names)], Neighbour: true, State: "down", LastError: "refused", Given: 1234, Gives: f.gives})
	}
	return all, nil
}

func (f *fake) Inside(context.Context) (d api.Inside, err error) {
	if f.inside == nil {
		return d, api.ErrGivesAll
	}
	return *f.inside, nil
}

func (f *fake) Privacy(context.Context) (api.Privacy, error) {
	return api.Privacy{Epsilon: 1, Delta: 1e-6, Sections: []api.Section{{Title: "The promise", Blocks: []api.Block{{Text: f.names[1]}, {Item: true, Text: "item"}, {Table: [][]string{{"a"}, {"1"}}}}}}}, nil
}

func (f *fake) Network(context.Context) (n api.Network, err error) {
	n.Least = 10000
	for i := range f.peers + 1 {
		n.Places = append(n.Places, api.Place{Peer: uint32(i), Name: f.names[i%len(f.names)], ID: "12D3"})
		n.Links = append(n.Links, []uint32{uint32(i), uint32((i + 1) % (f.peers + 1))})
	}
	return n, nil
}

// lines is a ledger of some length: releases with numbers as long as they get.
func lines(n int) (all [][]byte) {
	var chain ledger.Chain
	for i := range n {
		var body ledger.Body = &ledger.Genesis{Version: ledger.Version, Peer: "12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X", Network: "clinics", Mode: ledger.Lockstep, Unit: "a user"}
		if i > 0 {
			body = &ledger.Release{
				Round: 1e9, Stream: dp.StreamID(i % 3), From: uint64(i), To: uint64(i) + 1, Counts: []uint64{1e6}, Values: []int64{-1e18}, Exponent: -20,
				Noise: dp.Noise{Law: noise.Laplace, Scale: 1 << 40, VarianceUnits: 256},
			}
		}
		line, err := chain.Append(body)
		if err != nil {
			panic(err)
		}
		all = append(all, line)
	}
	return all
}

func (f *fake) Ledger(_ context.Context, from, limit uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, line := range f.lines[from:min(from+limit, uint64(len(f.lines)))] {
			if !yield(line, nil) {
				return
			}
		}
	}
}

func (f *fake) Actions() []string            { return f.names }
func (f *fake) Range() (least, most float64) { return 0, 1 }
func (f *fake) Ready(context.Context) error  { return f.ready }
func (f *fake) Features() (s decision.Shape) { return s }
func pageOf(f *fake) *Page                   { return New(f, slog.New(slog.DiscardHandler)) }
func ask(p *Page, r *http.Request) (w *httptest.ResponseRecorder) {
	w = httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// login returns a request with the cookie of a login.
func login(t *testing.T, p *Page, path string) *http.Request {
	t.Helper()
	cookies := ask(p, httptest.NewRequest(http.MethodGet, p.Link(), nil)).Result().Cookies()
	if len(cookies) != 1 {
		t.Fatal("no cookie")
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "" || c.MaxAge != 12*3600 {
		t.Errorf("cookie %v", c)
	}
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.AddCookie(cookies[0])
	return r
}

// TestHostileNamesStayText: nothing that a name holds becomes markup, ids are there once, and each table cell is in a table.
func TestHostileNamesStayText(t *testing.T) {
	p := pageOf(hostile())
	for _, v := range views() {
		w := ask(p, login(t, p, Prefix+v.Path))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", v.Name, w.Code, w.Body)
		}
		doc, err := html.Parse(bytes.NewReader(w.Body.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		scripts, ids, mains := 0, make(map[string]bool), 0
		for n := range doc.Descendants() {
			switch n.Data {
			case "script":
				scripts++
			case "h1":
				mains++
			}
			for _, a := range n.Attr {
				if a.Key == "id" && ids[a.Val] {
					t.Errorf("%s: id %s is there twice", v.Name, a.Val)
				}
				if a.Key == "id" {
					ids[a.Val] = true
				}
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					t.Errorf("%s: attribute %s", v.Name, a.Key)
				}
			}
		}
		if scripts != 1 || mains != 1 {
			t.Errorf("%s: %d scripts, %d main headings", v.Name, scripts, mains)
		}
		if strings.Contains(w.Body.String(), "987654321") {
			t.Errorf("%s shows how often this site pulled an arm", v.Name)
		}
	}
}

// TestWhoGetsIn: a link works once and within a minute, a login for 12 hours, and nothing else does.
func TestWhoGetsIn(t *testing.T) {
	p := pageOf(hostile())
	now := time.Now()
	p.now = func() time.Time { return now }
	code := func(path string) int { return ask(p, httptest.NewRequest(http.MethodGet, path, nil)).Code }
	if got := code(Prefix); got != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", got)
	}
	gone, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if got := ask(p, httptest.NewRequestWithContext(gone, http.MethodGet, eventsPath+"?view=", nil)).Code; got != http.StatusUnauthorized {
		t.Errorf("a stranger's stream: %d", got)
	}
	link := p.Link()
	if first, second := code(link), code(link); first != http.StatusOK || second != http.StatusUnauthorized {
		t.Errorf("a link twice: %d %d", first, second)
	}
	late := p.Link()
	now = now.Add(codeTime + time.Second)
	if got := code(late); got != http.StatusUnauthorized {
		t.Errorf("a late link: %d", got)
	}
	link = p.Link()
	for _, early := range []func(r *http.Request){
		func(r *http.Request) { r.Method = http.MethodHead }, func(r *http.Request) { r.Method = http.MethodPost }, func(r *http.Request) { r.Header.Set("Sec-Purpose", "prefetch;prerender") },
		func(r *http.Request) { r.Header.Set("Purpose", "prefetch") },
	} {
		r := httptest.NewRequest(http.MethodGet, link, nil)
		early(r)
		if w := ask(p, r); w.Code < 400 || len(w.Result().Cookies()) > 0 {
			t.Errorf("a link asked for in advance: %d, %v", w.Code, w.Result().Cookies())
		}
	}
	r := httptest.NewRequest(http.MethodGet, link, nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site") // of a file, as peerd page writes it
	if got := ask(p, r).Code; got != http.StatusOK {
		t.Errorf("a link after requests in advance: %d", got)
	}
	if got := code(enterPath + "?code="); got != http.StatusUnauthorized {
		t.Errorf("no code: %d", got)
	}
	r = login(t, p, Prefix)
	if got := ask(p, r).Code; got != http.StatusOK {
		t.Errorf("a login: %d", got)
	}
	for range mostLogins { // the oldest makes room
		now = now.Add(time.Millisecond)
		login(t, p, Prefix)
	}
	if got := ask(p, r).Code; got != http.StatusUnauthorized {
		t.Errorf("the oldest of %d logins: %d", mostLogins+1, got)
	}
	r = login(t, p, Prefix)
	now = now.Add(loginTime + time.Second)
	if got := ask(p, r).Code; got != http.StatusUnauthorized {
		t.Errorf("an old login: %d", got)
	}
	r = login(t, p, Prefix)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if got := ask(p, r).Code; got != http.StatusForbidden {
		t.Errorf("another site's page: %d", got)
	}
	r = login(t, p, Prefix)
	r.Method = http.MethodPost
	if got := ask(p, r).Code; got != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", got)
	}
}

// TestThePageIsStrict: all answers have the headers, and assets do not change.
func TestThePageIsStrict(t *testing.T) {
	p := pageOf(hostile())
	paths := []string{Prefix, Prefix + "nothing", enterPath}
	size := 0
	for name, a := range p.assets {
		paths = append(paths, Prefix+name)
		size += len(a.content)
	}
	for _, path := range paths {
		h := ask(p, login(t, p, path)).Header()
		if !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'; ") || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, h)
		}
		if _, ok := p.assets[strings.TrimPrefix(path, Prefix)]; ok != strings.Contains(h.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %v", path, h)
		}
	}
	if size > 16<<10 {
		t.Errorf("stylesheet, script and icon have %d bytes, want at most 16 kB", size)
	}
}

// TestAViewIsSmall: at most 60 kB, 15 kB compressed, with 20 neighbours and 50 records.
func TestAViewIsSmall(t *testing.T) {
	f := hostile()
	f.peers, f.lines = 20, lines(100)
	p := pageOf(f)
	for _, v := range views() {
		answer := ask(p, login(t, p, Prefix+v.Path))
		b := answer.Body.Bytes()
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(b); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if t.Logf("%s: %d bytes, %d compressed", v.Name, len(b), packed.Len()); answer.Code != http.StatusOK || len(b) > 60_000 || packed.Len() > 15_000 {
			t.Errorf("%s: %d, %d bytes, %d compressed", v.Name, answer.Code, len(b), packed.Len())
		}
	}
}

// TestThePageSaysWhatEachSiteHasGiven, and what the network asks; of this site by its own status.
func TestThePageSaysWhatEachSiteHasGiven(t *testing.T) {
	p := pageOf(hostile())
	body := ask(p, login(t, p, Prefix+"network")).Body.String()
	for text, n := range map[string]int{
		"It asks each site to release 10,000 rewards or more.": 1, "<td>no released reward is known here</td>": 1, "<td>1,234: gives less than the network asks (1,234 of 10,000)</td>": 3,
	} {
		if strings.Count(body, text) != n {
			t.Errorf("%q is not there %d times in %s", text, n, body)
		}
	}
}

// TestThePageSaysWhatIsWrong, in a word and in the peer's sentence.
func TestThePageSaysWhatIsWrong(t *testing.T) {
	f := hostile()
	f.ready = errors.New("blocked")
	p := pageOf(f)
	if body := ask(p, login(t, p, Prefix)).Body.String(); !strings.Contains(body, "Not ready") {
		t.Error(body)
	}
}

// TestEventsAreOfChanges: one at the beginning, one after a change, and none while nothing changes; there are at most 16 streams, and they
// end with the page.
func TestEventsAreOfChanges(t *testing.T) {
	f := hostile()
	p := pageOf(f)
	server := httptest.NewServer(p)
	defer server.Close()
	open := func() *http.Response {
		r := login(t, p, eventsPath)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+eventsPath+"?view=network", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = r.Header
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	first := open()
	b := make([]byte, 64<<10)
	n, err := first.Body.Read(b)
	if err != nil || !bytes.HasPrefix(b[:n], []byte("event: live\ndata: <h1>Network</h1>\n")) {
		t.Fatalf("%v %.100s", err, b[:n])
	}
	for range mostStreams - 1 {
		if res := open(); res.StatusCode != http.StatusOK {
			t.Fatal(res.Status)
		}
	}
	if res := open(); res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" || !res.Close {
		t.Errorf("stream %d: %s", mostStreams+1, res.Status)
	}
	p.Close()
	rest, err := io.ReadAll(first.Body)
	if err != nil || bytes.Contains(rest, []byte("event: ")) {
		t.Errorf("%v %s", err, rest)
	}
	p.Close() // again
}

// TestABoardShowsAllSites, with names as text, and keeps a bounded number of samples of regret.
func TestABoardShowsAllSites(t *testing.T) {
	b := NewBoard(slog.New(slog.DiscardHandler))
	for round := range uint64(5000) {
		b.Update(&Sites{
			Network: "n", Round: round, Rounds: 5000, Regret: true, Together: float64(round), Alone: 2 * float64(round), As: "alone with the same noise",
			Private: true, Links: [][]uint32{{0, 1}},
			Sites: []Site{{Name: "<b>one</b>", Favours: "red", Best: "blue", Together: 1.5, Alone: 1234.25, Share: .75}, {Name: "relay", Together: math.NaN(), Alone: math.NaN()}},
		})
	}
	body := ask(b.Page, login(t, b.Page, Prefix)).Body.String()
	for _, text := range []string{"&lt;b&gt;one&lt;/b&gt;", "75\u00a0%", "<path class=\"line n2\"", "alone (simulated)</th><td>0.0</td><td>", "round 4,999", "alone with the same noise.", "<p>Privacy: only noised releases leave a site.</p>",
		`</bdi></th><td class="number">1.5</td><td class="number">1,234.2</td><td class="number"><bdi>blue</bdi></td><td class="number"><bdi>red</bdi></td>`, `<bdi>relay</bdi></th><td class="number">-</td><td class="number">-</td><td class="number"><bdi>-</bdi></td><td class="number"><bdi>-</bdi></td><td class="number">-</td>`,
		`<line x1="200.0" y1="50.0" x2="200.0" y2="350.0" class="other">`, ` text-anchor="middle">relay</text>`, `text-anchor="end">8,000</text>`, ` of 5,000.`,
	} {
		if !strings.Contains(body, text) {
			t.Errorf("%q is missing", text)
		}
	}
	if strings.Index(body, "Each site") > strings.Index(body, "<figure>") || strings.Contains(body, "is over") {
		t.Error("the sites are not above the lines, or the testnet is over")
	}
	if n := len(b.trend.at); n > mostSamples || n < mostSamples/2 || b.trend.at[n-1] != 4999 {
		t.Errorf("%d samples up to round %d", n, b.trend.at[n-1])
	}
}

// TestABoardEndsWithTheResult: nothing on it looks like a failure, and nothing reloads it when nobody serves it.
func TestABoardEndsWithTheResult(t *testing.T) {
	b := NewBoard(slog.New(slog.DiscardHandler))
	cookie := login(t, b.Page, Prefix)
	script, _ := files.ReadFile("script.js") // is embedded
	for _, over := range [][]string{nil, {"joining saved a site 11.0 rewards", "privacy: <all>"}} {
		b.Update(&Sites{Regret: true, Together: 38.1, Alone: 49.1, Private: true, Over: over})
		body := ask(b.Page, cookie).Body.String() + string(script)
		for text, want := range map[string]bool{
			`class="state ready over"`: over != nil, `if (live.querySelector(".over")) source.close();`: true, "refresh": over == nil, "Privacy: only": over == nil, "peerd page": false,
			"<strong>The testnet is over.</strong> A site has lost 38.1 rewards together; it would have lost 49.1 alone.": over != nil,
			"<li>joining saved a site 11.0 rewards</li>\n<li>privacy: &lt;all&gt;</li>":                                   over != nil,
		} {
			if strings.Contains(body, text) != want {
				t.Errorf("%q: want it %v in\n%s", text, want, body)
			}
		}
	}
}

// TestNumbersHaveOneFormat: three digits, whole numbers with all of theirs, and a comma before every three; ticks are round numbers.
func TestNumbersHaveOneFormat(t *testing.T) {
	said := fmt.Sprintln(short(0), short(1), short(22.04), short(20.64), short(1.234), short(.4955), short(.00025), short(1600), short(1234567.8), short(-1600), short(-123), short(999.6))
	said += fmt.Sprintln(rewards(0), rewards(8.25), rewards(1234.56), count(1<<30), count(999), count(1000))
	size := texts()["size"].(func(uint64) string)
	said += fmt.Sprintln(size(22), size(22_040), size(1_234_567))
	for _, most := range []float64{49.1, 1.6, 7, 2300, 100, 5} {
		c := newChart([]int64{0, 1}, "", func(int64) string { return "" }, rewards, []series{{"", true, func(i int) float64 { return most * float64(i) }}})
		for _, x := range c.Ticks {
			said += x.Name + " "
		}
	}
	const want = "0 1 22.0 20.6 1.23 0.495 0.00025 1,600 1,234,568 -1,600 -123 1,000\n0.0 8.2 1,234.6 1,073,741,824 999 1,000\n22 B 22.0 kB 1.23 MB\n" +
		"0 10 20 30 40 0 0.5 1 1.5 0 2 4 6 0 1,000 2,000 0 50 100 0 2 4 "
	if said != want {
		t.Errorf("%q, want %q", said, want)
	}
}
