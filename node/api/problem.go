package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"peerd.dev/node/decision"
)

// A Problem says what is wrong with a request (RFC 9457). It contains only names of the request's
// fields, never a reward or a feature.
type Problem struct {
	Title  string `json:"title" doc:"The status in words."`
	Status int    `json:"status" doc:"The HTTP status; for an item of a batch, the status that it would have had as a request of its own."`
	Detail string `json:"detail" doc:"What is wrong and what to do about it."`
	Code   string `json:"code" doc:"Code for programs; docs/api.md lists all codes."`
	Errors []Flaw `json:"errors,omitempty" doc:"The fields that are wrong."`
}

func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Title, p.Detail) }

// A Flaw is what is wrong with a field.
type Flaw struct {
	Location string `json:"location" doc:"The field." example:"body.rewards[3].value"`
	Message  string `json:"message"`
}

// Codes that package decision does not have.
const (
	codeMalformed    = "malformed"    // not the expected JSON
	codeTooLarge     = "too_large"    // a body over the limit
	codeMediaType    = "media_type"   // not application/json
	codeNoRoute      = "no_route"     // no such path
	codeMethod       = "method"       // not on this path
	codeUnauthorized = "unauthorized" // no token or a wrong one
	codeRole         = "role"         // a token with too low a role
	codeForbidden    = "forbidden"    // a request that a web page may have caused
	codeNoPage       = "no_page"      // the program has none
	codeNotReady     = "not_ready"    // from /readyz
	codeInternal     = "internal"     // the peer is broken; see its log
)

func problem(status int, code, detail string, flaws ...Flaw) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: detail, Code: code, Errors: flaws}
}

// flawed is the problem for a body that is JSON but not as expected.
func flawed(flaws []Flaw) *Problem {
	detail := flaws[0].Location + ": " + flaws[0].Message
	if n := len(flaws) - 1; n > 0 {
		detail += fmt.Sprintf(" (and %d more)", n)
	}
	return problem(http.StatusUnprocessableEntity, string(decision.Invalid), detail, flaws...)
}

// refused returns the problem for an error of the backend, and whether the error is unexpected
// and must be logged.
func refused(err error, path string) (p *Problem, unexpected bool) {
	var r *decision.Refusal
	switch {
	case errors.As(err, &r) && statusOf(r.Code) != http.StatusInternalServerError:
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		r = &decision.Refusal{Code: decision.Unavailable, Reason: "the peer did not answer in time; try again with the same id"}
	default:
		return internal(), true
	}
	p = problem(statusOf(r.Code), string(r.Code), r.Error())
	if r.Field != "" {
		p.Errors = []Flaw{{Location: path + "." + r.Field, Message: r.Reason}}
	}
	return p, false
}

func internal() *Problem {
	return problem(http.StatusInternalServerError, codeInternal,
		"the peer failed; its log has the reason. It is not known whether anything was stored: try again with the same id")
}

// statusOf is the HTTP status of a code.
func statusOf(c decision.Code) int {
	switch c {
	case decision.Invalid:
		return http.StatusUnprocessableEntity
	case decision.Unknown:
		return http.StatusNotFound
	case decision.Conflict:
		return http.StatusConflict
	case decision.Expired:
		return http.StatusGone
	case decision.Full:
		return http.StatusInsufficientStorage
	case decision.Simulated:
		return http.StatusForbidden
	case decision.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// write sends the problem instead of an answer.
func (p *Problem) write(w http.ResponseWriter) {
	b, err := json.Marshal(p)
	if err != nil {
		b = []byte("{}") // only strings and numbers: cannot happen
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	switch p.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="peerd"`)
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(b) // an error means that the client is gone
}
