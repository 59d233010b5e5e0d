package style

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A rule says what packages do not import. A name that ends in /... includes everything below it; names
// without a domain are of this module or of the standard library.
type rule struct {
	in, but []string // the packages, and exceptions
	never   []string
	why     string
}

// core lists the packages that are arithmetic and rules alone.
func core() []string {
	return []string{"bandit/...", "dp", "dp/averages", "dp/mechanism/...", "dp/sample", "protocol/...", "node/lab/sim", "node/lab/world", "node/lab/learner", "node/lab/lowerbound", "node/lab/papers", "node/lab/printed", "gossip/topology"}
}

func rules() []rule {
	core, all := core(), []string{"..."}
	return []rule{
		{in: core, never: []string{"time", "os/...", "net/...", "sync/...", "context", "log"}, why: "the core has no clock, no I/O and no goroutines: time is a Round, and the driver logs"},
		{in: core, never: []string{"math/rand"}, why: "math/rand/v2 is used"},
		{in: core, but: []string{"dp/sample"}, never: []string{"crypto/rand"}, why: "noise comes from dp/sample"},
		{in: []string{"dp/account", "dp/amplification", "dp/factor", "dp/noise"}, never: []string{"time", "os/...", "math/rand/..."}, why: "it is arithmetic"},
		{in: []string{"dp/mechanism/..."}, never: []string{"dp/account", "dp/sample", "math/rand/..."}, why: "noise comes from the Drawer, so that a replay can give it"},
		{in: all, but: []string{"dp", "dp/mechanism/..."}, never: []string{"dp/mechanism"}, why: "it gets exact sums: dp alone opens streams, and has the names for others"},
		{in: []string{"dp", "dp/averages"}, never: []string{"bandit/...", "protocol/...", "node/...", "gossip/..."}, why: "dp stands on the packages below it alone"},
		{in: []string{"bandit/...", "node/lab/learner", "node/lab/world", "node/lab/lowerbound"}, never: []string{"dp/...", "protocol/...", "node", "gossip/..."}, why: "learners and worlds know nothing of privacy and peers"},
		{in: []string{"protocol/..."}, never: []string{"bandit", "node/...", "gossip/..."}, why: "protocols see no reward, and know neither their driver nor what carries them"},
		{in: []string{"gossip"}, never: []string{"bandit/...", "node/..."}, why: "the transport sees no reward"},
		{in: []string{"node/..."}, but: []string{"node/peer"}, never: []string{"gossip"}, why: "node declares Transport, which gossip satisfies"},
		{in: []string{"node/lab/lockstep"}, never: []string{"node/site", "node/store", "node/lab/...", "time", "os/..."}, why: "it drives an Agent alone, and keeps nothing"},
		{in: []string{"node/api"}, never: []string{"node", "node/site", "node/store"}, why: "the API knows its Backend only"},
		{in: []string{"node/site/...", "node/store", "node/ledger"}, never: []string{"net/http", "node/api"}, why: "the core does not know who asks"},
		{in: []string{"node/api/client"}, never: []string{"bandit/...", "dp/...", "gossip/...", "internal/...", "node/...", "protocol/...", "github.com/..."}, why: "other programs copy it: it uses the standard library only"},
		{in: all, but: []string{"gossip/...", "internal/command"}, never: []string{"github.com/libp2p/..."}, why: "gossip alone knows libp2p; the command catches its log"},
		{in: all, but: []string{"cmd/peerd", "internal/command", "internal/extra/...", "scripts/..."}, never: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}, why: "commands are in internal/command and in extras"},
		{in: all, but: []string{"cmd/peerd", "internal/extra/...", "node/peer"}, never: []string{"internal/extra/..."}, why: "an extra is taken away by its line in extras.go"},
		{in: all, but: []string{"internal/extra/drawing"}, never: []string{"gonum.org/v1/plot/..."}, why: "a release draws nothing"},
		{in: all, but: []string{"internal/extra/parquet"}, never: []string{"github.com/parquet-go/..."}, why: "a release writes no Parquet"},
		{in: all, but: []string{"node/store"}, never: []string{"github.com/cockroachdb/pebble/..."}, why: "node/store alone knows the engine"},
		{in: all, never: []string{"github.com/google/differential-privacy/..."}, why: "it is a second opinion in tests; noise comes from dp"},
		{in: all, but: []string{"scripts/..."}, never: []string{"internal/browsertest", "internal/configtest", "internal/dptest", "internal/peerdtest", "internal/protocoltest", "internal/require", "node/store/storetest"}, why: "it is for tests"},
	}
}

// String returns the row of docs/architecture.md.
func (r rule) String() string {
	in := strings.Join(r.in, ", ")
	if slices.Equal(r.in, core()) {
		in = "the core"
	} else if in == "..." {
		in = "all"
	}
	if len(r.but) > 0 {
		in += " except " + strings.Join(r.but, ", ")
	}
	return fmt.Sprintf("| %s | %s | %s |", in, strings.Join(r.never, ", "), r.why)
}

// TestRulesAreOnThePage: docs/architecture.md has the rules that TestImportRules holds, and no others.
func TestRulesAreOnThePage(t *testing.T) {
	const head = "| packages | never import | because |\n|---|---|---|\n"
	want := head
	for _, r := range rules() {
		want += r.String() + "\n"
	}
	_, page, _ := strings.Cut(read(t, "docs/architecture.md"), "\n"+head)
	if page, _, _ = strings.Cut(page, "\n\n"); head+page+"\n" != want {
		t.Errorf("docs/architecture.md has\n%s\nwant\n%s", head+page, want)
	}
	if !strings.Contains(read(t, "docs/architecture.md"), "The core is "+strings.Join(core(), ", ")+".\n") {
		t.Error("docs/architecture.md does not say what the core is")
	}
}

// covers reports whether a name is one of the patterns.
func covers(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		below, ok := strings.CutSuffix(p, "...")
		return p == name || ok && (strings.HasPrefix(name+"/", below) || below == "")
	})
}

// TestImportRules holds what floors do not say.
func TestImportRules(t *testing.T) {
	packages := strings.Split(strings.TrimSpace(goList(t, `{{.ImportPath}} {{join .Imports " "}}`, "./...")), "\n")
	for _, r := range rules() {
		seen := 0
		for _, line := range packages {
			names := strings.Fields(line)
			from := strings.TrimPrefix(names[0], module)
			if !covers(r.in, from) || covers(r.but, from) || strings.HasSuffix(from, "test") {
				continue
			}
			seen++
			for _, name := range names[1:] {
				if to := strings.TrimPrefix(name, module); covers(r.never, to) {
					t.Errorf("%s imports %s: %s", from, to, r.why)
				}
			}
		}
		if seen == 0 {
			t.Errorf("no package is in %v", r.in)
		}
	}
}
