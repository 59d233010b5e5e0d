package style

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A declared name is an identifier where it is declared.
type declared struct{ at, name string }

// TestNames holds what Go files declare, tests included, to names.txt.
func TestNames(t *testing.T) {
	advice(t)
	names := make(map[string][]declared) // by directory
	total := 0
	for _, file := range files(t) {
		if path.Ext(file) == ".go" && !strings.Contains(file, "testdata/") && !strings.HasPrefix(file, "scripts/style/") {
			in := declarations(t, file)
			names[path.Dir(file)] = append(names[path.Dir(file)], in...)
			total += len(in)
		}
	}
	if total < 10_000 {
		t.Errorf("%d declared names are checked, want 10000 or more", total)
	}
	for _, row := range table(t, "names.txt", 3) {
		in, old := whole(row[0]), whole(row[1])
		var found []string
		for dir, all := range names {
			if !in.MatchString(dir) {
				continue
			}
			for _, d := range all {
				if old.MatchString(d.name) {
					found = append(found, d.at+" "+d.name)
				}
			}
		}
		slices.Sort(found)
		if len(found) > 0 {
			t.Errorf("%s in %s, write %s: %d names\n\t%s", row[1], row[0], row[2], len(found), strings.Join(found, "\n\t"))
		}
	}
}

// whole returns an expression that matches a whole text.
func whole(expression string) *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + expression + `)$`)
}

// declarations returns the names that a file declares: of types, functions, methods, fields,
// parameters, constants and variables.
func declarations(t *testing.T, file string) (all []declared) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, filepath.Join(root, file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			all = append(all, declared{fmt.Sprintf("%s:%d", file, set.Position(id.Pos()).Line), id.Name})
		}
	}
	assigned := func(tok token.Token, to ...ast.Expr) {
		for _, e := range to {
			if id, ok := e.(*ast.Ident); ok && tok == token.DEFINE {
				add(id)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n.Name)
		case *ast.TypeSpec:
			add(n.Name)
		case *ast.ValueSpec:
			add(n.Names...)
		case *ast.Field:
			add(n.Names...)
		case *ast.AssignStmt:
			assigned(n.Tok, n.Lhs...)
		case *ast.RangeStmt:
			assigned(n.Tok, n.Key, n.Value)
		}
		return true
	})
	return all
}
