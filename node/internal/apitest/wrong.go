// Package apitest has requests that a server of package api must refuse, and sends them to one.
package apitest

import (
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

//go:embed wrong.json
var wrong []byte // read only

// A Case is a wrong request, or one with a wrong item.
type Case struct {
	Name    string            `json:"name"`
	Method  string            `json:"method"` // POST if empty
	Path    string            `json:"path"`
	TCP     bool              `json:"tcp"`     // only for a server with a token
	Expired string            `json:"expired"` // the id of a decision whose time is over
	Before  []Case            `json:"before"`  // must be answered 200 first
	Headers map[string]string `json:"headers"` // "" removes one
	Body    string            `json:"body"`    // followed by Repeat, Times over, and End
	Repeat  string            `json:"repeat"`
	Times   int               `json:"times"`
	End     string            `json:"end"`
	Base64  []byte            `json:"base64"` // instead of Body, for bytes that are not text
	Want    Want              `json:"want"`
}

// Want is the expected answer.
type Want struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Field  string `json:"field"`  // location of the first flaw
	Reason string `json:"reason"` // part of the detail
	Items  []Want `json:"items"`  // of a batch
}

// A Target is a server to ask. Its actions do not matter.
type Target struct {
	Base    string // such as http://127.0.0.1:8470
	Client  *http.Client
	Token   string                            // "" if none is needed; then cases about tokens and hosts are skipped
	Expired func(t testing.TB, id string)     // decides id and lets its time pass; nil skips such cases
	State   func(t testing.TB) (state string) // of everything that is stored; no refused request may change it
}

// Cases reads the table.
func Cases(t testing.TB) []Case {
	var all []Case
	if err := json.Unmarshal(wrong, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Wrong sends every wrong request and checks the answers.
func Wrong(t *testing.T, to Target) {
	for _, c := range Cases(t) {
		if c.TCP && to.Token == "" || c.Expired != "" && to.Expired == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			for _, b := range c.Before {
				if status, _, body := to.ask(t, b); status != http.StatusOK {
					t.Fatalf("before: %d %s", status, body)
				}
			}
			if c.Expired != "" {
				to.Expired(t, c.Expired)
			}
			before := to.State(t)
			status, kind, body := to.ask(t, c)
			if after := to.State(t); after != before {
				t.Errorf("the state was %s and is %s", before, after)
			}
			if c.Want.Items == nil {
				c.Want.check(t, status, kind, body)
				return
			}
			var doc struct {
				Outcomes []struct {
					Status  int             `json:"status"`
					Problem json.RawMessage `json:"problem"`
				} `json:"outcomes"`
			}
			if err := json.Unmarshal(body, &doc); err != nil || status != c.Want.Status || len(doc.Outcomes) != len(c.Want.Items) {
				t.Fatalf("status %d, %s", status, body)
			}
			for i, w := range c.Want.Items {
				w.check(t, doc.Outcomes[i].Status, problemKind, doc.Outcomes[i].Problem)
			}
		})
	}
}

const problemKind = "application/problem+json"

// check compares an answer.
func (w Want) check(t *testing.T, status int, kind string, body []byte) {
	t.Helper()
	var p struct {
		Status int    `json:"status"`
		Title  string `json:"title"`
		Detail string `json:"detail"`
		Code   string `json:"code"`
		Errors []struct {
			Location string `json:"location"`
			Message  string `json:"message"`
		} `json:"errors"`
	}
	err := json.Unmarshal(body, &p)
	if err != nil || status != w.Status || p.Status != w.Status || kind != problemKind || p.Title == "" || p.Detail == "" {
		t.Fatalf("want %+v, got status %d of kind %s: %s", w, status, kind, body)
	}
	if p.Code != w.Code || !strings.Contains(p.Detail, w.Reason) {
		t.Errorf("want %+v, got %s", w, body)
	}
	if w.Field != "" && (len(p.Errors) == 0 || p.Errors[0].Location != w.Field) || w.Field == "" && len(p.Errors) > 0 {
		t.Errorf("want field %q, got %s", w.Field, body)
	}
	if len(body) > 4096 {
		t.Errorf("a problem of %d bytes", len(body))
	}
}

// ask sends the request of a case.
func (to Target) ask(t *testing.T, c Case) (status int, kind string, body []byte) {
	t.Helper()
	if c.Method == "" {
		c.Method = http.MethodPost
	}
	text := c.Base64
	if text == nil {
		text = slices.Concat([]byte(c.Body), []byte(strings.Repeat(c.Repeat, c.Times)), []byte(c.End))
	}
	req, err := http.NewRequestWithContext(t.Context(), c.Method, to.Base+c.Path, strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if to.Token != "" {
		req.Header.Set("Authorization", "Bearer "+to.Token)
	}
	for name, value := range c.Headers {
		switch {
		case name == "Host":
			req.Host = value
		case name == "Transfer-Encoding":
			req.ContentLength = -1
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, value)
		}
	}
	res, err := to.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err = io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Content-Type"), body
}
