package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// plate is a page that answers everything.
type plate struct{}

func (plate) ServeHTTP(http.ResponseWriter, *http.Request) {}
func (plate) Known(*http.Request) bool                     { return true }
func (plate) Link() string                                 { return "" }
func (plate) Run(context.Context)                          {}
func (plate) Close()                                       {}

// TestThePageIsAnsweredOverTCP alone: behind a forwarded socket a browser would have all rights.
func TestThePageIsAnsweredOverTCP(t *testing.T) {
	r := run(t, newFake())
	r.c.Page = plate{}
	for tcp, want := range map[bool]int{true: http.StatusOK, false: http.StatusForbidden} {
		w := httptest.NewRecorder()
		r.handler(tcp).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+PagePrefix, nil))
		if w.Code != want {
			t.Errorf("over TCP %t: %d, want %d", tcp, w.Code, want)
		}
	}
}
