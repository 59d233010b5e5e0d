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
	decided  = regexp.MustCompile(`(?m)^\| \[(\d+)\]\(#(\d+)\) \| [^|]+ \| ([^|]+) \| \d{4}-\d\d-\d\d(?:, [0-9a-f]{7,})? \|$`)
	replaced = regexp.MustCompile(`^(?:half )?replaced by \[(\d+)\]\(([a-z]*\.?m?d?)#(\d+)\)$`)
	entry    = regexp.MustCompile(`(?m)^## (\d+)\n\n\*\*[^*]`)
	cited    = regexp.MustCompile(`decision (\d+)`)
	inTopic  = regexp.MustCompile(`decisions/(\w+\.md)#(\d+)`)
)

// TestDecisions: decisions are cited by their numbers, so each has one of its own, a row and a paragraph in one
// topic, and a status that names a later one if it does not hold.
func TestDecisions(t *testing.T) {
	topic := make(map[int]string) // the file of each decision
	for _, file := range files(t) {
		name := path.Base(file)
		if path.Dir(file)+"/" != decisions || name == "README.md" {
			continue
		}
		page := read(t, file)
		var rows, entries []int
		for _, m := range decided.FindAllStringSubmatch(page, -1) {
			if m[1] != m[2] {
				t.Errorf("%s: row %s leads to %s", file, m[1], m[2])
			}
			rows = append(rows, integer(t, m[1]))
		}
		for _, m := range entry.FindAllStringSubmatch(page, -1) {
			n := integer(t, m[1])
			if topic[n] != "" {
				t.Errorf("decision %d is in %s and in %s", n, topic[n], name)
			}
			topic[n] = name
			entries = append(entries, n)
		}
		if !slices.Equal(rows, entries) || !slices.IsSorted(entries) || len(entries) != strings.Count(page, "\n| [") {
			t.Errorf("%s: rows %v, paragraphs %v: want the same, in order", file, rows, entries)
		}
	}
	last := slices.Max(slices.Collect(maps.Keys(topic)))
	for n := range last {
		if topic[n+1] == "" {
			t.Errorf("there is no decision %d, and there is %d", n+1, last)
		}
	}
	if last < 139 {
		t.Errorf("%d decisions, want 139 or more", last)
	}
	index := read(t, decisions+"README.md")
	for _, name := range slices.Compact(slices.Sorted(maps.Values(topic))) {
		page := read(t, decisions+name)
		var numbers []string
		for _, m := range decided.FindAllStringSubmatch(page, -1) {
			numbers = append(numbers, m[1])
			if m[3] == "holds" {
				continue
			}
			by := replaced.FindStringSubmatch(m[3])
			if by == nil {
				t.Errorf("%s: decision %s has status %q, want holds, replaced by [N](file#N) or half replaced by [N](file#N)", name, m[1], m[3])
				continue
			}
			to := by[2]
			if to == "" {
				to = name
			}
			if n := integer(t, by[1]); by[1] != by[3] || topic[n] != to || n <= integer(t, m[1]) {
				t.Errorf("%s: decision %s: %s", name, m[1], m[3])
			}
			_, text, _ := strings.Cut(page, "\n## "+m[1]+"\n")
			text, _, _ = strings.Cut(text, "\n## ")
			if !strings.Contains(strings.ToLower(text), m[3]) {
				t.Errorf("%s: the paragraph of decision %s does not say that it is %s", name, m[1], m[3])
			}
		}
		if !strings.Contains(index, "]("+name+")") || !strings.Contains(index, "| "+strings.Join(numbers, ", ")+" |") {
			t.Errorf("the index has no row of %s with %s", name, strings.Join(numbers, ", "))
		}
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
