package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/node/api/client"
)

// An answer is one of testdata/answers.json.
type answer struct {
	Name, Head, Body, Repeat string
	Status                   int
	Every                    float64
	Close                    bool
}

// serve answers every connection in the same way.
func (a answer) serve(t *testing.T) (url string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if a.Body == "DEEP" {
		a.Body = lineOf(a.Body)
	}
	if a.Status != 0 {
		a.Head = fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", a.Status, len(a.Body))
	}
	if a.Repeat == "SPACES" {
		a.Repeat = strings.Repeat(" ", 1<<20)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				if _, err := conn.Read(make([]byte, 4096)); err != nil {
					return
				}
				_, err := conn.Write([]byte(a.Head + a.Body))
				for err == nil && a.Repeat != "" {
					_, err = conn.Write([]byte(a.Repeat))
					time.Sleep(time.Duration(a.Every * float64(time.Second)))
				}
				if !a.Close {
					_, _ = conn.Read(make([]byte, 1)) // until the client ends
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// keeps returns a client with a file of some lines.
func keeps(t *testing.T, o client.Options, lines ...string) *client.Client {
	o.TableFile = filepath.Join(t.TempDir(), "peerd.jsonl")
	text := ""
	for _, l := range lines {
		text += lineOf(l) + "\n"
	}
	if err := os.WriteFile(o.TableFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestWrongAnswersAreNone: whatever a server answers, a decision is there by the deadline, and what waits is kept, as with the clients
// in Python and Node.
func TestWrongAnswersAreNone(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var answers []answer
	if err = json.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			url := a.serve(t)
			c, err := client.New(client.Options{URL: url, Timeout: 60 * time.Millisecond, Deadline: 150 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			d, err := c.DecideOr(t.Context(), client.Ask{ID: "mine", Exclude: []string{"banner"}, Actions: []client.Action{{ID: "mail"}, {ID: "banner"}}}, "mail")
			if err != nil || d.Source != client.Fallback || d.Action != "mail" {
				t.Errorf("%+v, %v", d, err)
			}
			if r, err := c.Reward(t.Context(), "mine", 1); err == nil && !strings.Contains(a.Body, `"id":"mine"`) {
				t.Errorf("a receipt %+v", r)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			for _, line := range []string{"D mine", "R mine"} {
				o := client.Options{URL: url, Timeout: 60 * time.Millisecond, Deadline: 150 * time.Millisecond}
				if left := keeps(t, o, "T", line).Close(); len(left) != 1 || left[0].ID != "mine" {
					t.Errorf("%+v is left of %s", left, line)
				}
			}
		})
	}
}

// TestAnAnswerHasAGreatestSize: a server without end takes 8 MiB of memory, and a try.
func TestAnAnswerHasAGreatestSize(t *testing.T) {
	t.Parallel()
	a := answer{Head: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", Repeat: "SPACES"}
	c, err := client.New(client.Options{URL: a.serve(t), Timeout: time.Minute, Deadline: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "over 8 MiB") {
		t.Error(err)
	}
}

// TestATokenFileIsNotShown: its error comes at once, names the file and what is wrong, and has no text of it.
func TestATokenFileIsNotShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"secret-1\nsecret-2\n": "more than one line", "": "empty", " \n": "empty", "s\x00e\x00cret": "not UTF-8", "secret one": "its text",
		"secr\u00e9t": "its text", "api:\n  secret: 1\n": "more than one line", strings.Repeat("secret", 100): "its text",
	} {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := client.New(client.Options{URL: "http://127.0.0.1:1", TokenFile: file, Deadline: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = c.Decide(t.Context(), client.Ask{})
		if !errors.Is(err, client.ErrToken) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "secr") || time.Since(began) > 10*time.Second {
			t.Errorf("%q: %v", text, err)
		}
	}
	c := keeps(t, client.Options{URL: "http://127.0.0.1:1", TokenFile: "/nowhere", Deadline: time.Millisecond}, "T")
	if d, err := c.Decide(t.Context(), client.Ask{}); err != nil || d.Source != client.Drawn { // it is reported when the file has a token
		t.Errorf("with a table: %+v, %v", d, err)
	}
	c.Close()
	f := newFake(t, "")
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("\ufeffsecret\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Options{URL: f.url, TokenFile: file})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Decide(t.Context(), client.Ask{}); err != nil || f.keys[0] != "Bearer secret" {
		t.Errorf("with a byte order mark: %v, %q", err, f.keys)
	}
}
