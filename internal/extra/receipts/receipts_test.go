package daemon

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"peerd.dev/node/api"
	"peerd.dev/node/ledger"
)

// TestReceiptLines: while a peer runs, and after it has stopped, its folder has its neighbour's receipts and what the neighbour signed
// about its own ledger, and the ledger contains what was vouched for.
func TestReceiptLines(t *testing.T) {
	folder, peers := pair(t)
	ctx, stop := context.WithCancel(t.Context())
	var runs sync.WaitGroup
	for _, p := range peers {
		runs.Go(func() {
			_ = p.Run(ctx)
			_ = p.Close()
		})
	}
	defer runs.Wait()
	defer stop()
	north := filepath.Join(folder, "north")
	read := func() (all []string, err error) {
		lines, err := ReceiptLines(t.Context(), north)
		for _, l := range lines {
			all = append(all, string(l))
		}
		return all, err
	}
	var lines []string
	var err error
	for last := time.Now().Add(30 * time.Second); len(lines) < 2; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(last) {
			t.Fatalf("not within 30 s: %q, %v", lines, err)
		}
		lines, err = read()
	}
	stop()
	runs.Wait()
	if lines, err = read(); err != nil || len(lines) != 2 {
		t.Fatalf("%q, %v", lines, err)
	}
	var r api.LedgerReceipt
	var c api.LedgerCheckpoint
	south := peers[1].deployment.id.ID()
	if err = json.Unmarshal([]byte(lines[0]), &r); err != nil || r.Kind != "receipt" || r.Witness != south || r.Records == 0 || len(r.Signature) != 128 {
		t.Errorf("%s: %v", lines[0], err)
	}
	if err = json.Unmarshal([]byte(lines[len(lines)-1]), &c); err != nil || c.Kind != "checkpoint" || c.Peer != south || len(c.Signature) != 128 {
		t.Errorf("%s: %v", lines[len(lines)-1], err)
	}
	if !strings.HasPrefix(lines[0], `{"kind":"receipt","witness":"12D3`) || !strings.HasPrefix(lines[len(lines)-1], `{"kind":"checkpoint","peer":"12D3`) {
		t.Errorf("%q", lines)
	}
	all, done, err := LedgerLines(t.Context(), north, false)
	if err != nil {
		t.Fatal(err)
	}
	var heads []string
	for l, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, ledger.HashOf(l).String())
	}
	if err = done(); err != nil || slices.Index(heads, r.Head) != int(r.Records)-1 {
		t.Errorf("%v: the ledger does not contain %+v", err, r)
	}
	if _, err = ReceiptLines(t.Context(), filepath.Join(folder, "west")); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Error(err)
	}
}
