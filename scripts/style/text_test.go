package style

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// root is the repository.
const root = "../.."

// A block is a run of prose: a paragraph, a list item, a cell of a table, a comment or a
// string.
type block struct {
	file    string // from root
	line    int    // its first
	text    string
	comment bool // in a Go file
}

// files returns the repository's files that a person or a test keeps, from root, sorted.
func files(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if strings.HasPrefix(name, ".") && path != root || name == "bin" || name == "runs" || name == "data" {
				return filepath.SkipDir // built, downloaded or git's
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		all = append(all, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// blocks returns the prose of a file, or nothing if the file's kind has none. Strings of
// tests are not prose.
func blocks(t *testing.T, file string) []block {
	t.Helper()
	if strings.HasPrefix(file, "scripts/style/") {
		return nil
	}
	b := require.Value(os.ReadFile(filepath.Join(root, file)))(t)
	switch ext := filepath.Ext(file); {
	case ext == ".md", strings.HasPrefix(file, "cmd/") && (ext == ".txt" || ext == ".txtar"):
		return paragraphs(file, string(b))
	case ext == ".yaml" && strings.HasPrefix(file, "configs/"), ext == ".sh":
		return comments(file, string(b))
	case file == "docs/openapi.json", file == "docs/wire.proto", file == "scripts/show/pending.txt":
		return lines(file, string(b))
	case file == "scripts/show/table.txt":
		return lines(file, command.ReplaceAllString(string(b), ""))
	case ext == ".go" && !strings.Contains(file, "testdata/"):
		set := token.NewFileSet()
		f := require.Value(parser.ParseFile(set, file, b, parser.SkipObjectResolution|parser.ParseComments))(t)
		all := remarks(file, set, f)
		if !strings.HasSuffix(file, "_test.go") {
			all = append(all, literals(t, file, set, f)...)
		}
		return all
	}
	return nil
}

var (
	code   = regexp.MustCompile("`[^`]*`")
	hidden = regexp.MustCompile(`<!--.*?-->`)
	link   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	item   = regexp.MustCompile(`^\s*([-*]|\d+\.)\s+`)
	number = regexp.MustCompile(`^#+ `)
)

// paragraphs returns the prose of a page of Markdown: without fenced code, with `code`
// for code.
func paragraphs(file, text string) (all []block) {
	now := block{file: file}
	end := func() {
		if strings.TrimSpace(now.text) != "" {
			all = append(all, now)
		}
		now.text = ""
	}
	fenced := false
	for i, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, "```") {
			fenced = !fenced
		}
		if fenced || strings.HasPrefix(l, "```") || strings.HasPrefix(l, "    ") && now.text == "" {
			end()
			continue
		}
		l = link.ReplaceAllString(code.ReplaceAllString(hidden.ReplaceAllString(l, ""), "code"), "$1")
		if strings.HasPrefix(l, "|") {
			end()
			for _, cell := range strings.Split(l, "|") {
				if strings.TrimSpace(cell) != "" {
					all = append(all, block{file: file, line: i + 1, text: strings.TrimSpace(cell)})
				}
			}
			continue
		}
		if strings.TrimSpace(l) == "" || number.MatchString(l) || item.MatchString(l) {
			end()
		}
		if now.text == "" {
			now.line = i + 1
			l = item.ReplaceAllString(number.ReplaceAllString(l, ""), "")
		}
		now.text += " " + strings.TrimSpace(l)
		if strings.HasPrefix(text, "#") && number.MatchString(l) {
			end()
		}
	}
	end()
	return all
}

// says finds what a script prints.
var says = regexp.MustCompile(`\b(echo|printf|say|die)\b.*`)

// comments returns the comments of YAML or of a shell script, and what it prints.
func comments(file, text string) (all []block) {
	now := block{file: file}
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		if c, ok := strings.CutPrefix(l, "#"); ok && strings.TrimSpace(c) != "" {
			if now.text == "" {
				now.line = i + 1
			}
			now.text += " " + strings.TrimSpace(c)
			continue
		}
		if now.text != "" {
			all = append(all, now)
			now.text = ""
		}
		if _, c, ok := strings.Cut(l, " # "); ok {
			all = append(all, block{file: file, line: i + 1, text: c})
		}
		if s := says.FindString(l); s != "" {
			all = append(all, block{file: file, line: i + 1, text: s})
		}
	}
	return all
}

// command is a line of the table of scripts/show.sh that is no prose.
var command = regexp.MustCompile(`(?m)^\trun: .*$`)

// lines returns every line by itself.
func lines(file, text string) (all []block) {
	for i, l := range strings.Split(text, "\n") {
		all = append(all, block{file: file, line: i + 1, text: l})
	}
	return all
}

// remarks returns the paragraphs and list items of a Go file's comments, without code,
// directives and what examples print.
func remarks(file string, set *token.FileSet, f *ast.File) (all []block) {
	for _, group := range f.Comments {
		now := block{file: file, comment: true}
		end := func() {
			if now.text != "" {
				all = append(all, now)
			}
			now.text = ""
		}
		for _, c := range group.List {
			l := strings.TrimPrefix(c.Text, "//")
			if directive.MatchString(l) {
				continue
			}
			if strings.HasPrefix(l, " Output:") {
				break
			}
			indented := strings.HasPrefix(l, "\t") // code
			if indented || strings.TrimSpace(l) == "" || item.MatchString(l) {
				end()
			}
			if indented {
				continue
			}
			if now.text == "" {
				now.line = set.Position(c.Pos()).Line
			}
			now.text += strings.TrimRight(" "+strings.TrimSpace(code.ReplaceAllString(item.ReplaceAllString(l, ""), "code")), " ")
		}
		end()
	}
	return all
}

// directive matches the comments that are for tools, after the slashes.
var directive = regexp.MustCompile(`^[a-z]+:[a-z]`)

// literals returns the strings of a Go file that have more than one word.
func literals(t *testing.T, file string, set *token.FileSet, f *ast.File) (all []block) {
	t.Helper()
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatalf("%s: %v", set.Position(lit.Pos()), err)
			}
			if strings.Contains(strings.TrimSpace(s), " ") {
				line := set.Position(lit.Pos()).Line
				all = append(all, block{file: file, line: line, text: code.ReplaceAllString(s, "code")})
			}
		}
		return true
	})
	return all
}

// pause ends a sentence.
var pause = regexp.MustCompile(`[.?!][)*"]*\s+`)

// sentences splits a block.
func (b block) sentences() (all []string) {
	text := strings.Join(strings.Fields(b.text), " ")
	from := 0
	for _, at := range pause.FindAllStringIndex(text, -1) {
		all = append(all, strings.TrimSpace(text[from:at[1]]))
		from = at[1]
	}
	return append(all, text[from:])
}

// table returns the lines of a file beside this one, split at tabs; # begins a comment.
func table(t *testing.T, file string, columns int) (rows [][]string) {
	t.Helper()
	b := require.Value(os.ReadFile(file))(t)
	for i, l := range bytes.Split(b, []byte("\n")) {
		if len(l) == 0 || l[0] == '#' {
			continue
		}
		row := strings.Split(string(l), "\t")
		if len(row) < columns {
			t.Fatalf("%s:%d: %d columns, want at least %d", file, i+1, len(row), columns)
		}
		rows = append(rows, row)
	}
	return rows
}
