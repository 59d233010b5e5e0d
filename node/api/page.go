package api

import (
	"context"
	"net/http"
	"strings"
)

// PagePrefix begins the paths of the page for people.
const PagePrefix = "/page/"

// ForwardedPage is the header that peerd page adds to what it forwards to the socket. A browser at a forwarded socket, where it would have
// all rights, does not send it.
const ForwardedPage = "Peerd-Page"

// A Page is for people in a browser. It answers requests below [PagePrefix] that come over TCP, or over the socket from peerd page.
type Page interface {
	http.Handler

	// Known reports whether a request has the cookie of a login.
	Known(r *http.Request) bool

	// Link returns the path of a link that opens the page once.
	Link() string

	// Run looks at the peer now and then, until ctx is done.
	Run(ctx context.Context)

	// Close ends answers that would never end.
	Close()
}

// roleKey is the key of a request's role in the context of a request for the page.
type roleKey struct{}

// HasRole reports whether a request for the page has a token of this peer, with role write if it must.
func HasRole(r *http.Request, write bool) bool {
	has, _ := r.Context().Value(roleKey{}).(role)
	return has >= writes || has >= reads && !write
}

// forPage reports whether a request is for the page.
func (s *Server) forPage(r *http.Request) bool {
	return s.c.Page != nil && strings.HasPrefix(r.URL.Path, PagePrefix)
}

// guardPage returns why a request for the page is refused, or nil. The page itself refuses strangers, in HTML. Over the socket only a login
// gets in, since peerd page forwards there what any program of the machine sends.
func (s *Server) guardPage(r *http.Request, tcp bool) (*http.Request, *Problem) {
	is := nobody
	if tcp {
		is = s.roleOf(bearer(r))
	} else if r.Header.Get(ForwardedPage) == "" {
		return r, problem(http.StatusForbidden, codeForbidden, "the page is not answered over the unix socket, which has all rights: run peerd page, and open its link")
	}
	if c, ok := r.Context().Value(connection{}).(*limitedConn); ok && (is != nobody || s.c.Page.Known(r)) {
		c.introduce(is >= writes)
	}
	return r.WithContext(context.WithValue(r.Context(), roleKey{}, is)), nil
}

// pageLink makes a link that opens the page once; without an address of the peer it is a path.
func (s *Server) pageLink(w http.ResponseWriter, _ *http.Request) {
	if s.c.Page == nil {
		problem(http.StatusConflict, codeNoPage, "this program was built without the page").write(w)
		return
	}
	at := ""
	if s.tcp != nil {
		at = "http://" + s.tcp.Addr().String()
	}
	s.reply(w, PageLink{at + s.c.Page.Link()})
}
