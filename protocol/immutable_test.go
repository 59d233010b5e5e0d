package protocol_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestContentsDoNotChange: a Message keeps its encoding, which must not go stale, and its
// copies share one content. Other packages cannot change a content: its fields are
// unexported, and a frame is a string. This looks for code of this package that does: an
// assignment to a field of a message, to a part of one, or a copy or clear of one.
func TestContentsDoNotChange(t *testing.T) {
	may := map[string]string{
		"contents.go": "fills in contents that no peer reads any more, with Config.Reuse",

		"codec.go":  "keeps the frame",
		"decode.go": "fills in what it has just made",
		"press.go":  "signs a message before it is held or sent",
	}
	files := require.Value(filepath.Glob("*.go"))(t)
	c := newChecker(t, "peerd.dev/protocol")
	var sources []*ast.File
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src := require.Value(parser.ParseFile(c.fset, file, nil, 0))(t)
		sources = append(sources, src)
	}
	for file, found := range contentChanges(t, c, sources) {
		if may[file] == "" {
			t.Errorf("%s changes a message's content", found)
		}
		delete(may, file)
	}
	for file, why := range may {
		t.Errorf("%s: listed since it %s, but it changes no content", file, why)
	}
}

// TestContentChangesAreFound: the search above finds every way that it names.
func TestContentChangesAreFound(t *testing.T) {
	source := require.Value(os.ReadFile("message.go"))(t)
	for _, change := range []string{
		"m.label.Seq = 1", "m.body[0] = dp.Release{}", "m.refs[0].Seq++", "m.message.kind += 1", "m.sig = nil",
		"x, m.round = 1, 2", "copy(m.sig, x)", "clear(m.refs)", "copy(m.refs[1:], m.refs)", "*m.message = message{}",
	} {
		c := newChecker(t, "peerd.dev/protocol")
		src := require.Value(parser.ParseFile(c.fset, "message.go", string(source)+"\nfunc change(m Message) { "+change+" }\n", 0))(t)
		if len(contentChanges(t, c, []*ast.File{src})) == 0 {
			t.Errorf("%s is not found", change)
		}
	}
}

// contentChanges returns a place in each file that changes a field of a message.
func contentChanges(t *testing.T, c *checker, sources []*ast.File) map[string]token.Position {
	t.Helper()
	info := &types.Info{Selections: make(map[*ast.SelectorExpr]*types.Selection), Types: make(map[ast.Expr]types.TypeAndValue)}
	conf := c.conf
	conf.Error = func(error) {} // some sources are a part of the package
	_, _ = conf.Check("peerd.dev/protocol", c.fset, sources, info)
	found := make(map[string]token.Position)
	look := func(e ast.Expr) {
		if ofMessage(info, e) {
			at := c.fset.Position(e.Pos())
			found[at.Filename] = at
		}
	}
	for _, src := range sources {
		ast.Inspect(src, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					look(e)
				}
			case *ast.IncDecStmt:
				look(n.X)
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "copy" || f.Name == "clear") {
					look(n.Args[0])
				}
			}
			return true
		})
	}
	return found
}

// ofMessage reports whether an expression denotes a message's content or a part of it.
func ofMessage(info *types.Info, e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			if s := info.Selections[x]; s != nil && s.Kind() == types.FieldVal && isMessage(info.Types[x.X].Type) && x.Sel.Name != "message" {
				return true
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			if named(info.Types[x].Type, "message") {
				return true
			}
			e = x.X
		default:
			return false
		}
	}
}

// isMessage reports whether t is a content, or a Message or a pointer to either.
func isMessage(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return named(t, "Message") || named(t, "message")
}

func named(t types.Type, name string) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Name() == name
}
