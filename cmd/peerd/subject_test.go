package main

import (
	"bytes"
	"errors"
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
		peer := served(t, dir)
		for subject, want := range map[string]string{"": "is missing: send an id of the user", strings.Repeat("s", 257): "want 1 to 256 bytes"} {
			var p *client.Problem
			if _, err := peer.Decide(t.Context(), client.Ask{Subject: subject}); !errors.As(err, &p) || p.Status != 422 || p.Errors[0].Location != "body.subject" || !strings.HasPrefix(p.Errors[0].Message, want) {
				t.Errorf("%.9q: %v", subject, err)
			}
		}
		for _, want := range []string{"", "subject"} {
			if d, err := peer.Decide(t.Context(), client.Ask{Subject: "a user"}); err != nil || string(d.Uncounted) != want {
				t.Errorf("%+v, %v; want %q", d, err, want)
			}
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
