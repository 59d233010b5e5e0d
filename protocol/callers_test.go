package protocol_test

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"peerd.dev/internal/require"
)

const module = "peerd.dev/"

// callers lists what the compiler cannot keep from a program that would leak, and each file outside
// of tests that may use it. The compiler cannot distinguish an honest caller from another, so every
// file is listed in the knowledge of what it passes.
var callers = map[string][]string{
	// What only a package of this module can pass to package dp or package protocol. Other modules have nothing to pass:
	// see TestOtherModulesMakeNoReleases.
	"peerd.dev/internal/vouch.For": {
		// bytes off the wire, in a trace of it, and a liar's
		"protocol/decode.go", "gossip/inbound.go", "gossip/topic.go", "node/lab/sim/liars.go", "internal/lab/testnet/engine.go",
		// a release that a key has encrypted
		"protocol/sealing.go",
		// bytes off the disk
		"protocol/release_codec.go", "protocol/state.go", "protocol/internal/spread/state.go", "node/agent_state.go",
		"node/site/log_record.go", "node/site/outbox.go", "node/site/save.go",
		// keys of peers
		"internal/daemon/deployment.go", "internal/lab/experiment/simulate.go", "node/lab/audit/play.go", "node/lab/sim/sim.go",
		// random numbers that no other peer knows
		"protocol/shuffling/silo.go",
		// memory of messages that are used again
		"protocol/averaging/average.go", "protocol/averaging/average_exchange.go", "protocol/averaging/average_round.go", "protocol/averaging/consensus.go", "dp/averages/counts.go", "dp/averages/mean.go", "dp/averages/mixed.go", "dp/averages/share.go",
		// designs of mechanisms
		"dp/mechanism/running/table.go",
		// metrics, which are given the peer with its exact rewards
		"internal/extra/metrics/metrics.go",
		// budgets of curators
		"node/spec.go", "node/lab/audit/shadow.go", "node/lab/printed/rounding.go",
		// tests
		"internal/dptest/generate.go", "internal/protocoltest/draft.go", "internal/protocoltest/peer.go",
	},
	// Releases that are made of others.
	"peerd.dev/dp.Remake":                {"dp/averages/counts.go", "dp/averages/mean.go", "dp/averages/mixed.go", "dp/averages/share.go", "dp/averages/shares.go", "dp/release.go"},
	"peerd.dev/protocol.decodeRelease":   {"protocol/decode.go", "protocol/release_codec.go", "protocol/sealing.go"},
	"(*peerd.dev/dp.Curator).Load":       {"node/agent_state.go", "node/lab/audit/shadow.go"},
	"(*peerd.dev/dp.Curator).Replay":     {"node/agent_state.go"},
	"(peerd.dev/protocol.Protocol).Load": {"node/agent_state.go"},
	"(*peerd.dev/node.Agent).Load":       {"internal/protocoltest/network.go", "node/lab/audit/peer.go", "node/site/save.go"},
	"(*peerd.dev/node.Agent).Replay":     {"node/lab/audit/peer.go", "node/site/restore.go"},
	"peerd.dev/protocol.Presence":        {"gossip/topic.go"},
	"peerd.dev/protocol.New":             {"internal/protocoltest/peer.go", "node/spec.go"},
	"(peerd.dev/protocol.Params).New":    {"protocol/params.go"},
	"(peerd.dev/protocol.Press).Message": {"protocol/internal/spread/flood.go", "protocol/epochs/gis_exchange.go", "protocol/shuffling/mixer.go"},
	"(peerd.dev/protocol.Press).Signed": {
		"protocol/batches/analyzed.go", "protocol/batches/analyzed_desk.go", "protocol/epochs/pooling_hub.go", "protocol/epochs/pooling_site.go",
		"protocol/internal/spread/flood.go", "protocol/epochs/gis_round.go", "protocol/epochs/gis_state.go",
		"protocol/shuffling/adder.go", "protocol/shuffling/mixer.go", "protocol/shuffling/silo.go",
	},
	"(*peerd.dev/protocol.Outbox).EndRound": {"node/agent.go"},

	// Arms that an agent takes although its learner did not choose them: of the application, a public rule, a log.
	"peerd.dev/node.Ruled": {"internal/protocoltest/network.go", "node/lab/audit/peer.go", "node/site/plan.go", "node/site/round.go"},
	// What a kept half chooses and knows, in simulations.
	"(peerd.dev/node/kept.Choice).Arm":   {"internal/extra/gain/alone.go", "node/site/inside.go"},
	"(*peerd.dev/node/kept.Half).Inside": {"node/site/inside.go"},

	// A curator that protects no one: it repeats its noise, is never out of budget, or adds none.
	"peerd.dev/dp.NewCurator":             {"node/lab/audit/shadow.go", "node/lab/printed/rounding.go", "node/spec.go"},
	"peerd.dev/dp.NewSeededSource":        {"node/lab/printed/rounding.go", "node/seed.go", "internal/protocoltest/peer.go"},
	"peerd.dev/dp/sample.NewSeededSource": {"dp/source.go"},
	"(peerd.dev/node.Seed).Noise":         {"internal/lab/stepped/stepped.go", "node/lab/audit/audit.go", "node/lab/audit/shadow.go", "node/lab/sim/sim.go"}, // in lockstep; on the auditor's own histories
	"lockstep":                            {"node/spec.go", "internal/config/settings.go", "internal/lab/experiment/simulate.go", "internal/protocoltest/peer.go", "node/lab/audit/play.go", "node/lab/audit/shadow.go", "node/lab/printed/rounding.go"},
	"unlimited":                           {"node/give.go", "internal/protocoltest/peer.go", "node/lab/printed/noise.go", "node/lab/printed/rounding.go", "node/lab/audit/shadow.go"},
	"noiseless":                           {"dp/mechanism/running/table.go", "internal/config/validate_privacy.go", "node/lab/printed/rounding.go"}, // its design; its name, to refuse it; raw records of a laboratory
	"(reflect.Value).Call":                nil,
	"(reflect.Value).CallSlice":           nil,
	"(reflect.Value).Method":              nil,
	"(reflect.Value).MethodByName":        nil,
}

// TestFewMayMakeReleases checks the list against every use that the type checker finds, under
// whatever name, as a call or as a value, in files of every build tag.
func TestFewMayMakeReleases(t *testing.T) {
	found := make(map[string]map[string]token.Position)
	c := everything(t)
	for _, dir := range packageDirs(t) {
		c.uses(t, dir, nil, found)
	}
	compareCallers(t, found)
}

func compareCallers(t *testing.T, found map[string]map[string]token.Position) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(callers)) {
		for _, file := range callers[what] {
			if _, ok := found[what][file]; !ok {
				t.Errorf("%s does not use %s any more: take it off the list", file, what)
			}
		}
		for _, file := range slices.Sorted(maps.Keys(found[what])) {
			if !slices.Contains(callers[what], file) {
				t.Errorf("%s uses %s: is what it passes public?", found[what][file], what)
			}
		}
	}
}

// packageDirs returns the folders of all packages, relative to this one.
func packageDirs(t *testing.T) []string {
	t.Helper()
	out := require.Value(exec.Command("go", "list", "-f", "{{.Dir}}", module+"...").Output())(t)
	here := require.Value(filepath.Abs(".."))(t)
	var dirs []string
	for dir := range strings.Lines(string(out)) {
		rel := require.Value(filepath.Rel(here, strings.TrimSpace(dir)))(t)
		dirs = append(dirs, filepath.ToSlash(rel))
	}
	return dirs
}

// uses adds to found the uses of what callers lists in the package of a folder, or in sources
// instead if there are any, by file.
func (c *checker) uses(t *testing.T, dir string, sources []*ast.File, found map[string]map[string]token.Position) {
	t.Helper()
	if sources == nil {
		files := require.Value(filepath.Glob(filepath.Join("..", dir, "*.go")))(t)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			src := require.Value(parser.ParseFile(c.fset, file, nil, 0))(t)
			sources = append(sources, src)
		}
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue)}
	conf := c.conf
	conf.Error = func(error) {} // files of opposite build tags declare the same
	_, _ = conf.Check(module+dir, c.fset, sources, info)
	note := func(what string, at token.Pos) {
		if _, listed := callers[what]; !listed || (dir == "dp" || dir == "dp/account" || dir == "dp/mechanism") && !strings.Contains(what, ".") {
			return // they say what values mean
		}
		pos := c.fset.Position(at)
		file := strings.TrimPrefix(filepath.ToSlash(pos.Filename), "../")
		if found[what] == nil {
			found[what] = make(map[string]token.Position)
		}
		found[what][file] = pos
	}
	for id, obj := range info.Uses {
		switch obj := obj.(type) {
		case *types.Func:
			note(obj.Origin().FullName(), id.Pos())
		case *types.Var:
			if obj.Pkg() != nil && obj.Pkg().Path()+"."+obj.Name() == module+"dp/account.Unlimited" {
				note("unlimited", id.Pos())
			}
		}
	}
	compared := make(map[ast.Expr]bool) // a comparison makes nothing
	for _, src := range sources {
		ast.Inspect(src, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}, n.Op) {
					compared[n.X], compared[n.Y] = true, true
				}
			case *ast.CaseClause:
				for _, e := range n.List {
					compared[e] = true
				}
			}
			return true
		})
	}
	for e, tv := range info.Types {
		if compared[e] {
			continue
		}
		if call, ok := e.(*ast.CallExpr); ok && tv.Value == nil && info.Types[call.Fun].IsType() {
			note(weak(tv.Type, nil), e.Pos()) // a conversion of what is known when the program runs
		}
		if tv.Value != nil {
			note(weak(tv.Type, tv.Value), e.Pos())
		}
	}
}

// weak returns what of the list a constant of a type is, or any value of the type for nil; or "".
func weak(t types.Type, v constant.Value) string {
	is := func(n string) bool { return v == nil || v.ExactString() == n }
	switch types.TypeString(types.Unalias(t), nil) {
	case "peerd.dev/dp.Mode":
		if is("1") {
			return "lockstep"
		}
	case "peerd.dev/dp/mechanism.Mechanism":
		if is("1") {
			return "noiseless"
		}
	case "peerd.dev/dp/account.Cost":
		if v != nil && is("18446744073709551615") {
			return "unlimited"
		}
	}
	return ""
}

// TestCallersAreFound: the search above finds every way to use what is listed.
func TestCallersAreFound(t *testing.T) {
	c := everything(t)
	for what, code := range map[string]string{
		"peerd.dev/internal/vouch.For":       "_, _ = Received(vouch.For(Fields{}))",
		"peerd.dev/internal/vouch.For ":      "of := vouch.For[[]byte]; _ = of",
		"(peerd.dev/protocol.Press).Message": "type box struct{ p.Press }; _ = box{}.Message(p.Content{})",
		"(*peerd.dev/dp.Curator).Load":       "load := (*Curator).Load; _ = load",
		"peerd.dev/dp.NewCurator":            "_, _ = NewCurator(0, vouch.For(account.Budget{}), nil)",
		"lockstep":                           "const m = Mode(1); _ = m",
		"lockstep ":                          "x := 1; _ = Mode(x)",
		"unlimited":                          "_ = account.Unlimited",
		"unlimited ":                         "_ = account.Budget{Epsilon: 1<<64 - 1}",
		"noiseless":                          "_ = Spec{Mechanism: 1}",
		"(reflect.Value).MethodByName":       `reflect.ValueOf(NewMixed(1, 0)).MethodByName("Load")`,
	} {
		what = strings.TrimSpace(what)
		src := require.Value(parser.ParseFile(c.fset, "leak.go", `package leak
import (
	"reflect"

	. "peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/vouch"
	p "peerd.dev/protocol"
)
var _ reflect.Value
var _ account.Budget
var _ p.Message
var _ vouch.Value[int]
var _ Release
func leak() { `+code+` }
`, 0))(t)
		found := make(map[string]map[string]token.Position)
		c.uses(t, "leak", []*ast.File{src}, found)
		if len(found[what]) == 0 {
			t.Errorf("%s in %s is not found", what, code)
		}
	}
}

var all struct {
	sync.Once
	c *checker
}

// everything returns a checker with all packages, which is made once.
func everything(t *testing.T) *checker {
	t.Helper()
	all.Do(func() { all.c = newChecker(t, module+"...") })
	return all.c
}

// newChecker asks the go command for the compiler's export data of packages and what they import,
// which is in the build cache since this test was built: half a second, where type-checking from
// source takes several.
func newChecker(t *testing.T, packages ...string) *checker {
	t.Helper()
	cmd := exec.Command("go", slices.Concat([]string{"list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}"}, packages)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	export := make(map[string]string)
	for l := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(l), " ")
		export[path] = file
	}
	c := &checker{fset: token.NewFileSet()}
	c.conf.Importer = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	return c
}
