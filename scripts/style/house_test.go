package style

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// rooms lists the packages of the program by floor. A package imports from lower floors
// only, so no arrow leads up and none in a circle. A new package needs a place here, except below a name that ends in /...
func rooms() [][]string {
	return [][]string{
		{"bandit/belief", "bandit/score", "configs", "docs", "dp/account", "dp/factor", "dp/noise", "dp/sample", "dp/state", "gossip/address", "gossip/topology", "internal/vouch", "internal/wanted", "node/api/client", "node/lab/lowerbound", "node/store"},
		{"bandit/gram", "dp/amplification", "dp/mechanism", "node/lab/graphs", "node/network", "node/site/form"},
		{"bandit", "dp", "dp/mechanism/running"},
		{"bandit/linear", "dp/averages", "node/lab/learner", "node/lab/world", "protocol"},
		{"gossip/wire", "node", "node/decision", "node/lab/forgeable", "node/ledger", "protocol/internal/spread"},
		{"gossip", "node/kept", "node/ledger/check", "node/site/receipts", "node/site/signed", "node/site/standing", "node/site/tables", "protocol/internal/hub"},
		{"node/api", "node/lab/lockstep", "node/site", "protocol/averaging", "protocol/batches", "protocol/epochs", "protocol/rows", "protocol/shuffling"},
		{"node/api/page", "node/lab/printed", "node/lab/sim", "protocol/running", "protocol/table"},
		{"node/lab/papers", "node/lab/stats"},
		{"node/lab/audit", "node/lab/figure"},
		{"internal/browser", "internal/config", "internal/lab/ports", "internal/terminal", "internal/version"},
		{"internal/explain", "internal/lab/program", "internal/lab/progress", "internal/terminal/columns", "internal/terminal/output", "internal/version/bill"},
		{"internal/daemon", "internal/lab/plan"},
		{"internal/ask", "internal/change", "internal/decisions", "internal/lab/catalog", "internal/lab/experiment", "internal/lab/stepped"},
		{"internal/command", "internal/lab/joining", "internal/lab/testnet"},
		{"internal/extra/..."}, // none imports another
		{"cmd/peerd", "node/peer"},
	}
}

// keepers lists the packages that may import node/kept: drivers, which play both halves of a site. Nothing that makes,
// stores or sends a message is one.
func keepers() []string {
	return []string{"node/lab/audit", "node/lab/lockstep", "node/lab/sim", "internal/lab/stepped", "internal/extra/gain", "node/site", "internal/daemon"} // the last simulates a site alone
}

// beside lists the packages that the program does not need: tests and scripts.
func beside() []string {
	return []string{"internal/browsertest", "internal/configtest", "internal/daemon/durabletest", "internal/dptest", "internal/peerdtest", "internal/protocoltest", "internal/require", "node/internal/apitest", "node/store/storetest", "scripts/"}
}

const module = "peerd.dev/"

// TestNoArrowLeadsUp asks the go command which package imports which.
func TestNoArrowLeadsUp(t *testing.T) {
	floor := func(name string) int {
		return 1 + slices.IndexFunc(rooms(), func(names []string) bool { return covers(names, name) })
	}
	arrows := 0
	for line := range strings.Lines(goList(t, `{{.ImportPath}} {{join .Imports " "}}`, "./...")) {
		names := strings.Fields(line)
		from := strings.TrimPrefix(names[0], module)
		if slices.ContainsFunc(beside(), func(b string) bool { return strings.HasPrefix(from, b) }) {
			continue
		}
		if floor(from) == 0 {
			t.Errorf("%s has no place in rooms", from)
		}
		if keeps := slices.Contains(names[1:], module+"node/kept"); keeps && !slices.Contains(keepers(), from) {
			t.Errorf("%s imports node/kept, and nothing that leaves a site may follow from kept rewards", from)
		}
		for _, name := range names[1:] {
			to, ours := strings.CutPrefix(name, module)
			if !ours {
				continue
			}
			arrows++
			if floor(to) == 0 || floor(to) >= floor(from) {
				t.Errorf("%s, floor %d, imports %s, floor %d: want a lower one", from, floor(from), to, floor(to))
			}
		}
	}
	if arrows < 50 {
		t.Errorf("%d imports were seen: the test looks at nothing", arrows)
	}
	t.Logf("%d imports on %d floors", arrows, len(rooms()))
}

// TestTheProductKnowsNoLaboratory: what a site runs links no simulator, simulated world, experiment, attack or protocol of papers. Only
// extras do, which hand the laboratory over as part of a schema, and the command that lists them.
func TestTheProductKnowsNoLaboratory(t *testing.T) {
	laboratory := func(name string) bool {
		return strings.HasPrefix(name, "node/lab/") || strings.HasPrefix(name, "internal/lab/") || name == "protocol/averaging" || name == "protocol/epochs" || name == "protocol/shuffling" || name == "dp/amplification" || name == "dp/averages"
	}
	seen := 0
	for line := range strings.Lines(goList(t, `{{.ImportPath}} {{join .Deps " "}}`, "./...")) {
		names := strings.Fields(line)
		from := strings.TrimPrefix(names[0], module)
		if laboratory(from) || from == "cmd/peerd" || strings.HasPrefix(from, "internal/extra/") || slices.ContainsFunc(beside(), func(b string) bool { return strings.HasPrefix(from, b) }) {
			continue
		}
		seen++
		for _, name := range names[1:] {
			if to := strings.TrimPrefix(name, module); laboratory(to) {
				t.Errorf("%s links %s", from, to)
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d packages were seen: the test looks at nothing", seen)
	}
}

// TestCommandsCallPackages: a command parses flags and calls a package below it. exit.go alone knows the errors of the
// machinery, of which it makes exit codes.
func TestCommandsCallPackages(t *testing.T) {
	machinery := []string{"dp", "gossip", "node", "node/site", "node/store"}
	files, err := filepath.Glob(filepath.Join(root, "cmd", "peerd", "*.go"))
	shared, wrong := filepath.Glob(filepath.Join(root, "internal", "command", "*.go"))
	if files = append(files, shared...); err != nil || wrong != nil || len(files) < 20 {
		t.Fatal(len(files), err, wrong)
	}
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text := require.Value(os.ReadFile(file))(t)
		for _, name := range machinery {
			switch has := bytes.Contains(text, []byte(`"`+module+name+`"`)); {
			case has && filepath.Base(file) == "exit.go":
				seen++
			case has:
				t.Errorf("%s imports %s: call a package of internal in its place", file, name)
			}
		}
	}
	if seen == 0 {
		t.Error("exit.go imports none of it: the test looks at nothing")
	}
}

// TestRoomsAreSmall: no file that is written by hand is long.
func TestRoomsAreSmall(t *testing.T) {
	const longest, median = 400, 110 // lines
	var all []int
	for line := range strings.Lines(goList(t, `{{.Dir}} {{join .GoFiles " "}}`, "./...")) {
		names := strings.Fields(line)
		for _, name := range names[1:] {
			text := require.Value(os.ReadFile(filepath.Join(names[0], name)))(t)
			if bytes.HasPrefix(text, []byte("// Code generated ")) {
				continue
			}
			n := bytes.Count(text, []byte("\n"))
			if all = append(all, n); n > longest {
				t.Errorf("%s has %d lines, want at most %d", filepath.Join(names[0], name), n, longest)
			}
		}
	}
	slices.Sort(all)
	t.Logf("%d files, median %d lines, longest %d", len(all), all[len(all)/2], all[len(all)-1])
	if m := all[len(all)/2]; m > median {
		t.Errorf("the median file has %d lines, want at most %d", m, median)
	}
}

// goList runs go list with arguments at the top of the module.
func goList(t *testing.T, format string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", append([]string{"list", "-f", format}, args...)...)
	c.Dir = root
	out := require.Value(c.Output())(t)
	return string(out)
}

// TestFloorsAreOnThePage: docs/architecture.md has the floors that TestNoArrowLeadsUp holds.
func TestFloorsAreOnThePage(t *testing.T) {
	page := read(t, "docs/architecture.md")
	for i, names := range rooms() {
		row := fmt.Sprintf("| %d | %s |", i+1, strings.Join(slices.Sorted(slices.Values(names)), ", "))
		if !strings.Contains(page, "\n"+row+"\n") {
			t.Errorf("docs/architecture.md lacks the row %s", row)
		}
	}
}
