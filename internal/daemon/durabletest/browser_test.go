//go:build unix

package durabletest

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/browsertest"
	"peerd.dev/node/api"
)

// TestPageInABrowser opens every view of a peer that learns with another in a real browser, by scripts/page, as scripts/show.sh page does.
// The names are the most hostile ones that a configuration takes; node/api/page has others.
func TestPageInABrowser(t *testing.T) {
	t.Parallel()
	exe := browsertest.Build(t, filepath.Join("..", "..", ".."))
	names, err := json.Marshal([]string{"red", "<b>green</b>", "أخضر", strings.Repeat("long", 32)})
	if err != nil {
		t.Fatal(err)
	}
	l := newLab(t, 2, "arms", string(names), "api.listen", "127.0.0.1:0", "rounds.every", "100ms", "protocol.rows.every", "5")
	for _, s := range l.sites {
		s.start(launch{})
	}
	s := l.sites[0]
	l.await("the link is up", time.Minute, func() bool { _, text := s.get("/v1/status"); return strings.Contains(text, `"links_up":true`) })
	code, text := s.post("/v1/page-link", struct{}{})
	if code != 200 {
		t.Fatal(code, text)
	}
	said, err := exec.CommandContext(t.Context(), exe, "-says", "learns together with 1 of 1", parsed[api.PageLink](text).URL).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
