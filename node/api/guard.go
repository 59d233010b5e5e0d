package api

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"
)

// handler is everything between a connection and the routes: access, metrics, and recovery from
// panics.
func (s *Server) handler(tcp bool) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w := &responder{ResponseWriter: out}
		began := time.Now()
		defer func() {
			v := recover()
			if v != nil && v != http.ErrAbortHandler { //nolint:errorlint // recover returns the value itself
				s.panicked(v)
			}
			if v != nil && w.status == 0 {
				internal().write(w)
				v = nil
			}
			if s.metrics != nil {
				s.metrics.Observe(w.route, w.status, time.Since(began))
			}
			if v != nil {
				panic(http.ErrAbortHandler) // half an answer has been sent: only a broken connection shows the error
			}
		}()
		h := w.Header()
		h["Cache-Control"], h["X-Content-Type-Options"] = s.values.noStore, s.values.noSniff
		if p := s.guard(r, tcp); p != nil {
			p.write(w)
			return
		}
		if s.forPage(r) {
			w.route = get + " " + PagePrefix
			known, refused := s.guardPage(r, tcp)
			if refused != nil {
				refused.write(w)
				return
			}
			s.c.Page.ServeHTTP(w, known)
			return
		}
		w.lost = true
		s.mux.ServeHTTP(w, r)
	})
}

// guard returns why a request is refused, or nil.
func (s *Server) guard(r *http.Request, tcp bool) *Problem {
	if err := s.cross.Check(r); err != nil {
		return problem(http.StatusForbidden, codeForbidden, "the request comes from a page of another site; the API is not for web pages",
			Flaw{"header.Origin", "is of another site"})
	}
	if !tcp && !s.forPage(r) {
		return nil // the permissions of the file are the check
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]") // without the port
	}
	if !loopback(host) {
		return problem(http.StatusForbidden, codeForbidden, "the API answers to names of this machine only: ask http://127.0.0.1 or http://localhost, with the port",
			Flaw{"header.Host", "is not a name of this machine"})
	}
	if s.public[r.URL.Path] || s.forPage(r) {
		return nil
	}
	const header = authorization
	is, need := s.roleOf(bearer(r)), max(needs(r.Method), s.least[r.URL.Path])
	if c, ok := r.Context().Value(connection{}).(*limitedConn); ok && is != nobody {
		c.introduce(is >= writes)
	}
	switch {
	case is == nobody:
		return problem(http.StatusUnauthorized, codeUnauthorized, "send the header "+header+": Bearer with the token in the file "+need.file()+" or "+TokenFile+" of the peer's folder; `peerd page` opens the page for people",
			Flaw{"header." + header, "does not hold a token of this peer"})
	case is < need:
		return problem(http.StatusForbidden, codeRole, fmt.Sprintf("the token has role %s, and this needs role %s: send the token in the file %s of the peer's folder", is, need, need.file()),
			Flaw{"header." + header, "holds a token of another role"})
	case s.local[r.URL.Path]:
		return problem(http.StatusForbidden, codeForbidden, "this is answered over the unix socket "+socketFile+" in the peer's folder only")
	}
	return nil
}

const authorization = "Authorization"

// bearer returns the token that a request shows, empty for none.
func bearer(r *http.Request) string {
	if scheme, token, _ := strings.Cut(r.Header.Get(authorization), " "); strings.EqualFold(scheme, "Bearer") {
		return token
	}
	return ""
}

// panicked logs where the program panicked, but neither the value nor an ordinary trace, which
// shows arguments: a reward may be among them.
func (s *Server) panicked(v any) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var at []string
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "net/http.") {
			break // below this package
		}
		if !strings.HasPrefix(f.Function, "runtime.") {
			at = append(at, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
		}
		if !more {
			break
		}
	}
	s.log.Error("api panicked", "type", fmt.Sprintf("%T", v), "at", at)
}

// responder records what was answered, and turns the mux's own answers, for unknown paths and
// methods, into problems.
type responder struct {
	http.ResponseWriter
	route  string // the route that answers; "" for none
	status int    // 0 before the answer
	lost   bool   // no route has the request yet: what is written is the mux's
	mute   bool   // the mux's text is dropped
}

func (w *responder) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if !w.lost {
		w.status = status
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.lost = false
	h := w.Header()
	h.Del("Location") // to a cleaner path, which does not exist here
	allow := h.Get("Allow")
	if status == http.StatusMethodNotAllowed {
		problem(status, codeMethod, "this path accepts "+allow).write(w)
	} else {
		problem(http.StatusNotFound, codeNoRoute, "no such path; /openapi.json lists all paths").write(w)
	}
	w.mute = true
}

func (w *responder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.mute {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (w *responder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
