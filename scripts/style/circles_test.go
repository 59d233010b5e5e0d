package style

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestNoFilesFormACircle holds that the files of a package of dp and protocol can be read one after
// another: none uses a file that, through others, uses it.
func TestNoFilesFormACircle(t *testing.T) {
	exports, sources := map[string]string{}, map[string][]string{} // of every package by path; never ranged over
	var rooms []string
	const format = `{{.ImportPath}}|{{.Export}}|{{.Dir}}|{{join .GoFiles "|"}}`
	for line := range strings.Lines(goList(t, format, "-deps", "-export", "./dp/...", "./protocol/...")) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		path, dir := fields[0], fields[2]
		exports[path] = fields[1]
		if strings.HasPrefix(path, module+"dp") || strings.HasPrefix(path, module+"protocol") {
			rooms = append(rooms, path)
			for _, name := range fields[3:] {
				sources[path] = append(sources[path], filepath.Join(dir, name))
			}
		}
	}
	if len(rooms) < 10 {
		t.Fatalf("%d packages, want dp, protocol and theirs", len(rooms))
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, room := range rooms {
		if circle := circleOf(uses(t, set, imports, room, sources[room])); circle != nil {
			t.Errorf("%s: %s", room, strings.Join(circle, " uses "))
		}
	}
}

// uses returns, for every file of a package, the other files whose declarations it names.
func uses(t *testing.T, set *token.FileSet, imports types.Importer, path string, sources []string) map[string][]string {
	t.Helper()
	var files []*ast.File
	for _, name := range sources {
		f := require.Value(parser.ParseFile(set, name, nil, parser.SkipObjectResolution))(t)
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	room := require.Value((&types.Config{Importer: imports}).Check(path, set, files, &info))(t)
	named := map[string][]string{}
	for id, object := range info.Uses {
		method, ok := object.(*types.Func)
		ok = ok && method.Signature().Recv() != nil
		if object.Pkg() != room || !ok && object.Parent() != room.Scope() {
			continue
		}
		from, to := filepath.Base(set.Position(id.Pos()).Filename), filepath.Base(set.Position(object.Pos()).Filename)
		if from != to && !slices.Contains(named[from], to) {
			named[from] = append(named[from], to)
		}
	}
	return named
}

// circleOf returns the nodes of a circle, the first one at the end again; nil if there is none.
func circleOf(arrows map[string][]string) []string {
	done := map[string]bool{}
	var way []string
	var walk func(at string) []string
	walk = func(at string) []string {
		if i := slices.Index(way, at); i >= 0 {
			return append(slices.Clone(way[i:]), at)
		}
		if done[at] {
			return nil
		}
		way = append(way, at)
		for _, to := range slices.Sorted(slices.Values(arrows[at])) {
			if circle := walk(to); circle != nil {
				return circle
			}
		}
		way, done[at] = way[:len(way)-1], true
		return nil
	}
	var names []string
	for name := range arrows {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if circle := walk(name); circle != nil {
			return circle
		}
	}
	return nil
}
