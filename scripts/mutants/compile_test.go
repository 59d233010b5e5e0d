package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"peerd.dev/internal/require"
)

// A unit is a package as the go command describes it, with the tests that are inside it.
type unit struct {
	ImportPath, Dir, ForTest, Export string
	GoFiles, Deps                    []string

	parse sync.Once
	tests []string             // GoFiles and the tests inside the package
	whole map[string]*ast.File // its files, by their paths from the root
	heads map[string]*ast.File // the same without the bodies of functions
}

// A compiler checks the types of mutants. What they do not change comes from the cache of the go command.
type compiler struct {
	set   *token.FileSet
	units map[string]*unit // by directory
	cache types.Importer
	new   map[string]*types.Package // packages of the mutant that is checked
}

// TestEveryMutantCompiles: a mutant that does not compile shows nothing about the tests that it names.
func TestEveryMutantCompiles(t *testing.T) {
	advice(t)
	t.Chdir("../..")
	all := require.Value(mutants(""))(t)
	units, exports := list(t, all)
	set := token.NewFileSet()
	next := make(chan *mutant)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		c := &compiler{set: set, units: units, cache: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
			return os.Open(exports[path])
		})}
		wg.Go(func() {
			for m := range next {
				if err := c.check(m); err != nil {
					t.Errorf("%s: %v", m.id, err)
				}
			}
		})
	}
	for i := range all {
		next <- &all[i]
	}
	close(next)
	wg.Wait()
}

// list asks the go command for the packages that mutants change and those that these import, and for the files with their exports.
func list(t *testing.T, all []mutant) (units map[string]*unit, exports map[string]string) {
	t.Helper()
	dirs := make(map[string]bool)
	for _, m := range all {
		for _, p := range m.packages {
			dirs[p] = true
		}
		for _, c := range m.changes {
			dirs["./"+path.Dir(c.file)] = true
		}
	}
	args := []string{"list", "-test", "-deps", "-export", "-json=ImportPath,Dir,ForTest,Export,GoFiles,Deps"}
	c := exec.CommandContext(t.Context(), "go", append(args, slices.Sorted(maps.Keys(dirs))...)...)
	c.Stderr = os.Stderr
	out := require.Value(c.Output())(t)
	root := require.Value(os.Getwd())(t)
	units, exports = make(map[string]*unit), make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		u := new(unit)
		if err := d.Decode(u); errors.Is(err, io.EOF) {
			return units, exports
		} else if err != nil {
			t.Fatal(err)
		}
		exports[u.ImportPath] = u.Export
		dir, err := filepath.Rel(root, u.Dir)
		name, _, variant := strings.Cut(u.ImportPath, " ")
		switch {
		case err != nil || !filepath.IsLocal(dir) || strings.HasSuffix(name, ".test"):
		case !variant:
			u.Dir, u.tests = dir, u.GoFiles
			units[dir] = u
		case u.ForTest == name:
			units[dir].tests = u.GoFiles
		}
	}
}

// read parses the files of a unit.
func (u *unit) read(set *token.FileSet) {
	u.whole, u.heads = make(map[string]*ast.File), make(map[string]*ast.File)
	for _, name := range u.tests {
		name = path.Join(u.Dir, name)
		// The go command has compiled these files.
		u.whole[name], _ = parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		u.heads[name], _ = parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		behead(u.heads[name])
	}
}

// behead removes the bodies of functions.
func behead(f *ast.File) {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			d.Body = nil
		}
	}
}

// text prints a file.
func text(set *token.FileSet, f *ast.File) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, set, f) // into memory
	return b.String()
}

// check returns the first error of the compiler. A mutant that changes nothing but bodies of functions cannot harm other files.
// Tests are not looked at if a mutant changes several packages, since what they import may be in between, too.
func (c *compiler) check(m *mutant) error {
	files, err := m.apply()
	if err != nil {
		return err
	}
	changed, heads, dirs := make(map[string]*ast.File), true, make(map[string]bool)
	for name, b := range files {
		u := c.units[path.Dir(name)]
		u.parse.Do(func() { u.read(c.set) })
		dirs[u.Dir] = true
		if u.heads[name] == nil {
			return fmt.Errorf("%s is not compiled on this system", name)
		}
		if changed[name], err = parser.ParseFile(c.set, name, b, parser.SkipObjectResolution); err != nil {
			return err
		}
		head, _ := parser.ParseFile(c.set, name, b, parser.SkipObjectResolution)
		behead(head)
		heads = heads && text(c.set, head) == text(c.set, u.heads[name])
	}
	c.new = make(map[string]*types.Package)
	for _, u := range c.between(dirs) {
		u.parse.Do(func() { u.read(c.set) })
		var first error
		conf := types.Config{Importer: c, Error: func(err error) {
			var at types.Error
			if errors.As(err, &at) && first == nil && (!heads || changed[c.set.Position(at.Pos).Filename] != nil) {
				first = fmt.Errorf("%s: %s", c.set.Position(at.Pos), at.Msg)
			}
		}}
		var parsed []*ast.File
		names := u.tests
		if len(dirs) > 1 {
			names = u.GoFiles
		}
		for _, name := range names {
			name = path.Join(u.Dir, name)
			f := u.whole[name]
			switch {
			case changed[name] != nil:
				f = changed[name]
			case heads:
				f = u.heads[name]
			}
			parsed = append(parsed, f)
		}
		c.new[u.ImportPath], _ = conf.Check(u.ImportPath, c.set, parsed, nil) // Error has it
		if first != nil {
			return first
		}
	}
	return nil
}

// between returns the units of the directories, and those between two of them, each behind what it imports.
func (c *compiler) between(dirs map[string]bool) (all []*unit) {
	imports := func(u, of *unit) bool { return slices.Contains(u.Deps, of.ImportPath) }
	for dir, u := range c.units {
		below, above := false, false
		for other := range dirs {
			below = below || imports(u, c.units[other])
			above = above || imports(c.units[other], u)
		}
		if dirs[dir] || below && above {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b *unit) int { return len(a.Deps) - len(b.Deps) })
	return all
}

// Import is for the type checker.
func (c *compiler) Import(path string) (*types.Package, error) {
	if p := c.new[path]; p != nil {
		return p, nil
	}
	return c.cache.Import(path)
}
