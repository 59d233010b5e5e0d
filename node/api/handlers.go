package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"peerd.dev/node/decision"
)

const (
	ledgerLines    = 1000 // in an answer, by default
	maxLedgerLines = 10_000
	maxLedgerFrom  = 1 << 53     // the largest integer that every JSON reader keeps exactly
	maxShort       = 1 << 10     // bytes of an answer
	giveBackTime   = time.Second // from the end of the last large body until its memory is given back
	maxPooled      = 64 << 10    // bytes of a buffer worth keeping
	mostTaken      = 64 << 20    // bytes of all bodies above maxPooled that are read at once; one greatest body has room in any case
)

// reply sends an answer of status 200.
func (s *Server) reply(w http.ResponseWriter, doc any) {
	var b []byte
	if r, ok := doc.(receiptBody); ok { // the most frequent answer
		b = r.bytes()
	} else {
		var err error
		if b, err = json.Marshal(doc); err != nil { // for example because of a NaN from the backend
			s.log.Error("api answer has no form", "err", err)
			internal().write(w)
			return
		}
	}
	h := w.Header()
	h["Content-Type"] = s.values.json
	if len(b) > maxShort { // net/http sets the length of a shorter one
		h.Set("Content-Length", strconv.Itoa(len(b)))
	}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(b) // an error means that the client is gone
}

// problemOf returns the problem for an error of the backend, and logs one that is not expected.
func (s *Server) problemOf(r *http.Request, err error) *Problem {
	p, unexpected := refused(err, "body")
	if unexpected {
		s.log.Error("api request failed", "route", r.Pattern, "err", err)
	}
	return p
}

// body reads the body of a request and passes it to handle, which must not keep it.
func (s *Server) body(handle func(w http.ResponseWriter, r *http.Request, body []byte)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p := wrongKind(r.Header); p != nil {
			p.write(w)
			return
		}
		if r.ContentLength > MaxBody {
			s.tooLarge(w)
			return
		}
		free, ok := s.take(r.ContentLength)
		if !ok {
			problem(http.StatusServiceUnavailable, string(decision.Unavailable), "other large requests are being read; try again with the same ids").write(w)
			return
		}
		defer free()
		b := s.bodies.Get().(*bytes.Buffer)
		defer func() {
			if b.Cap() <= maxPooled {
				b.Reset()
				s.bodies.Put(b)
			}
		}()
		b.Grow(int(max(0, r.ContentLength)) + bytes.MinRead) // once: growing while it is read would take a body several times
		in := r.Body
		if r.ContentLength < 0 {
			in = http.MaxBytesReader(w, in, MaxBody)
		}
		if _, err := b.ReadFrom(in); err != nil {
			if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
				s.tooLarge(w)
				return
			}
			problem(http.StatusBadRequest, codeMalformed, "the body ended early").write(w)
			return
		}
		handle(w, r, b.Bytes())
	}
}

// take takes the bytes of a large body, of MaxBody for a negative length, from those that bodies may have together until free
// is called. It reports whether there are as many.
func (s *Server) take(length int64) (free func(), ok bool) {
	if length < 0 {
		length = MaxBody
	}
	if length <= maxPooled {
		return func() {}, true
	}
	taken, most := s.taken.Add(length), max(mostTaken, MaxBody)
	if taken+MaxBody > most {
		s.crowded.Store(true)
	}
	if taken > most {
		s.taken.Add(-length)
		return nil, false
	}
	return func() {
		if s.taken.Add(-length) == 0 && s.crowded.CompareAndSwap(true, false) {
			s.giveBack()
		}
	}, true
}

// giveBack returns memory to the system soon, at most once in giveBackTime: Go keeps what it has used for a while.
func (s *Server) giveBack() {
	if s.giving.CompareAndSwap(false, true) {
		time.AfterFunc(giveBackTime, func() {
			s.giving.Store(false)
			debug.FreeOSMemory()
		})
	}
}

// tooLarge refuses a body without reading the rest of it.
func (s *Server) tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	problem(http.StatusRequestEntityTooLarge, codeTooLarge,
		fmt.Sprintf("the body has more than %d bytes: send less at once", MaxBody)).write(w)
}

// wrongKind returns a problem if the headers announce a body that cannot be read, or nil.
func wrongKind(h http.Header) *Problem {
	if h.Get("Content-Encoding") != "" {
		return problem(http.StatusUnsupportedMediaType, codeMediaType, "send the body as it is, without Content-Encoding",
			Flaw{"header.Content-Encoding", "want none"})
	}
	const want = "application/json"
	kind := h.Get("Content-Type")
	if kind == want {
		return nil
	}
	name, with, err := mime.ParseMediaType(kind)
	if charset, ok := with["charset"]; err == nil && name == want && (!ok || strings.EqualFold(charset, "utf-8")) {
		return nil
	}
	return problem(http.StatusUnsupportedMediaType, codeMediaType, "send the header Content-Type: application/json",
		Flaw{"header.Content-Type", "want application/json"})
}

// malformed returns the problem for a body that is not JSON.
func malformed(err error) *Problem {
	return problem(http.StatusBadRequest, codeMalformed, err.Error())
}

// single answers a request for one thing: read reads the request, the backend answers it, and the
// answer is shown as a document.
func single[Q, A, D any](
	s *Server, read func(*scanner) Q,
	answer func(context.Context, []Q) []decision.Outcome[A], shown func(A) D,
) http.HandlerFunc {
	return s.body(func(w http.ResponseWriter, r *http.Request, body []byte) {
		q, err := decodeOne(body, read)
		switch {
		case err != nil:
			malformed(err).write(w)
			return
		case len(q.flaws) > 0:
			s.count(r.Pattern, http.StatusUnprocessableEntity)
			flawed(q.flaws).write(w)
			return
		}
		got := outcome(answer(r.Context(), []Q{q.value}), 1)[0]
		if got.Err != nil {
			p := s.problemOf(r, got.Err)
			s.count(r.Pattern, p.Status)
			p.write(w)
			return
		}
		s.count(r.Pattern, http.StatusOK)
		s.reply(w, shown(got.Value))
	})
}

// count counts an item of a route.
func (s *Server) count(route string, status int) {
	if s.metrics != nil {
		s.metrics.Item(route, status)
	}
}

// outcome panics unless there are n outcomes.
func outcome[A any](all []decision.Outcome[A], n int) []decision.Outcome[A] {
	if len(all) != n {
		panic("api: the backend did not answer everything")
	}
	return all
}

// batch answers a request for many things. Those that are well formed go to the backend together.
// Each is shown with its status and either a document or a problem.
func batch[Q, A, D any](
	s *Server, name string, read func(*scanner) Q,
	answer func(context.Context, []Q) []decision.Outcome[A], shown func(status int, a A, p *Problem) D,
) http.HandlerFunc {
	return s.body(func(w http.ResponseWriter, r *http.Request, body []byte) {
		items, flaws, err := decodeBatch(body, name, read)
		switch {
		case err != nil:
			malformed(err).write(w)
			return
		case len(flaws) > 0:
			flawed(flaws).write(w)
			return
		}
		var good []Q
		for _, q := range items {
			if len(q.flaws) == 0 {
				good = append(good, q.value)
			}
		}
		var answers []decision.Outcome[A]
		if len(good) > 0 {
			answers = outcome(answer(r.Context(), good), len(good))
		}
		docs := make([]D, len(items))
		logged := false
		for i, q := range items {
			var a decision.Outcome[A]
			var p *Problem
			if len(q.flaws) > 0 {
				p = flawed(q.flaws)
			} else if a, answers = answers[0], answers[1:]; a.Err != nil {
				var unexpected bool
				if p, unexpected = refused(a.Err, fmt.Sprintf("body.%s[%d]", name, i)); unexpected && !logged {
					logged = true // once per request
					s.log.Error("api request failed", "route", r.Pattern, "err", a.Err)
				}
			}
			status := http.StatusOK
			if p != nil {
				status = p.Status
			}
			s.count(r.Pattern, status)
			docs[i] = shown(status, a.Value, p)
		}
		s.reply(w, struct {
			Outcomes []D `json:"outcomes"`
		}{docs})
	})
}

// view answers with a document from the backend.
func view[D any](s *Server, get func(context.Context) (D, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		doc, err := get(r.Context())
		if err != nil {
			s.problemOf(r, err).write(w)
			return
		}
		s.reply(w, doc)
	}
}

// list is get with an empty list instead of nil.
func list[D any](get func(context.Context) ([]D, error)) func(context.Context) ([]D, error) {
	return func(ctx context.Context) ([]D, error) {
		docs, err := get(ctx)
		if docs == nil {
			docs = []D{}
		}
		return docs, err
	}
}

// ledger sends lines of the ledger unchanged.
func (s *Server) ledger(w http.ResponseWriter, r *http.Request) {
	q, flaws := ledgerQuery(r.URL)
	if len(flaws) > 0 {
		flawed(flaws).write(w)
		return
	}
	from, limit := q.from, q.limit
	if q.newest > 0 {
		now, err := s.c.Backend.Status(r.Context())
		if err != nil {
			s.problemOf(r, err).write(w)
			return
		}
		from, limit = now.LedgerRecords-min(q.newest, now.LedgerRecords), q.newest
	}
	next, stop := iter.Pull2(s.c.Backend.Ledger(r.Context(), from, limit))
	defer stop()
	line, err, more := next()
	if err != nil {
		s.problemOf(r, err).write(w)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	for n := uint64(0); more && n < limit; n++ {
		if err != nil {
			s.log.Error("api request failed", "route", r.Pattern, "err", err)
			panic(http.ErrAbortHandler) // lines have been sent already
		}
		_, _ = w.Write(line) // an error means that the client is gone; the next write fails as well
		if _, err = io.WriteString(w, "\n"); err != nil {
			return
		}
		line, err, more = next()
	}
}

// A ledgerAsk asks for some records of the ledger.
type ledgerAsk struct {
	from, limit uint64
	newest      uint64 // in place of both; 0 for none
}

func ledgerQuery(u *url.URL) (a ledgerAsk, flaws []Flaw) {
	a.limit = ledgerLines
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return a, []Flaw{{"query", "is not well formed"}}
	}
	if q.Has("newest") && (q.Has("from") || q.Has("limit")) {
		return a, []Flaw{{"query.newest", "cannot be combined with from and limit"}}
	}
	read := func(name string, least, most uint64, to *uint64) {
		values, ok := q[name]
		if !ok {
			return
		}
		delete(q, name)
		v, err := strconv.ParseUint(values[0], 10, 64)
		if err != nil || v < least || v > most || len(values) > 1 {
			flaws = append(flaws, Flaw{"query." + name, fmt.Sprintf("want one number from %d to %d", least, most)})
		}
		*to = v
	}
	read("from", 0, maxLedgerFrom, &a.from)
	read("limit", 1, maxLedgerLines, &a.limit)
	read("newest", 1, maxLedgerLines, &a.newest)
	if len(q) > 0 {
		flaws = append(flaws, Flaw{"query", "accepts from, limit and newest only"})
	}
	return a, flaws
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	s.reply(w, healthBody{Status: "ok"})
}

func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	var now Status
	err := s.c.Backend.Ready(r.Context())
	if err == nil {
		now, err = s.c.Backend.Status(r.Context())
	}
	if err != nil {
		problem(http.StatusServiceUnavailable, codeNotReady, err.Error()).write(w)
		return
	}
	s.reply(w, readyBody{"ok", now.State, now.AloneReason})
}
