package page

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/node/api"
)

// TestWhatIsInsideIsForTheSitesOwnPeople: a login and a token with role write see it, in the view and in its events; one with role read sees
// nothing of it, and no menu has it at a peer that gives all decisions.
func TestWhatIsInsideIsForTheSitesOwnPeople(t *testing.T) {
	f := hostile()
	p := pageOf(f)
	dir, err := os.MkdirTemp("", "p") //nolint:usetesting // a socket needs a short name
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := api.NewServer(api.Config{Dir: dir, Listen: "127.0.0.1:0", Backend: f, Page: p})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Run(t.Context()) }()
	see := func(file, path string) (int, string) {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr().String()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if file == "" {
			q.Header = login(t, p, path).Header
		} else {
			token, missing := os.ReadFile(filepath.Join(dir, file))
			if missing != nil {
				t.Fatal(missing)
			}
			q.Header.Set("Authorization", "Bearer "+string(token))
		}
		res, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if res.Header.Get("Content-Type") == "text/event-stream" {
			b := make([]byte, 64<<10)
			n, _ := res.Body.Read(b)
			return res.StatusCode, string(b[:n])
		}
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(b)
	}
	inside, events := Prefix+insideView().Path, eventsPath+"?view="
	if code, body := see("", inside); code != http.StatusServiceUnavailable || !strings.Contains(body, "gives all decisions") {
		t.Errorf("a peer that gives all: %d %s", code, body)
	}
	f.inside = &api.Inside{Given: 40, Kept: 1194, Actions: []api.InsideAction{{Name: f.names[1], Decisions: 4321, Rewards: 4300, Mean: .6251, Estimate: .75}}}
	menu, numbers := `href="`+insideView().Path+`"`, []string{"1,194", "4,321", "4,300", "0.625", "0.75"}
	for file, may := range map[string]bool{"": true, api.TokenFile: true, "api.write.token": true, "api.read.token": false} {
		for _, v := range views() {
			if code, body := see(file, Prefix+v.Path); code != http.StatusOK || strings.Contains(body, menu) != may || strings.Contains(body, "1,194") {
				t.Errorf("%s %q: %d %s", v.Name, file, code, body)
			}
		}
		for _, path := range []string{inside, events + insideView().Path} {
			code, body := see(file, path)
			if code == http.StatusOK != may || code != http.StatusOK && code != http.StatusForbidden {
				t.Errorf("%s %q: %d", path, file, code)
			}
			for _, n := range numbers {
				if strings.Contains(body, n) != may {
					t.Errorf("%s %q: %q in %s", path, file, n, body)
				}
			}
			if may && (!strings.Contains(body, "Inside: these numbers") || strings.Contains(body, "<script>alert")) {
				t.Error(body)
			}
		}
		if _, body := see(file, events); strings.Contains(body, "nside") {
			t.Errorf("events %q: %s", file, body)
		}
	}
	f.inside.Actions = make([]api.InsideAction, 1000)
	if _, body := see("", inside); !strings.Contains(body, "950 more are in") || len(body) > 20_000 {
		t.Errorf("%d bytes", len(body))
	}
	if code := ask(p, httptest.NewRequest(http.MethodGet, inside, nil)).Code; code != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", code)
	}
}
