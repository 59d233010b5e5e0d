package style

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The most words of a sentence in a comment of the program, and in the text that a setting has in its tag. Longer ones hold
// several conditions, and are read twice. What stands on one side of a colon or a semicolon is read by itself, so it is
// counted by itself.
const (
	longestSentence = 35
	longestTag      = 40
)

var (
	clause = regexp.MustCompile(`[:;] `)
	listed = regexp.MustCompile(`[:;.,] `) // of a text that says what each value means
)

// program reports whether a file is Go of the program: no test, script, example or test support.
func program(file string) bool {
	return path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "testdata/") &&
		!strings.HasPrefix(file, "scripts/") && !strings.HasPrefix(file, "docs/")
}

// TestSentencesAreShort: of the program's comments, and of the texts of settings.
func TestSentencesAreShort(t *testing.T) {
	advice(t)
	sentences, tags := 0, 0
	for _, file := range files(t) {
		if !program(file) {
			continue
		}
		for _, b := range blocks(t, file) {
			if !b.comment {
				continue
			}
			for _, s := range b.sentences() {
				for _, part := range clause.Split(s, -1) {
					sentences++
					if n := len(strings.Fields(part)); n > longestSentence {
						t.Errorf("%s:%d: %d words, want at most %d in a sentence:\n\t%s", file, b.line, n, longestSentence, part)
					}
				}
			}
		}
		for at, doc := range docTags(t, file) {
			tags++
			for _, part := range listed.Split(doc, -1) {
				if n := len(strings.Fields(part)); n > longestTag {
					t.Errorf("%s: %d words, want at most %d in a sentence of a doc tag:\n\t%s", at, n, longestTag, part)
				}
			}
		}
	}
	if sentences < 5000 || tags < 100 {
		t.Errorf("%d sentences and %d tags were seen: the test looks at nothing", sentences, tags)
	}
	t.Logf("%d sentences, %d tags", sentences, tags)
}

// docTags returns the doc tags of the fields of a file, by place.
func docTags(t *testing.T, file string) map[string]string {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, filepath.Join(root, file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	ast.Inspect(f, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil {
			if tag, err := strconv.Unquote(field.Tag.Value); err == nil {
				if doc, ok := reflect.StructTag(tag).Lookup("doc"); ok {
					all[file+":"+strconv.Itoa(set.Position(field.Pos()).Line)] = doc
				}
			}
		}
		return true
	})
	return all
}
