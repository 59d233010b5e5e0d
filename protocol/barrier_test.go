package protocol_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// The barrier between rewards and messages is made of Go's own rules. These tests
// hold it from outside: programs that would leak must not compile, what compiles
// must have no number in which a reward could leave, and what neither can stop is
// refused at run time or found in the source.

// A checker type-checks single files against the packages as they are built.
type checker struct {
	fset *token.FileSet
	conf types.Config
}

// check returns what the file's last comment says, and the first error.
func (c *checker) check(t *testing.T, file string) (last string, err error) {
	t.Helper()
	src := require.Value(parser.ParseFile(c.fset, file, nil, parser.ParseComments))(t)
	_, err = c.conf.Check("leak", c.fset, []*ast.File{src}, nil)
	return strings.TrimSpace(src.Comments[len(src.Comments)-1].Text()), err
}

// TestLeaksDoNotCompile: every program in testdata/leak fails for the reason that
// its last comment gives; the honest one, with the same importer, does not.
func TestLeaksDoNotCompile(t *testing.T) {
	c := newChecker(t, "peerd.dev/node/kept", "peerd.dev/dp/averages")
	if _, err := c.check(t, "testdata/honest/honest.go"); err != nil {
		t.Fatalf("the honest program: %v", err)
	}
	files, err := filepath.Glob("testdata/leak/*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			want, err := c.check(t, f)
			switch {
			case err == nil:
				t.Fatalf("compiles, but must not: want %q", want)
			case !strings.Contains(err.Error(), want):
				t.Fatalf("got %q, want %q", err, want)
			}
		})
	}
}

// known are the numbers and bytes next to Releases and Messages in exported declarations of dp and
// protocol, each with its meaning. A reward could leave in any of them, so a new one is added here
// in the knowledge of that, and no float ever is.
var known = map[string]string{
	"averages.NewCounts(int)":                            "how many counts",
	"averages.NewMixed(int, int)":                        "how many values, and of how many peers",
	"averages.Mixed.Join(int)":                           "which value",
	"averages.Mixed.Weight(int)":                         "which weight is read",
	"averages.Mixed.Joined(int)":                         "which value",
	"averages.NewShares(int)":                            "how many sums",
	"averages.NewFlow(int)":                              "how many sums",
	"averages.Shares.Sum(int)":                           "which sum is read",
	"averages.Shares.Records(int)":                       "which number is read",
	"averages.Shares.Value(int)":                         "which value is read",
	"averages.Shares.Entered(int)":                       "which value is read",
	"averages.Shares.Enter(int)":                         "which part",
	"averages.Shares.Start(int)":                         "which part",
	"averages.Shares.Pass([]uint64)":                     "the weights of links, from the configuration",
	"averages.Shares.Load(vouch.Value[[]byte])":          "a state off the disk",
	"averages.Flow.Sent(int)":                            "which value is read",
	"averages.Flow.Taken(int)":                           "which value is read",
	"averages.Flow.Load(vouch.Value[[]byte])":            "a state off the disk",
	"averages.Counts.At(int)":                            "which count is read",
	"averages.Counts.Raise(int)":                         "which count",
	"averages.Counts.RaiseToRank(int)":                   "how many liars, from the configuration",
	"averages.Mixed.At(int)":                             "which value is read",
	"averages.Mixed.Value(int)":                          "which value is read",
	"averages.Mixed.Load(vouch.Value[[]byte])":           "a state off the disk",
	"averages.Counts.Load(vouch.Value[[]byte])":          "a state off the disk",
	"averages.Mixed.Own(int)":                            "which value is read",
	"averages.Mixed.Replace(int)":                        "which value",
	"averages.Mixed.ReplaceByMean(int)":                  "which value",
	"dp.Release.At(int)":                                 "which value is read",
	"dp.Release.Value(int)":                              "which value is read",
	"dp.Release.Count(int)":                              "which count is read",
	"dp.Curator.Leaf(dp.StreamID, uint64)":               "the next leaf of a stream; any other is refused",
	"dp.Curator.Replay(dp.Secret)":                       "the noise that the nodes do not show, off the disk",
	"dp.Remake(dp.Fields)":                               "what is computed from releases",
	"dp.Received(vouch.Value[dp.Fields])":                "the codec's",
	"dp.ReceivedSealed(vouch.Value[[]byte])":             "the codec's, and what a key has encrypted",
	"averages.Split(vouch.Value[*rand.Rand])":            "the secret numbers that are one of two shares, from Config.Secret",
	"protocol.Decode(vouch.Value[[]byte])":               "a frame off the wire",
	"protocol.Encode([]byte)":                            "where to append",
	"protocol.AppendRelease([]byte)":                     "where to append",
	"protocol.Saved([]byte)":                             "a state, from which no release is made",
	"protocol.VisitRelease(vouch.Value[*state.Visitor])": "a release off the disk",
	"protocol.ParseRelease(vouch.Value[[]byte])":         "a release off the disk",
	"protocol.Message.Release(int)":                      "which release is read",
	"protocol.Message.Ref(int)":                          "which label is read",
	"protocol.Message.Refuse(string, []any)":             "what is wrong, for the log of this peer",
	"protocol.Press.Message(protocol.Content)":           "what a protocol says; it knows no reward",
	"protocol.Press.Signed(protocol.Content)":            "the same",
	"protocol.Press.Seal(protocol.Peer)":                 "who can open it",
	"protocol.Outbox.Send(protocol.Peer)":                "an address",
	"protocol.Outbox.Accuse(error)":                      "what a peer did wrong, for the log of this peer",
	"protocol.Presence(protocol.Peer, uint32)":           "the sender's own number and incarnation",
	"protocol.Contents.Take(protocol.Kind, protocol.Label, int, []protocol.Label)": "how many releases the message has room for",
	"protocol.Outbox.EndRound(protocol.Peer, protocol.Round, []protocol.Peer)":     "the sender's own number, its clock, its neighbours",
	"protocol.Protocol.Tick(protocol.Round)":                                       "the clock",
	"protocol.Protocol.Receive(protocol.Peer)":                                     "who sent it, as the transport knows",
	"protocol.Own.Stream dp.StreamID":                                              "which stream",
	"protocol.Own.Number uint64":                                                   "how many leaves of the stream have closed",
	"protocol.Own.Held bool":                                                       "what a protocol around another says of sending it; agents leave it false",
	"protocol.Own.Over bool":                                                       "whether that is the horizon",
	"protocol.Envelope.To protocol.Peer":                                           "an address",
	"protocol.Delivery.From protocol.Peer":                                         "an address",
}

// TestNumbersBesideReleasesAreKnown lists every exported function, method and field
// that touches what can leave, with the parameters that are no such thing.
func TestNumbersBesideReleasesAreKnown(t *testing.T) {
	c := newChecker(t, "peerd.dev/protocol", "peerd.dev/dp/averages")
	found := make(map[string]bool)
	for _, path := range []string{"peerd.dev/dp", "peerd.dev/dp/averages", "peerd.dev/protocol"} {
		pkg := require.Value(c.conf.Importer.Import(path))(t)
		for _, name := range pkg.Scope().Names() {
			obj := pkg.Scope().Lookup(name)
			if !obj.Exported() {
				continue
			}
			switch obj := obj.(type) {
			case *types.Func:
				touches(found, pkg.Name()+"."+name, nil, obj.Signature())
			case *types.TypeName:
				set := types.NewMethodSet(types.NewPointer(obj.Type()))
				if types.IsInterface(obj.Type()) {
					set = types.NewMethodSet(obj.Type())
				}
				for m := range set.Methods() {
					if m.Obj().Exported() {
						touches(found, pkg.Name()+"."+name+"."+m.Obj().Name(), obj.Type(), m.Obj().(*types.Func).Signature())
					}
				}
				if s, ok := obj.Type().Underlying().(*types.Struct); ok && canLeave(obj.Type()) {
					for f := range s.Fields() {
						if f.Exported() && !canLeave(f.Type()) {
							found[fmt.Sprintf("%s.%s.%s %s", pkg.Name(), name, f.Name(), short(f.Type()))] = true
						}
					}
				}
			}
		}
	}
	for _, f := range slices.Sorted(maps.Keys(found)) {
		if known[f] == "" {
			t.Errorf("%s: a number beside what can leave, and nobody says what it is", f)
		}
		if strings.Contains(f, "float") {
			t.Errorf("%s: a float where only Releases and integers may be", f)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(known)) {
		if !found[k] {
			t.Errorf("%s: listed, but there is none", k)
		}
	}
}

// touches notes a function that makes, changes or reads something that can leave
// and takes something else too.
func touches(found map[string]bool, name string, recv types.Type, sig *types.Signature) {
	leaves := recv != nil && canLeave(recv)
	var other []string
	for p := range sig.Params().Variables() {
		if canLeave(p.Type()) {
			leaves = true
		} else {
			other = append(other, short(p.Type()))
		}
	}
	for r := range sig.Results().Variables() {
		leaves = leaves || canLeave(r.Type())
	}
	if leaves && len(other) > 0 {
		found[name+"("+strings.Join(other, ", ")+")"] = true
	}
}

// canLeave reports whether a type is, or holds, what goes on the wire. A Curator and a
// Protocol have such things inside and give none away but through their methods,
// which are looked at.
func canLeave(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return canLeave(t.Elem())
	case *types.Slice:
		return canLeave(t.Elem())
	case *types.Array:
		return canLeave(t.Elem())
	case *types.Named:
		if t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == module+"internal/vouch" {
			return canLeave(t.TypeArgs().At(0))
		}
		switch short(t) {
		case "dp.Release", "dp.Leaf", "dp.Sealed", "averages.Mixed", "averages.Counts", "averages.Shares", "averages.Flow",
			"protocol.Message", "protocol.Own", "protocol.Envelope", "protocol.Delivery", "protocol.Outbox":
			return true
		}
	}
	return false
}

func short(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// TestNoWayAroundTheCompiler: package unsafe, C, linkname and assembly go around every rule of the
// compiler. No file outside of tests uses them, whatever its build tags are.
func TestNoWayAroundTheCompiler(t *testing.T) {
	for _, dir := range packageDirs(t) {
		files := require.Value(os.ReadDir(filepath.Join("..", dir)))(t)
		for _, f := range files {
			name := filepath.Join("..", dir, f.Name())
			if f.IsDir() || strings.HasSuffix(name, "_test.go") {
				continue
			}
			b := require.Value(os.ReadFile(name))(t)
			for _, way := range around(t, name, b) {
				t.Errorf("%s %s, which no barrier survives", name, way)
			}
		}
	}
}

// around returns the ways around the compiler that a file of a package takes.
func around(t *testing.T, name string, content []byte) (ways []string) {
	t.Helper()
	switch filepath.Ext(name) {
	case ".go":
	case ".s", ".S", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".m", ".f", ".F", ".for", ".f90", ".sx", ".swig", ".swigcxx", ".syso", ".a", ".o":
		return []string{"is built into the program by the go command"}
	default:
		return nil
	}
	src := require.Value(parser.ParseFile(token.NewFileSet(), name, content, parser.ParseComments))(t)
	for _, i := range src.Imports {
		switch path, _ := strconv.Unquote(i.Path.Value); path {
		case "unsafe", "C", "plugin", "runtime/cgo":
			ways = append(ways, "imports "+path)
		}
	}
	for _, g := range src.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:linkname") || strings.HasPrefix(c.Text, "//go:cgo_") {
				ways = append(ways, "has "+c.Text)
			}
		}
	}
	return ways
}

// TestWaysAroundTheCompilerAreFound: the search above finds each.
func TestWaysAroundTheCompilerAreFound(t *testing.T) {
	for name, content := range map[string]string{
		"a.go": "package a\nimport \"unsafe\"\nvar _ unsafe.Pointer", "b.go": "//go:build cgo\n\npackage a\n\n// int x;\nimport \"C\"",
		"c.go": "package a\n\n//go:linkname x y\nvar x int", "d_amd64.s": "TEXT x(SB)", "e.c": "int x;", "f.syso": "",
	} {
		if len(around(t, name, []byte(content))) == 0 {
			t.Errorf("%s, %q, is not found", name, content)
		}
	}
}

// TestNothingLeavesWithoutNoise: releases without noise, or with noise that can be
// repeated, exist in lockstep only.
func TestNothingLeavesWithoutNoise(t *testing.T) {
	seeded := func() *dp.Source { return dp.NewSeededSource([32]byte{1}) }
	none := dp.Spec{What: "rewards", Streams: 1, Dim: 1, Lo: 0, Hi: 1, Leaves: 8, RecordsPerUser: 1, Mechanism: dp.None, Epsilon: 1}

	if _, err := dp.NewCurator(dp.Private, vouch.For(account.Unlimited), dp.NewSecureSource()); err == nil {
		t.Error("a private curator has an infinite budget")
	}
	if _, err := dp.NewCurator(dp.Private, vouch.For(account.Budget{Epsilon: dp.Nano}), seeded()); err == nil {
		t.Error("a private curator draws noise from a seed")
	}
	for name, open := range map[string]func() (*dp.Curator, error){
		"private": func() (*dp.Curator, error) {
			return dp.NewCurator(dp.Private, vouch.For(account.Budget{Epsilon: 1e9 * dp.Nano}), dp.NewSecureSource())
		},
		"lockstep": func() (*dp.Curator, error) {
			return dp.NewCurator(dp.Lockstep, vouch.For(account.Budget{Epsilon: 1e9 * dp.Nano}), seeded())
		},
	} {
		d := require.Value(open())(t)
		before := d.Spent()
		var refused *dp.BudgetError
		if _, err := d.Open(none); !errors.As(err, &refused) || d.Spent() != before || len(d.TakeCharges()) != 0 {
			t.Errorf("%s, finite budget: no noise was answered %v, with %v spent, %v before", name, err, d.Spent(), before)
		}
		if _, err := d.Leaf(0, 1); err == nil {
			t.Errorf("%s: a stream that was refused releases", name)
		}
	}

	d := require.Value(dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), seeded()))(t)
	if _, err := d.Open(none); err != nil {
		t.Errorf("lockstep, infinite budget: %v", err)
	}
}
