package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/node/api"
	"peerd.dev/node/api/client"
)

// TestANewFolderAsksForUsers: the peer of a folder that init made refuses a decision that names nobody, with the field and the fix; a folder
// from before goes on, and status, doctor and the page's data say how many of its decisions named nobody.
func TestANewFolderAsksForUsers(t *testing.T) {
	dir := aSite(t, "arms=red,green", "api.window=2s", "privacy.answers=anyone")
	t.Run("required", func(t *testing.T) {
		served(t, dir)
		for body, want := range map[string]string{
			`{}`:                      `"location":"body.subject","message":"is missing: send an id of the user`,
			`{"id":"a","keep":true}`:  `"location":"body.subject","message":"is missing: send an id of the user`,
			`{"id":"a","subject":""}`: `"location":"body.subject","message":"want 1 to 256 bytes`,
			`{"subject":"` + strings.Repeat("s", 257) + `"}`: `"location":"body.subject","message":"want 1 to 256 bytes`,
			`{"subject":"patient-17"}`:                       `"counted":true`,
			`{"id":"x","subject":"p-1"}`:                     `"counted":true`,
		} {
			status, text := decideAt(t, dir, body)
			if !strings.Contains(text, want) || (status == 422) != strings.Contains(want, "body.subject") {
				t.Errorf("%.60s: %d, %s; want %s", body, status, text, want)
			}
		}
		if _, text := decideAt(t, dir, `{"subject":"patient-17"}`); !strings.Contains(text, `"uncounted":"subject"`) {
			t.Errorf("a user who comes again: %s", text)
		}
		if _, stdout, _ := peerd(t, "status", "--dir", dir); strings.Contains(stdout, "users:") {
			t.Error(stdout)
		}
		if _, stdout, _ := peerd(t, "privacy", "explain", "--dir", dir); !strings.Contains(unwrapped(stdout), "is refused if api.subject is required (it is required)") || !strings.Contains(unwrapped(stdout), "one record of each user that decisions name, at this site") {
			t.Error(stdout)
		}
	})
	file := filepath.Join(dir, "peerd.yaml")
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("\n  subject: required ")) {
		t.Fatalf("%s, %v", text, err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte("\n  subject: required "), []byte("\n  # subject: "), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	peer := served(t, dir)
	for _, subject := range []string{"", "carl", ""} {
		if _, err := peer.Decide(t.Context(), client.Ask{Subject: subject}); err != nil {
			t.Fatal(err)
		}
	}
	const want = "2 of the last 3 decisions that count named no user"
	var s api.Status
	if err := api.Get(t.Context(), dir, "/v1/status", &s); err != nil || !strings.HasPrefix(s.Users, want) {
		t.Errorf("%q, %v", s.Users, err)
	}
	for _, args := range [][]string{{"status"}, {"doctor"}} {
		if _, stdout, _ := peerd(t, append(args, "--dir", dir)...); !strings.Contains(unwrapped(stdout), want) {
			t.Errorf("%q: %s", args, stdout)
		}
	}
	if _, stdout, _ := peerd(t, "privacy", "explain", "--dir", dir); !strings.Contains(unwrapped(stdout), "is refused if api.subject is required (it is optional)") {
		t.Error(stdout)
	}
}

// TestWhereCountsAreNoised nothing follows from how many decisions name nobody: status has no number, and doctor says that there may be some.
func TestWhereCountsAreNoised(t *testing.T) {
	dir := aSite(t, "arms=red,green", "privacy.counts=noised", "privacy.horizon=100000", "api.subject=optional")
	peer := served(t, dir)
	if _, err := peer.Decide(t.Context(), client.Ask{}); err != nil {
		t.Fatal(err)
	}
	var s api.Status
	if err := api.Get(t.Context(), dir, "/v1/status", &s); err != nil || s.Users != "" {
		t.Errorf("%q, %v", s.Users, err)
	}
	if _, stdout, _ := peerd(t, "doctor", "--dir", dir); !strings.Contains(unwrapped(stdout), "decisions may name no user (api.subject: optional), and how many do is hidden") {
		t.Error(stdout)
	}
}

// unwrapped joins lines.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// decideAt asks the peer of a folder for a decision.
func decideAt(t *testing.T, dir, body string) (status int, text string) {
	t.Helper()
	peer := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(dir, "peerd.sock"))
	}}}
	defer peer.CloseIdleConnections()
	r, err := peer.Post("http://peer/v1/decisions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}
