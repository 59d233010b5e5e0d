package site

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"peerd.dev/node/api/page"
)

// pages returns the views of the page of a site that show what it has learnt and released.
func (r *rig) pages(t testing.TB) (all []string) {
	p := page.New(served{r.s}, slog.New(slog.DiscardHandler))
	answer := func(path string, c *http.Cookie) *httptest.ResponseRecorder {
		w, req := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		if c != nil {
			req.AddCookie(c)
		}
		p.ServeHTTP(w, req)
		return w
	}
	cookies := answer(p.Link(), nil).Result().Cookies()
	for _, view := range []string{"", "left", "learning"} {
		w := answer(page.Prefix+view, cookies[0])
		if w.Code != http.StatusOK {
			t.Fatalf("view %q: %d %s", view, w.Code, w.Body)
		}
		all = append(all, w.Body.String())
	}
	return all
}
