package page

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"peerd.dev/internal/browsertest"
	"peerd.dev/node/api"
	"peerd.dev/node/ledger"
)

var shots = flag.String("shots", "", "folder for screenshots of the tests in a browser")

// releasing is a peer that releases something each time it is looked at.
type releasing struct {
	*fake
	looked atomic.Uint64
}

func (b *releasing) Status(ctx context.Context) (s api.Status, err error) {
	s, err = b.fake.Status(ctx)
	s.LedgerRecords = 3 + b.looked.Add(1)
	return s, err
}

func (b *releasing) Ledger(_ context.Context, from, limit uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for k := from; k < from+min(limit, 4); k++ {
			r := ledger.Record{Seq: k, Body: &ledger.Genesis{Version: ledger.Version, Network: "<script>alert(1)</script>", Mode: ledger.Private, Unit: b.names[3][3:]}}
			if line, err := r.Append(nil); !yield(line, err) {
				return
			}
		}
	}
}

// TestHostileNamesInABrowser opens every view of peers whose names no configuration takes, and of a peer with 1,000 actions and
// 200 neighbours, in a real browser: scripts/page has the questions.
func TestHostileNamesInABrowser(t *testing.T) {
	exe := browsertest.Build(t, filepath.Join("..", "..", ".."))
	many := &fake{peers: 200}
	for i := range 1000 {
		many.names = append(many.names, fmt.Sprintf("action %d", i))
	}
	for name, f := range map[string]*fake{"hostile": hostile(), "many": many} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pageOf(f)
			p = New(&releasing{fake: f}, p.log)
			server := httptest.NewServer(p)
			defer server.Close()
			defer p.Close()
			args := []string{"-light"} // cmd/peerd has all colours
			if *shots != "" {
				args = append(args, "-o", filepath.Join(*shots, name))
			}
			if name == "many" { // one view: what could grow is the width
				args = append(args, "-now", "many")
			}
			said, err := exec.CommandContext(t.Context(), exe, append(args, server.URL+p.Link())...).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, said)
			}
			if strings.Contains(string(said), "alert") {
				t.Errorf("%s", said)
			}
		})
	}
}
