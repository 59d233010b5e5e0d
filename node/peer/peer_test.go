package peer_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
	"peerd.dev/node/peer"
)

// TestAnswersAreKept: a decision and its reward are there after the peer was opened again.
func TestAnswersAreKept(t *testing.T) {
	dir := folder(t)
	ask, report := decision.Ask{ID: "visit-1", Subject: "ada"}, decision.Report{ID: "visit-1", Value: 1}
	first := open(t, dir)
	was, err := first.Decide(t.Context(), ask)
	if err != nil || was.Repeated {
		t.Fatal(was, err)
	}
	if receipt, wrong := first.Reward(t.Context(), report); wrong != nil || receipt.Duplicate {
		t.Fatal(receipt, wrong)
	}
	require.NoError(t, first.Close())

	second := open(t, dir)
	is, err := second.Decide(t.Context(), ask)
	if err != nil || !is.Repeated || is.Action != was.Action {
		t.Errorf("%+v, %v, want the decision %+v", is, err, was)
	}
	if receipt, wrong := second.Reward(t.Context(), report); wrong != nil || !receipt.Duplicate {
		t.Errorf("%+v, %v, want a duplicate", receipt, wrong)
	}
	if err = second.Close(); err != nil {
		t.Error(err)
	}
}

// TestMalformed: what HTTP refuses is refused here, too, with the field that is wrong.
func TestMalformed(t *testing.T) {
	p := open(t, folder(t))
	defer func() { _ = p.Close() }()
	for field, ask := range map[string]decision.Ask{
		"id":         {ID: "visit 1"},
		"subject":    {Subject: "a\nb"},
		"exclude[1]": {Exclude: []string{"red", " "}},
		"exclude[0]": {Exclude: []string{"blue"}},
		"features":   {Features: [][]float64{{1}, {0}}},
		"exclude":    {Exclude: []string{"red", "green"}},
	} {
		_, err := p.Decide(t.Context(), ask)
		wantField(t, err, field)
	}
	for field, report := range map[string]decision.Report{"id": {ID: "", Value: 1}, "value": {ID: "visit-1", Value: 1.5}} {
		_, err := p.Reward(t.Context(), report)
		wantField(t, err, field)
	}
}

func wantField(t *testing.T, err error, field string) {
	t.Helper()
	var r *decision.Refusal
	if !errors.As(err, &r) || r.Field != field {
		t.Errorf("%v, want a refusal of %s", err, field)
	}
}

// TestOneAtATime: a folder that is open cannot be opened again, and Init overwrites nothing.
func TestOneAtATime(t *testing.T) {
	dir := folder(t)
	p := open(t, dir)
	defer func() { _ = p.Close() }()
	if _, err := peer.Open(dir); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("opened twice: %v", err)
	}
	if _, err := peer.Init(dir); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("made twice: %v", err)
	}
}

// TestSet: an option has precedence over the file, and a wrong value is refused by its key.
func TestSet(t *testing.T) {
	if _, err := peer.Open(folder(t), peer.Set("api.window", "-1s")); err == nil || !strings.Contains(err.Error(), "api.window") {
		t.Errorf("%v, want a refusal of api.window", err)
	}
}

func open(t *testing.T, dir string) *peer.Peer {
	t.Helper()
	p := require.Value(peer.Open(dir))(t)
	return p
}

// TestItsAPI: its API has what that of `peerd run` has, so that an auditor, a monitor and a backup find it.
func TestItsAPI(t *testing.T) {
	dir := folder(t)
	p := open(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- p.Run(ctx) }()
	for _, path := range []string{"/metrics", "/v1/backup", "/v1/privacy", "/v1/receipts", "/v1/table"} {
		problem := new(api.Problem) // there is no table of this site, which keeps decisions
		if err := api.Download(ctx, dir, path, io.Discard); err != nil && (!errors.As(err, &problem) || problem.Status == http.StatusNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
	stop()
	if err := errors.Join(<-ran, p.Close()); err != nil {
		t.Error(err)
	}
}
