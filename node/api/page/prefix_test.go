package page

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestThePageWorksBelowAPrefix: two peers behind a proxy that serves each below a path of its own. A login enters one of them, and every
// address in each of its views, and its events, is there, with the strict headers.
func TestThePageWorksBelowAPrefix(t *testing.T) {
	mux := http.NewServeMux()
	var pages []*Page
	for _, prefix := range []string{"/site-a", "/deep/below/site-b"} {
		p := pageOf(hostile())
		peer := httptest.NewServer(p)
		defer peer.Close()
		defer p.Close()
		at, err := url.Parse(peer.URL)
		if err != nil {
			t.Fatal(err)
		}
		proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }, FlushInterval: -1}
		mux.Handle(prefix+"/", http.StripPrefix(prefix, proxy))
		pages = append(pages, p)
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	get := func(at *url.URL) *http.Response {
		t.Helper()
		r, wrong := browser.Get(at.String())
		if wrong != nil {
			t.Fatal(wrong)
		}
		return r
	}
	for i, prefix := range []string{"/site-a", "/deep/below/site-b"} {
		enter, wrong := url.Parse(server.URL + prefix + pages[i].Link())
		if wrong != nil {
			t.Fatal(wrong)
		}
		in := get(enter)
		_ = in.Body.Close()
		_, next, _ := strings.Cut(in.Header.Get("Refresh"), "url=")
		begin, wrong := enter.Parse(next)
		if wrong != nil || begin.Path != prefix+Prefix {
			t.Fatalf("a login leads to %v, %v", begin, wrong)
		}
		seen, open := map[string]bool{}, []*url.URL{begin}
		for len(open) > 0 {
			at := open[0]
			open = open[1:]
			if seen[at.Path] {
				continue
			}
			seen[at.Path] = true
			r := get(at)
			b, cut := io.ReadAll(r.Body)
			if err = errors.Join(cut, r.Body.Close()); err != nil || r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "default-src 'none'; ") {
				t.Errorf("%s: %s, %v", at, r.Status, err)
			}
			if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
				continue
			}
			doc, broken := html.Parse(bytes.NewReader(b))
			if broken != nil {
				t.Fatal(broken)
			}
			for n := range doc.Descendants() {
				for _, a := range n.Attr {
					if a.Key != "href" && a.Key != "src" {
						continue
					}
					to, none := at.Parse(a.Val)
					if none != nil {
						t.Fatal(none)
					}
					open = append(open, to)
				}
			}
		}
		if len(seen) != len(views())+3 {
			t.Errorf("%s has %d addresses: %v", prefix, len(seen), seen)
		}
		script := pages[i].assets[strings.TrimPrefix(find(seen, "script.js"), prefix+Prefix)].content
		_, path, _ := bytes.Cut(script, []byte(`new EventSource("`))
		path, _, _ = bytes.Cut(path, []byte(`"`))
		events, wrong := begin.Parse(string(path) + "network")
		if wrong != nil {
			t.Fatal(wrong)
		}
		r := get(events)
		if _ = r.Body.Close(); r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("events at %s: %s", events, r.Status)
		}
	}
	other, err := url.Parse(server.URL + "/site-a" + Prefix)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range jar.Cookies(other) {
		if r := httptest.NewRequest(http.MethodGet, Prefix, nil); c.Name == cookieName {
			r.AddCookie(c)
			if pages[1].Known(r) {
				t.Error("one peer's login is sent to another")
			}
		}
	}
}

// find returns the path that ends with a name.
func find(paths map[string]bool, name string) string {
	for path := range paths {
		if strings.HasSuffix(path, name) {
			return path
		}
	}
	return ""
}
