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

// TestThePageIsAnsweredOverTCP, and over the socket to peerd page alone: behind a forwarded socket a browser would have all rights. What peerd
// page passes on has to be for this machine, and a token in it has no role.
func TestThePageIsAnsweredOverTCP(t *testing.T) {
	r := run(t, newFake())
	r.c.Page = plate{}
	for _, c := range []struct {
		tcp    bool
		header string
		host   string
		want   int
	}{
		{true, "", "127.0.0.1", http.StatusOK},
		{false, "", "127.0.0.1", http.StatusForbidden},
		{false, "yes", "127.0.0.1", http.StatusOK},
		{false, "yes", "attacker.example", http.StatusForbidden},
	} {
		w, in := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://"+c.host+PagePrefix, nil)
		in.Header.Set(ForwardedPage, c.header)
		r.handler(c.tcp).ServeHTTP(w, in)
		if w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
	in := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+PagePrefix, nil)
	in.Header.Set(authorization, "Bearer "+string(r.tokens[admin]))
	in.Header.Set(ForwardedPage, "yes")
	for _, tcp := range []bool{true, false} {
		if known, refused := r.guardPage(in, tcp); refused != nil || HasRole(known, true) != tcp {
			t.Errorf("a token, over TCP %t: %v", tcp, refused)
		}
	}
}
