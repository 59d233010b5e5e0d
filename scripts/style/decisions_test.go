package style

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const decisions = "docs/decisions/"

var (
	entry   = regexp.MustCompile(`(?m)^## (\d+)\n\n\*\*[^*]`)
	next    = regexp.MustCompile(`the next one is (\d+)`)
	cited   = regexp.MustCompile(`decision (\d+)`)
	inTopic = regexp.MustCompile(`decisions/(\w+\.md)#(\d+)`)
)

// TestDecisions: decisions are cited by their numbers, so each has one of its own and a paragraph in one topic, and what is cited is in force.
func TestDecisions(t *testing.T) {
	topic := make(map[int]string) // the file of each decision
	index := read(t, decisions+"README.md")
	for _, file := range files(t) {
		name := path.Base(file)
		if path.Dir(file)+"/" != decisions || name == "README.md" {
			continue
		}
		page, last := read(t, file), 0
		var numbers []string
		for _, m := range entry.FindAllStringSubmatch(page, -1) {
			n := integer(t, m[1])
			if topic[n] != "" || n <= last {
				t.Errorf("%s: decision %d is in %q, and follows %d", file, n, topic[n], last)
			}
			topic[n], last, numbers = name, n, append(numbers, m[1])
		}
		if !strings.Contains(index, "]("+name+")") || !strings.Contains(index, "| "+strings.Join(numbers, ", ")+" |") {
			t.Errorf("the index has no row of %s with %s", name, strings.Join(numbers, ", "))
		}
	}
	m := next.FindStringSubmatch(index)
	if m == nil || integer(t, m[1]) <= slices.Max(slices.Collect(maps.Keys(topic))) || len(topic) < 100 {
		t.Errorf("%d decisions, and the index says %q", len(topic), m)
	}
	for _, file := range files(t) {
		if !slices.Contains([]string{".go", ".md", ".sh", ".yaml"}, path.Ext(file)) {
			continue
		}
		page := read(t, file)
		for _, m := range cited.FindAllStringSubmatch(page, -1) {
			if topic[integer(t, m[1])] == "" {
				t.Errorf("%s: there is no decision %s", file, m[1])
			}
		}
		for _, m := range inTopic.FindAllStringSubmatch(page, -1) {
			if topic[integer(t, m[2])] != m[1] {
				t.Errorf("%s: decision %s is not in %s", file, m[2], m[1])
			}
		}
	}
}

func integer(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
