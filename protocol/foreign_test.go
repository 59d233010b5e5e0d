package protocol_test

import (
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// TestOtherModulesMakeNoReleases: every program in testdata/foreign, compiled as one of another module, fails for the
// reason that its last comment gives. Each tries one way to make a release, or what makes releases, from a number.
// The control does not fail.
func TestOtherModulesMakeNoReleases(t *testing.T) {
	c := everything(t)
	files, err := filepath.Glob("testdata/foreign/*.go")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			want, err := c.check(t, f)
			if refused := internalImport(t, f); refused != "" {
				if err != nil {
					t.Fatalf("fails also in this module: %v", err)
				}
				if refused != want {
					t.Fatalf("got %q, want %q", refused, want)
				}
				return
			}
			switch {
			case want == "compiles":
				if err != nil {
					t.Fatal(err)
				}
			case err == nil:
				t.Fatalf("compiles, but must not: want %q", want)
			case !strings.Contains(err.Error(), want):
				t.Fatalf("got %q, want %q", err, want)
			}
		})
	}
}

// internalImport returns what the go command says of a file of another module that imports an internal package; the
// type checker does not know of it.
func internalImport(t *testing.T, file string) string {
	t.Helper()
	src := require.Value(parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly))(t)
	for _, i := range src.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); strings.Contains(path, "/internal/") {
			return "use of internal package " + path + " not allowed"
		}
	}
	return ""
}

// TestInternalIsRefused: the go command refuses what internalImport returns, in another module. Modules that it takes
// are in docs/examples/go.
func TestInternalIsRefused(t *testing.T) {
	const program = "testdata/foreign/vouches.go"
	want := internalImport(t, program)
	b := require.Value(os.ReadFile(program))(t)
	root := require.Value(filepath.Abs(".."))(t)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"foreign.go": b, "go.sum": sums,
		"go.mod": []byte("module example.org/foreign\n\ngo 1.26.0\n\nrequire peerd.dev v0.0.0\n\nreplace peerd.dev => " + root + "\n"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	c := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", ".")
	c.Dir, c.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s, want %q", err, out, want)
	}
}

// TestAnEmptyValueMakesNothing: the zero value of vouch.Value, which every program can make by inference, makes no
// release of a number, no message and no curator that releases.
func TestAnEmptyValueMakesNothing(t *testing.T) {
	if r, err := dp.Received(zero(dp.Received)); err != nil || !r.Empty() || !r.Equal(dp.Release{}) {
		t.Errorf("a release: %+v, %v", r, err)
	}
	if s, err := dp.ReceivedSealed(zero(dp.ReceivedSealed)); err == nil {
		t.Errorf("a sealed release: %x", s.Bytes())
	}
	if _, err := protocol.Decode(zero(protocol.Decode)); err == nil {
		t.Error("a message")
	}
	if r, err := protocol.ParseRelease(zero(protocol.ParseRelease)); err != nil || !r.Equal(dp.Release{}) {
		t.Errorf("a release off the disk: %+v, %v", r, err)
	}
	if averages.NewMixed(1, 1).Load(vouch.Value[[]byte]{}) == nil {
		t.Error("a state")
	}
	if s, err := protocol.Inside(zero(protocol.Inside)); err == nil {
		t.Errorf("the bytes of a state: %x", s)
	}
	if new(dp.Curator).Load(dp.NewSecret(vouch.Value[[]byte]{})) == nil {
		t.Error("a curator")
	}
	for _, mode := range []dp.Mode{dp.Private, dp.Lockstep} {
		c, err := dp.NewCurator(mode, vouch.Value[account.Budget]{}, dp.NewSecureSource())
		if err != nil {
			continue
		}
		for _, m := range []dp.Mechanism{dp.None, dp.Tree} {
			spec := dp.Spec{What: "rewards", Streams: 1, Dim: 1, Hi: 1, Leaves: 8, RecordsPerUser: 1, Mechanism: m, Epsilon: 1}
			if _, err = c.Open(spec); err == nil {
				t.Errorf("%v: a curator without a budget opens streams of %v", mode, m)
			}
		}
	}
}

// TestNothingIsVouchedForElsewhere: no exported declaration gives another module a vouch.Value, as a result, a field or an
// argument of its own function or method.
func TestNothingIsVouchedForElsewhere(t *testing.T) {
	// Fields that no function of this module fills for another one. TestAProtocolIsGivenNoKeys holds it for the first.
	taken := map[string]bool{"protocol.Config.Keys": true, "node.PeerConfig.Keys": true, "sim.Config.Keys": true}
	mentions := func(t types.Type) bool { return strings.Contains(short(t), "vouch.") }
	gives := func(s *types.Signature) bool {
		for p := range s.Params().Variables() {
			if _, calls := p.Type().Underlying().(*types.Signature); calls && mentions(p.Type()) {
				return true
			}
		}
		return mentions(s.Results())
	}
	c, seen := everything(t), 0
	for _, dir := range packageDirs(t) {
		if strings.Contains("/"+dir+"/", "/internal/") || strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "scripts/") {
			continue
		}
		pkg := require.Value(c.conf.Importer.Import(module + dir))(t)
		for _, name := range pkg.Scope().Names() {
			obj, bad := pkg.Scope().Lookup(name), false
			if !obj.Exported() {
				continue
			}
			seen++
			switch of := obj.Type().Underlying().(type) {
			case *types.Signature:
				bad = gives(of)
			case *types.Struct:
				for f := range of.Fields() {
					bad = bad || f.Exported() && mentions(f.Type()) && !taken[pkg.Name()+"."+name+"."+f.Name()]
				}
			case *types.Interface:
				bad = mentions(of)
			}
			for m := range types.NewMethodSet(types.NewPointer(obj.Type())).Methods() {
				bad = bad || m.Obj().Exported() && gives(m.Obj().(*types.Func).Signature())
			}
			if bad || mentions(types.Unalias(obj.Type())) && !isFunc(obj) {
				t.Errorf("%s.%s gives a vouch.Value away", dir, name)
			}
		}
	}
	if seen < 500 {
		t.Errorf("%d declarations were seen: the test looks at nothing", seen)
	}
}

func isFunc(o types.Object) bool { _, is := o.(*types.Func); return is }

func zero[T, R any](func(T) (R, error)) (t T) { return t }
