package style

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mentionedTest finds names of tests in text; what is in a command may be the beginning of several.
var mentionedTest = regexp.MustCompile("(func |`?)\\b((?:Test|Fuzz|Benchmark)[A-Z]\\w+)(`?)")

// testNames returns the functions that tests have.
func testNames(t *testing.T) (all map[string]bool) {
	t.Helper()
	all = make(map[string]bool)
	for _, file := range files(t) {
		if strings.HasSuffix(file, "_test.go") {
			for _, d := range declarations(t, file) {
				all[d.name] = true
			}
		}
	}
	return all
}

// TestNamedTestsAreThere: a page, a table or a script that names a test names one that exists.
func TestNamedTestsAreThere(t *testing.T) {
	tests, seen := testNames(t), 0
	for _, file := range files(t) {
		if !slices.Contains([]string{".md", ".txt", ".sh", ".bash", ".yaml", ".yml"}, path.Ext(file)) || strings.Contains(file, "testdata/") {
			continue
		}
		for _, m := range mentionedTest.FindAllStringSubmatch(read(t, file), -1) {
			there := tests[m[2]] || m[1] == "func " // of a reader's own
			if seen++; m[1] == "" || m[3] == "" {   // perhaps an argument of -run
				for name := range tests {
					there = there || strings.HasPrefix(name, m[2])
				}
			}
			if !there {
				t.Errorf("%s: %s is no test", file, m[2])
			}
		}
	}
	if seen < 500 {
		t.Errorf("found %d names of tests", seen)
	}
}
