package site

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"peerd.dev/node/api/page"
)

// watch opens the page of a site. It looks at the site between rounds, until ctx is done.
func (r *rig) watch(ctx context.Context) *page.Page {
	p := page.New(served{r.s}, slog.New(slog.DiscardHandler))
	go func() {
		time.Sleep(every / 2)
		p.Run(ctx)
	}()
	return p
}

// pages returns the views of the page of a site that show what it has learnt and released.
func pages(t testing.TB, p *page.Page) (all []string) {
	answer := func(path string, c *http.Cookie) *httptest.ResponseRecorder {
		w, req := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		if c != nil {
			req.AddCookie(c)
		}
		p.ServeHTTP(w, req)
		return w
	}
	cookies := answer(p.Link(), nil).Result().Cookies()
	for _, view := range []string{"", "left", "network", "learning"} {
		w := answer(page.Prefix+view, cookies[0])
		if w.Code != http.StatusOK {
			t.Fatalf("view %q: %d %s", view, w.Code, w.Body)
		}
		all = append(all, w.Body.String())
	}
	return all
}
